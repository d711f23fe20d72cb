"""C48: an InterceptHandler hands every record to loguru, which shows values of variables."""

import logging

from _common import OUT, codes, written

CASE = {
    "id": "C48",
    "group": "C",
    "kind": "both",
    "requires": ["loguru"],
    "right": ("loguru gets the sealed message, the caller's place and a stand-in of the exception."),
    "min_records": 3,
}
SECRETS = ["pratincola", "phalaropey"]


def _divide(question: str) -> float:
    return len(question) / (len(question) - len(question))


def emit() -> None:
    who = "pratincola"
    from loguru import logger

    class Intercept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            frame, depth = logging.currentframe(), 0
            while frame and (depth == 0 or frame.f_code.co_filename == logging.__file__):
                frame, depth = frame.f_back, depth + 1
            bound = logger.opt(depth=depth, exception=record.exc_info)
            bound.log(record.levelname, record.getMessage())

    logger.remove()
    logger.add(OUT / "loguru.log", backtrace=True, diagnose=True, format="{function} {message}")
    log = logging.getLogger("app.loguru")
    handler = Intercept()
    log.addHandler(handler)
    log.info("about %s", "pratincola", extra=codes(prompt="phalaropey"))
    log.info(f"about {who}")
    try:
        _divide("phalaropey")
    except ZeroDivisionError:
        log.exception("failed", extra=codes(error=True))
    log.removeHandler(handler)
    logger.remove()
    text = written("loguru.log")
    assert text.startswith("emit about ")
    assert "ZeroDivisionError" in text
