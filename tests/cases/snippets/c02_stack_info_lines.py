"""C02: `stack_info=True` and tracebacks show source lines: in a notebook, the question."""

import logging

from _common import codes

CASE = {
    "id": "C02",
    "group": "C",
    "kind": "leak",
    "right": "A stack is files, functions and lines; never the text of a line.",
    "min_records": 3,
}
SECRETS = ["saffronlea", "nightjarford"]


def answer(question: str) -> None:
    log = logging.getLogger("app.notebook")
    log.info("answering", stack_info=True, extra=codes())
    log.debug("answering %d", len(question), stack_info=True)
    if not question.isdigit():
        raise ValueError("no number")


def emit() -> None:
    log = logging.getLogger("app.notebook")
    for ask in (
        lambda: answer("Is my saffronlea rash catching?"),
        lambda: answer("Who is nightjarford?"),
    ):
        try:
            ask()
        except ValueError:
            log.exception("failed", stack_info=True, extra=codes(error=True))
