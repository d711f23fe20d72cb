"""Where a text can stand: each row logs it there, with a logger of logging, structlog or loguru."""

from __future__ import annotations

import asyncio
import logging
import threading
import warnings
from collections.abc import Callable
from typing import Any

import structlog

from tests.matrix import parcels
from tests.matrix.failures import FAILURES, Question
from tests.matrix.sentences import sentence

Row = Callable[[Any, str], None]
ENDED = "Row %d ended"


def _logged(name: str) -> Row:
    fail = FAILURES[name]

    def row(log: Any, text: str) -> None:
        try:
            fail(text)
        except Exception:
            log.exception("Failed")

    return row


def message(log: Any, text: str) -> None:
    log.warning(f"Asked {text} first")
    log.info(f"Asked {text!r:>200} of {len(text)}")
    log.error("Asked " + text)
    log.warning("Asked {}".format(text))
    log.warning("Asked %s" % text)
    log.critical("\n".join(text.split()))
    log.warning(text)


def argument(log: Any, text: str) -> None:
    log.warning("Asked %s first", text)
    log.info("Asked %r and %-200s", text, text)
    log.error("Asked %a in %d ms, %.60s", text, 12, text)
    log.warning(text + " %s", 3)


def mapping(log: Any, text: str) -> None:
    log.warning("Asked %(question)s first", {"question": text})


def extra(log: Any, text: str) -> None:
    log.warning("Asked", extra={"question": text})
    log.error("Asked", extra={"question": [text], "prompt": {"text": text}, "event": text, "error_code": text})


def extra_key(log: Any, text: str) -> None:
    log.warning("Asked", extra={text: 1})


def exception_argument(log: Any, text: str) -> None:
    log.warning("Failed: %s", ValueError(text))


def nested(log: Any, text: str) -> None:
    log.warning("Got %s", [{"chunks": (text, {"more": [text]})}])


def object_str(log: Any, text: str) -> None:
    log.warning("Asked %s first", Question(text))


def object_message(log: Any, text: str) -> None:
    log.warning(Question(text))


def of_bytes(log: Any, text: str) -> None:
    log.warning("Got %s", text.encode())


def with_contract(log: Any, text: str) -> None:
    import httpx

    transport = httpx.MockTransport(lambda request: httpx.Response(200))
    with httpx.Client(transport=transport) as client:
        client.get(f"https://api.example.com/notes/{text}", params={"q": text})
    logging.getLogger("verbatim_core.extractors").warning(f"Span not found verbatim in document: '{text}...'")


def without_contract(log: Any, text: str) -> None:
    parcels.track(text)


def root_logger(log: Any, text: str) -> None:
    logging.getLogger().warning("Asked %s first", text)


def warned(log: Any, text: str) -> None:
    warnings.warn(f"Don't ask {text}", stacklevel=1)


def thread_name(log: Any, text: str) -> None:
    thread = threading.Thread(target=lambda: log.warning("In a thread"), name=text)
    thread.start()
    thread.join()


def task_name(log: Any, text: str) -> None:
    async def work() -> None:
        log.warning("In a task")

    async def main() -> None:
        await asyncio.create_task(work(), name=text)

    asyncio.run(main())
    FAILURES["task name"](text)


def logger_name(log: Any, text: str) -> None:
    logging.getLogger(f"app.{text}").warning("Named")


def bad_format(log: Any, text: str) -> None:
    log.warning("Got %d", text)


def printed(log: Any, text: str) -> None:
    print("Asked", text)


ROWS: dict[str, Row] = {
    "message, f-string": message,
    "`%s` argument": argument,
    "dict argument": mapping,
    "`extra`": extra,
    "key of `extra`": extra_key,
    "exception": _logged("exception"),
    "cause": _logged("cause"),
    "context": _logged("context"),
    "suppressed context": _logged("suppressed context"),
    "notes": _logged("notes"),
    "exception group": _logged("exception group"),
    "local variable": _logged("local variable"),
    "exception as argument": exception_argument,
    "nested containers": nested,
    "object's `__str__`": object_str,
    "object as message": object_message,
    "bytes": of_bytes,
    "library with a contract": with_contract,
    "library without one": without_contract,
    "root logger": root_logger,
    "`warnings.warn`": warned,
    "thread name": thread_name,
    "task name": task_name,
    "logger name": logger_name,
    "bad format": bad_format,
    "`print`": printed,
}
"""How logging says it; the name of a row is that of the table."""

UNCAUGHT: dict[str, Callable[[str], None]] = {
    **FAILURES,
    "`warnings.warn`": lambda text: warned(None, text),
    "`print`": lambda text: printed(None, text),
}
"""What a row does where nothing logs: it fails, warns or prints."""


def _pair(log: Any, text: str) -> None:
    log.warning("Asked", question=text)


def _pair_key(log: Any, text: str) -> None:
    log.warning("Asked", **{text: 1})


def _structlog_name(log: Any, text: str) -> None:
    structlog.get_logger(f"app.{text}").warning("Named")
    logger_name(log, text)


STRUCTLOG: dict[str, Row] = ROWS | {
    "`extra`": _pair,
    "key of `extra`": _pair_key,
    "logger name": _structlog_name,
}
"""How structlog says it; what has nothing to do with its own loggers is logging's."""


def _braces(log: Any, text: str) -> None:
    log.warning("Asked {} first", text)


def _braces_mapping(log: Any, text: str) -> None:
    log.warning("Asked {question} first", question=text)


def _bound(log: Any, text: str) -> None:
    log.bind(question=text).warning("Asked")


def _bound_key(log: Any, text: str) -> None:
    log.bind(**{text: 1}).warning("Asked")


def _braces_exception(log: Any, text: str) -> None:
    log.warning("Failed: {}", ValueError(text))


def _braces_nested(log: Any, text: str) -> None:
    log.warning("Got {}", [{"chunks": (text, {"more": [text]})}])


def _braces_object(log: Any, text: str) -> None:
    log.warning("Asked {} first", Question(text))


def _braces_bytes(log: Any, text: str) -> None:
    log.warning("Got {}", text.encode())


def _braces_bad(log: Any, text: str) -> None:
    log.warning("Got {:d}", text)


LOGURU: dict[str, Row] = ROWS | {
    "`%s` argument": _braces,
    "dict argument": _braces_mapping,
    "`extra`": _bound,
    "key of `extra`": _bound_key,
    "exception as argument": _braces_exception,
    "nested containers": _braces_nested,
    "object's `__str__`": _braces_object,
    "bytes": _braces_bytes,
    "bad format": _braces_bad,
}
"""How loguru says it."""


def run(rows: dict[str, Row], log: Any) -> None:
    """Run all rows, each with its sentence, and mark the end of each."""
    for number, row in enumerate(rows.values()):
        try:
            row(log, sentence(number))
        except (TypeError, ValueError):
            # What structlog and loguru make of a format that doesn't fit: the caller's own affair.
            log.error("Row did not come to its end")
        ended(log, number)


def ended(log: Any, number: int) -> None:
    """Mark the end of a row: an output without its mark has lost something."""
    if type(log).__module__.startswith("loguru"):
        log.error("Row {} ended", number)
    elif isinstance(log, logging.Logger):
        log.error("Row %d ended", number, extra={"row": number})
    else:
        log.error("Row %d ended", number)
