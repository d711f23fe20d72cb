"""The fixture that every other test relies on: logging is put back whole."""

from __future__ import annotations

import logging
import logging.config
import sys
import threading
from pathlib import Path

from tests.logging_state import LoggingState


def test_logging_is_put_back_whole(tmp_path: Path) -> None:
    """Whatever a configuration or a guard replaces is as before."""
    log = logging.getLogger("tests.put_back")
    before = LoggingState()

    logging.config.dictConfig(
        {
            "version": 1,
            "handlers": {"file": {"class": "logging.FileHandler", "filename": str(tmp_path / "log.txt")}},
            "root": {"level": "DEBUG", "handlers": ["file"]},
        }
    )
    stream = logging.root.handlers[0]
    log.addHandler(logging.StreamHandler())
    log.addFilter(lambda record: True)
    log.setLevel(7)
    log.propagate = False
    logging.disable(logging.ERROR)
    logging.addLevelName(logging.INFO, "NOTE")
    logging.captureWarnings(True)
    logging.setLogRecordFactory(lambda *args, **kwargs: logging.LogRecord(*args, **kwargs))
    logging.setLoggerClass(type("Special", (logging.Logger,), {}))
    logging.Handler.handle = lambda self, record: False
    logging.Logger.extra_method = lambda self: None
    logging.lastResort = None
    logging.raiseExceptions = False
    sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *args: None

    before.restore()

    assert LoggingState() == before
    assert isinstance(stream, logging.FileHandler)
    assert stream.stream is None
    assert not hasattr(logging.Logger, "extra_method")
    assert logging.getLevelName(logging.INFO) == "INFO"


def test_a_logger_made_in_a_test_keeps_only_its_silence() -> None:
    """Modules imported in a test hold their loggers, so those stay, without settings."""
    before = LoggingState()
    silence = logging.NullHandler()
    log = logging.getLogger("tests.made_here")
    log.addHandler(silence)
    log.addHandler(logging.StreamHandler())
    log.setLevel(logging.DEBUG)

    before.restore()

    assert logging.getLogger("tests.made_here") is log
    assert (log.handlers, log.level) == ([silence], logging.NOTSET)


def test_a_submodule_imported_meanwhile_stays() -> None:
    """Taking `logging.config` away again would break whoever imported it."""
    before = LoggingState()
    before.module.pop("config", None)

    before.restore()

    assert callable(logging.config.dictConfig)
