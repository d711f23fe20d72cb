"""Ways around the choke point that somebody found: what handlers and formatters write, read and hand on."""

from __future__ import annotations

import io
import logging
import pickle
import threading
import time
from typing import Any

import pytest

import discreet
from discreet.seal import sealing

QUESTION = "Which of the two lighthouses did Frederica's aunt paint?"


@pytest.fixture
def log() -> logging.Logger:
    found = logging.Logger("tests.choke")
    found.setLevel(logging.DEBUG)
    return found


def plain(log: logging.Logger, formatter: logging.Formatter) -> io.StringIO:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    log.addHandler(handler)
    return stream


class Writing(logging.Formatter):
    """Puts something on the record, as Flask's documentation does with the request."""

    def __init__(self, *values: Any) -> None:
        super().__init__("%(written)s %(message)s")
        self.values = list(values)

    def format(self, record: logging.LogRecord) -> str:
        record.written = self.values.pop(0)
        return super().format(record)


def test_what_a_formatter_writes_onto_the_record_is_a_placeholder(log: logging.Logger) -> None:
    """Texts and objects go; numbers of up to seven digits, colours and what the record has already stay."""
    stream = plain(
        log, Writing(QUESTION, [QUESTION], 7, 2.5, None, True, "\x1b[31mINFO\x1b[0m", "\x1b[31m" + QUESTION, 4930123456)
    )
    discreet.install()
    for _ in range(9):
        log.info("Ready")
    assert stream.getvalue().splitlines() == [
        "<str 16-63> Ready",
        "<list> Ready",
        "7 Ready",
        "2.5 Ready",
        "None Ready",
        "True Ready",
        "\x1b[31mINFO\x1b[0m Ready",
        "<str 16-63> Ready",
        "<int> Ready",
    ]


def test_a_formatter_may_write_its_own_constants(log: logging.Logger) -> None:
    """Told by identity: the same text from elsewhere is no constant of the formatter's."""

    class Marking(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            record.icon = "(!) " if record.levelno > logging.INFO else "(i) "
            record.other = "".join(list("(ii)"))
            return super().format(record)

    stream = plain(log, Marking("%(icon)s%(message)s %(other)s"))
    discreet.install()
    log.info("Ready")
    log.warning("Late")
    assert stream.getvalue() == "(i) Ready <str 1-15>\n(!) Late <str 1-15>\n"


@pytest.mark.parametrize("form", ["%d/%b/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%A, %I:%M %p", None])
def test_a_formatter_may_write_the_time_of_the_record(log: logging.Logger, form: str | None) -> None:
    """As Django's server does; another time is somebody's, perhaps a birthday."""

    class Server(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            record.server_time = self.formatTime(record, form)
            record.birthday = time.strftime("%Y-%m-%d", time.gmtime(record.created - 9_000 * 86_400))
            return super().format(record)

    stream = plain(log, Server("[%(server_time)s] %(birthday)s %(message)s"))
    discreet.install()
    log.info("Ready")
    assert "str" not in stream.getvalue().partition("]")[0]
    assert stream.getvalue().partition("] ")[2] == "<str 1-15> Ready\n"


def test_names_of_our_own_can_be_written_and_change_nothing(log: logging.Logger) -> None:
    """A formatter that sets `extras`, `made` or `sealed` neither fails nor gets at ours."""

    class Naming(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            record.extras = record.made = record.sealed = QUESTION
            return super().format(record)

    stream = plain(log, Naming("%(extras)s %(made)s %(sealed)s %(message)s"))
    after = plain(log, logging.Formatter("%(message)s"))
    discreet.install(strict=True)
    log.info("Ready")
    assert stream.getvalue() == "<str 16-63> <str 16-63> <str 16-63> Ready\n"
    assert after.getvalue() == "Ready\n"


def test_what_is_written_onto_a_record_for_our_formatter_goes_no_further(log: logging.Logger) -> None:
    """Neither to a handler that gets the record next nor into a pickle."""
    seen: list[Any] = []

    class Tee(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append((record.getMessage(), vars(record).get("question"), pickle.dumps(record)))

    tee = Tee()

    class Mixed(logging.StreamHandler[Any]):
        pass

    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(discreet.JsonFormatter())
    emit = handler.emit

    def emitting(record: logging.LogRecord) -> None:
        vars(record)["question"] = QUESTION
        record.msg = QUESTION
        emit(record)
        tee.handle(record)

    handler.emit = emitting  # type: ignore[method-assign]
    log.addHandler(handler)
    discreet.install()
    log.info("Ready")
    assert seen[0][:2] == ("Ready", None)
    assert b"Frederica" not in seen[0][2]


def test_a_record_that_a_filter_renames_is_sealed_anew() -> None:
    """What was kept for a content logger's DEBUG record isn't used for one of another level or logger."""
    record = logging.LogRecord("verbatim_core.content", logging.DEBUG, __file__, 1, "Asked", None, None)
    first = sealing.seal(record)
    assert sealing.seal(record) is first
    record.levelno = logging.INFO
    assert sealing.seal(record).levelno == logging.INFO
    record.name = "root"
    assert sealing.seal(record).logger == "root"


def test_logger_names_are_accepted_at_the_first_set_up_only(log: logging.Logger) -> None:
    """Those that customers have named meanwhile are none of the program's."""
    name = "".join(list("frederica_aunt"))
    stream = plain(log, logging.Formatter("%(name)s"))
    discreet.install()
    logging.getLogger(name)
    discreet.uninstall()
    discreet.install()
    log.handle(logging.makeLogRecord({"name": name, "msg": "Ready", "levelno": logging.INFO}))
    assert stream.getvalue() == "<str 1-15>\n"


def test_two_threads_may_complain_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that finds nothing left to say says nothing."""

    class Emptied(list[Any]):
        def __bool__(self) -> bool:
            return True

    monkeypatch.setattr(sealing, "_pending", Emptied())
    sealing.seal(logging.makeLogRecord({"msg": "Ready"}))


def test_nothing_is_logged_while_a_handlers_lock_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two threads that did would wait for each other; it is said with the next record outside."""
    said: list[str] = []
    monkeypatch.setattr(sealing, "_pending", [lambda: said.append("once")])
    handler = logging.StreamHandler(io.StringIO())
    handler.acquire()
    try:
        sealing.seal(logging.makeLogRecord({"msg": "Ready"}))
        assert said == []
        other = threading.Thread(target=sealing.seal, args=(logging.makeLogRecord({"msg": "Set"}),))
        other.start()
        other.join()
    finally:
        handler.release()
    assert said == ["once"]
