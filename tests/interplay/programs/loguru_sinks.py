"""loguru on both sides: fed by logging (`intercept`), and feeding a handler of logging (`feeding`)."""

from __future__ import annotations

import logging
import sys

from loguru import logger

import discreet
from tests.interplay.calls import LOGGER, SENTENCES, fail, work

logger.remove()
way = sys.argv[1]


class InterceptHandler(logging.Handler):
    """As loguru's documentation has it."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            level: str | int = logger.level(record.levelname).name
        except ValueError:
            level = record.levelno
        frame, depth = logging.currentframe(), 0
        while frame and (depth == 0 or frame.f_code.co_filename == logging.__file__):
            frame = frame.f_back
            depth += 1
        logger.opt(depth=depth, exception=record.exc_info).log(level, record.getMessage())


class Propagating(logging.Handler):
    """The other way round, from there too."""

    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger(record.name).handle(record)


discreet.configure(json="ours.jsonl", attributes={"shard": "int"})
if way == "intercept":
    logger.add("loguru.log", format="{level} {name}:{function} {message}", backtrace=True, diagnose=True)
    logger.add("loguru.jsonl", serialize=True, backtrace=True, diagnose=True)
    logging.root.addHandler(InterceptHandler())
    work(logging.getLogger(LOGGER))
else:
    # loguru formats before it hands on, with the values of variables in tracebacks.
    sink = Propagating() if way == "propagating" else discreet.JsonHandler(filename="sink.jsonl")
    logger.add(sink, format="{message}", backtrace=True, diagnose=True)
    question = SENTENCES[0]
    logger.warning(f"Asked {question}")
    logger.warning("Asked {}", SENTENCES[1], prompt=SENTENCES[2])
    try:
        fail()
    except ValueError:
        logger.bind(chunk=SENTENCES[3]).exception("Failed")
logger.remove()
