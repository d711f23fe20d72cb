"""C51: the text equals a constant of the program, or is one that came in by a parameter."""

import logging

from _common import codes

CASE = {
    "id": "C51",
    "group": "C",
    "kind": "leak",
    "right": (
        "A message is a literal when the call's own argument is one; never by being equal to "
        "one, and never by coming from a literal further out."
    ),
    "min_records": 6,
}
SECRETS = ["What is dovecoter?", "the ringouzel result"]


def answer(question: str) -> None:
    log = logging.getLogger("app.equal")
    log.info(question, extra=codes())
    log.info(question + "", extra=codes())
    log.warning(msg=question)
    log.log(logging.INFO, question)
    log.info(*[question])
    logging.getLogger(__name__).info("%s", question)


def classify(text: str) -> str:
    if text == "the ringouzel result":
        logging.getLogger("app.equal").info(text)
    return text


def emit() -> None:
    answer("What is dovecoter?")
    classify(" ".join(["the", "ringouzel", "result"]))  # noqa: FLY002
    list(map(logging.getLogger("app.equal").info, ["What is " + "dovecoter?"[:]]))
