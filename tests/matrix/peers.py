"""Packages that redact records, each set up as its README says."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.matrix import rows
from tests.matrix.carriers import FIELDS, to_root


@contextmanager
def hushlog(out: Path, url: str) -> Iterator[Any]:
    """Its JSON formatter, and its patch of all handlers."""
    import hushlog

    handler = logging.StreamHandler()
    handler.setFormatter(hushlog.RedactingJsonFormatter.from_config(fmt=" ".join(f"%({name})s" for name in FIELDS)))
    log = to_root(handler)
    hushlog.patch()
    yield log


@contextmanager
def logprivacy(out: Path, url: str) -> Iterator[Any]:
    """Its safe loggers for every logger of the program, and its safe `print`."""
    from logprivacy import get_safe_logger, safe_print

    logging.basicConfig(level=logging.INFO)
    logging.captureWarnings(capture=True)
    vars(rows)["print"] = safe_print
    for name in ("httpx", "verbatim_core.extractors", "parcelpost.tracker", "py.warnings", "root"):
        get_safe_logger(name)
    yield get_safe_logger("app")


@contextmanager
def loggingredactor(out: Path, url: str) -> Iterator[Any]:
    """Its filter with all that it knows, on a handler of python-json-logger."""
    from loggingredactor import CommonPIIRedactingFilter
    from pythonjsonlogger.json import JsonFormatter

    handler = logging.StreamHandler()
    handler.addFilter(CommonPIIRedactingFilter())
    handler.setFormatter(JsonFormatter(FIELDS))
    yield to_root(handler)
