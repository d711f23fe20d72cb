"""What holds for every test: logging is as it was, and nothing outside has a say."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.logging_state import LoggingState

SOURCE = Path(__file__).parent.parent / "src"

# Needs the libraries whose objects it reads.
collect_ignore = [] if find_spec("attrs") and find_spec("pydantic") else ["test_text_fields.py"]


def _location() -> Path:
    spec = find_spec("discreet")
    return Path(spec.origin if spec is not None and spec.origin else "not importable")


def pytest_report_header() -> str:
    return f"discreet: {_location().parent}"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--load-seconds", type=float, default=60, help="how long services are under load, each of them")


def pytest_configure() -> None:
    """Hold the suite to the installed package where the caller says so.

    Raises:
        pytest.UsageError: The tests would run against the source tree.
    """
    if os.environ.get("EXPECT_INSTALLED") and _location().is_relative_to(SOURCE):
        raise pytest.UsageError(f"the installed package is to be tested, not {_location()}")
    # COLUMNS: processes that run tests in parallel are told that they have 80.
    for name in [name for name in os.environ if name.startswith("DISCREET_") or name == "COLUMNS"]:
        del os.environ[name]
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As in what a shell has put into the background: programs that tests start would ignore it too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # What a test logs is all that it gets; those of reports ask for them.
    os.environ["DISCREET_REPORT_EVERY"] = "0"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Write what was captured so that it can be sent to another process: lone surrogates can't.

    Returns:
        The report.
    """
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report


# What puts discreet itself back, where a test has imported it: module and function.
RESETS = (
    ("discreet.reporter", "reset"),
    ("discreet", "uninstall"),
    ("discreet.match_mode", "reset"),
    ("discreet.contract", "reset"),
    ("discreet.seal.names", "forget_loggers"),
    ("discreet.unknown_texts", "forget"),
)


@pytest.fixture(autouse=True)
def _restored_logging() -> Iterator[None]:
    """Undo whatever a test does to logging, to the hooks of `sys`, and to discreet."""
    state = LoggingState()
    yield
    for module, function in RESETS:
        reset = getattr(sys.modules.get(module), function, None)
        if reset is not None:
            reset()
    state.restore()
