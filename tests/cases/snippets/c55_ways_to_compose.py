"""C55: every way to make a message out of a text: ternaries, walrus, join, templates, translations."""

import logging
import string
import textwrap

from _common import codes

CASE = {
    "id": "C55",
    "group": "C",
    "kind": "leak",
    "right": "Only the constant parts of the call's own expression can be shown.",
    "min_records": 15,
}
SECRETS = ["firecrests", "stonecurlew"]


def emit() -> None:
    log = logging.getLogger("app.compose")
    text = "firecrests".replace("x", "")
    known = {"yes": "stonecurlew"}
    log.info(text or "nothing", extra=codes())
    log.info("nothing" and text)
    log.info(text if text else "no text")  # noqa: FURB110
    log.info(message := text + "!")
    log.info(message[:-1])
    log.info("question: of " + text)
    log.info(", ".join(["question", text]))  # noqa: FLY002
    log.info("question: %s" % text)
    log.info("question: %s %s" % (text.upper(), "x"))
    log.info("question: {} {who}".format(text, who=known["yes"]))
    log.info("question: {0[yes]}".format(known))  # noqa: UP030
    log.info("{yes}".format_map(known))
    log.info(string.Template("question: $q").substitute(q=text))
    log.info(
        textwrap.dedent(f"""
        question: {text}
    """)
    )
    log.info(known.get("yes", "none"))
    log.info(f"{text=} {known=!s} {text!r:>20}")
    log.info(f"{'question'}: {text:{len(text)}}")
    log.info(("question: %s", text))
    log.info("question: %(q)s" % {"q": text})
    log.info(f"{f'{text}'}")
    log.info(str(["question", text]) + " of %s", text)
    log.info(text + " %s", 1)
    log.info(text.join(["<", ">"]))
    log.info("{}".format(text).center(30, "-"))
    log.info("question: " + repr(text) + " end")
    log.info((lambda value: value)(text))  # noqa: PLC3002
    log.info("".join(chr(ord(letter)) for letter in text))
    log.info(text * 2)
    log.info(bytes(text, "ascii").decode())
