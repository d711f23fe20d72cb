"""What a program does in a configuration, all of it with a customer's sentence."""

from __future__ import annotations

import gc
import logging
import sys
import threading
import warnings
from typing import Any

import discreet

SENTENCE = "Emeralds lie under the jetty of Saltmarsh"


class Failing:
    """Fails when it is thrown away."""

    def __del__(self) -> None:
        raise ValueError(SENTENCE)


def fail() -> None:
    """Raise with the sentence."""
    raise LookupError(SENTENCE)


def live() -> None:
    """Send the sentence down every way that a program has."""
    for name in ("", "app", "app.audit", "app.own", "verbatim_core.content", "answers_compiled"):
        logger = logging.getLogger(name)
        logger.error(f"Asked {SENTENCE}")
        logger.error("Asked %s", SENTENCE, extra={"question": SENTENCE, "tenant": SENTENCE.lower().replace(" ", "")})
        logger.error("Asked %s in %d ms", SENTENCE)
        logger.debug("Asked %s", SENTENCE)
        try:
            fail()
        except LookupError:
            logger.exception("Failed")
    with discreet.customer_text(question="Where is the key of the boat house?"):
        logging.getLogger("app").error("Asked %s", SENTENCE)
    logging.LoggerAdapter(logging.getLogger("app"), {"question": SENTENCE}).error(SENTENCE)
    for handler in [one() for one in logging._handlerList]:  # type: ignore[attr-defined]
        if type(handler).__name__ in ("Keeping", "MemoryHandler"):
            handler.handle(logging.makeLogRecord({"msg": SENTENCE, "levelno": logging.ERROR}))
            handler.flush()
    logging.getLogger("app").handlers.clear()
    logging.getLogger("app").propagate = False
    logging.getLogger("app").error(SENTENCE)
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    try:
        fail()
    except LookupError:
        kind, exc, traceback = sys.exc_info()
        assert kind is not None
        assert exc is not None
        sys.excepthook(kind, exc, traceback)
    Failing()
    gc.collect()
    warnings.warn(SENTENCE, stacklevel=1)
    print(SENTENCE)
    print(SENTENCE, file=sys.stderr)
    _tools()


def _tools() -> None:
    structlog: Any = sys.modules.get("structlog")
    if structlog is not None:
        structlog.get_logger().info(SENTENCE)
    loguru: Any = sys.modules.get("loguru")
    if loguru is not None:
        loguru.logger.info(SENTENCE)
    from opentelemetry import trace

    with trace.get_tracer("app").start_as_current_span(SENTENCE) as span:
        span.set_attribute("question", SENTENCE)
    logs: Any = sys.modules.get("opentelemetry._logs")
    if logs is not None:
        logs.get_logger_provider().get_logger("app").emit(body=SENTENCE)
    sentry: Any = sys.modules.get("sentry_sdk")
    if sentry is not None:
        sentry.flush()
