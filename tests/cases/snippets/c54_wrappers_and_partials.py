"""C54: logging through helpers: wrappers with and without stacklevel, decorators, partials, map."""

import functools
import logging
import operator
from collections.abc import Callable
from typing import Any

from _common import codes

CASE = {
    "id": "C54",
    "group": "C",
    "kind": "leak",
    "right": ("Between the text and `logging` any number of functions may stand; the text stays out."),
    "min_records": 9,
}
SECRETS = ["chiffchaffe", "nightingalen"]
LOG = logging.getLogger("app.helpers")


def tell(message: str, *args: object) -> None:
    LOG.info(message, *args, stacklevel=2)


def tell_here(message: str, **fields: object) -> None:
    LOG.info(message, extra=codes(**fields))


def traced(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def inner(*args: Any, **kwargs: Any) -> Any:
        LOG.debug(f"{function.__name__} was called with {args} {kwargs}", stacklevel=2)
        LOG.debug("%s gave %r", function.__name__, result := function(*args, **kwargs))
        return result

    return inner


@traced
def ask(question: str, context: str = "") -> str:
    return question + context


def emit() -> None:
    question = "chiffchaffe".title().lower()
    tell("What is " + question)
    tell(f"What is {question}")
    tell(f"What is {question} %s", "nightingalen")
    tell_here(question, prompt="nightingalen")
    tell_here(message=f"{question} asks")
    ask(question, context="nightingalen")
    functools.partial(LOG.info, f"partial {question}")()
    functools.partial(LOG.info, "%s and %s", question)("nightingalen")
    operator.methodcaller("info", question)(LOG)
    getattr(LOG, "in" + "fo")(question)
    list(map(LOG.warning, [question, "nightingalen"[:]]))
    LOG.info(str.join(" ", [question]), stacklevel=50)
    (lambda text: LOG.info(text, stacklevel=3))(question)  # noqa: PLC3002
