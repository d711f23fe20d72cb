"""What the guard covers of handlers: mixins, methods of any kind, the handled exception, other people's patches."""

from __future__ import annotations

import io
import logging
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import discreet
from discreet import covers
from discreet.seal.record import SealedRecord

QUESTION = "Which of the two lighthouses did Frederica's aunt paint?"


@pytest.fixture
def log() -> logging.Logger:
    found = logging.Logger("tests.choke")
    found.setLevel(logging.DEBUG)
    return found


class Direct:
    """A mixin that hands records on itself; none of logging's classes."""

    def handle(self, record: Any) -> Any:
        seen.append(record)
        return record


class Mixed(Direct, logging.Handler):
    """Gets its `handle` from the mixin."""


class Duck:
    """Used as a handler, and none."""

    level = 0

    def handle(self, record: Any) -> None:
        seen.append(record)


class Static(logging.Handler):
    """Handles without itself."""

    @staticmethod
    def handle(record: Any) -> None:  # type: ignore[override]
        seen.append(record)


class OfClass(logging.Handler):
    """Handles by its class."""

    @classmethod
    def handle(cls, record: Any) -> None:  # type: ignore[override]
        seen.append(record)


class Emitting(logging.Handler):
    """Keeps what it gets."""

    def emit(self, record: logging.LogRecord) -> None:
        seen.append(record)


class Formatting(logging.StreamHandler[Any]):
    """Has a format of its own."""

    def format(self, record: logging.LogRecord) -> str:
        seen.append(record)
        return record.getMessage()


def of_instance() -> logging.Handler:
    handler = logging.Handler()
    handler.handle = seen.append  # type: ignore[method-assign, assignment]
    return handler


seen: list[Any] = []
KINDS: list[Callable[[], Any]] = [Mixed, Duck, Static, OfClass, Emitting, Formatting, of_instance]


@pytest.fixture(autouse=True)
def _nothing_seen() -> None:
    seen.clear()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_every_kind_of_handler_gets_sealed_records(kind: Callable[[], Any], when: str) -> None:
    """Attached before install or after it; afterwards each is as it was."""
    log = logging.getLogger("tests.covers")
    log.propagate = False
    handler = kind()
    before = dict(vars(type(handler))), dict(vars(handler))
    if when == "before":
        log.addHandler(handler)
    discreet.install()
    if when == "after":
        log.addHandler(handler)
    log.error("Asked %s", QUESTION)
    assert [type(record) for record in seen] == [SealedRecord]
    discreet.uninstall()
    assert (dict(vars(type(handler))), dict(vars(handler))) == before


@pytest.mark.parametrize("handler", [Emitting(), Formatting(io.StringIO())])
def test_an_emit_that_is_called_directly_gets_sealed_records(handler: logging.Handler) -> None:
    """As by a filter that hands records to a second handler."""
    discreet.install()
    handler.emit(logging.makeLogRecord({"msg": QUESTION}))
    assert [type(record) for record in seen] == [SealedRecord]


def test_a_mixin_keeps_working_where_it_is_no_handlers() -> None:
    """What isn't a record is handed on as it is, by any way of calling."""
    discreet.install()
    request = object()
    assert Direct().handle(request) is request
    assert Direct().handle(record=request) is request


def test_the_exception_being_handled_is_a_stand_in_for_handlers(log: logging.Logger) -> None:
    """Also where the record has none; afterwards it is the real one again."""
    found: list[Any] = []

    class Reporting(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = sys.exception()
            found.append((error, traceback.format_exc(), getattr(error, "__context__", None)))

    class Older(Reporting):
        def handle(self, record: logging.LogRecord) -> bool:
            self.emit(record)
            return True

    log.addHandler(Reporting())
    log.addHandler(Older())
    discreet.install()
    error = KeyError(QUESTION)
    try:
        raise error
    except KeyError:
        log.error("Failed")
        log.exception("Failed")
        assert sys.exception() is error
    assert error.__context__ is None
    for one, text, context in found:
        assert (type(one).__name__, one is error, context) == ("KeyError", False, None)
        assert text.startswith("Traceback")
        assert "Frederica" not in text
        assert "covers" not in text.replace("test_choke_covers", "").replace("tests.covers", "")
    log.info("Ready")
    assert found[-1][0] is None


def test_a_handlers_failure_comes_out_as_before(log: logging.Logger) -> None:
    """It is the handler's own exception."""

    class Failing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            raise LookupError

    log.addHandler(Failing())
    discreet.install()
    try:
        raise ValueError(QUESTION)
    except ValueError:
        with pytest.raises(LookupError) as caught:
            log.info("Ready")
    assert "Frederica" not in "".join(traceback.format_exception(caught.value))


def test_strict_seals_what_the_loggers_filters_made(log: logging.Logger, monkeypatch: pytest.MonkeyPatch) -> None:
    """They see the original, and what they write is sealed for a tool that hooks callHandlers."""
    monkeypatch.setattr(logging.Logger, "callHandlers", lambda _, record: seen.append(record))
    discreet.install(strict=True)
    args: list[Any] = []

    def writing(record: logging.LogRecord) -> bool:
        args.append(record.args)
        record.question = QUESTION
        record.msg = f"{QUESTION} {record.msg}"
        return True

    log.addFilter(writing)
    log.info("Ready for %s", QUESTION)
    assert args == [(QUESTION,)]
    assert type(seen[0]) is SealedRecord
    assert "Frederica" not in repr(vars(seen[0]))


@pytest.mark.parametrize(("owner", "name"), [(logging.Logger, "handle"), (logging.Handler, "format")])
def test_somebody_elses_patch_in_between_calls_nobody_twice(
    owner: Any, name: str, log: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second install goes around it; the first one's method stays what it was for it."""
    stream = io.StringIO()
    log.addHandler(logging.StreamHandler(stream))
    discreet.install(strict=True)
    theirs = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda self, record: theirs(self, record))
    for _ in range(3):
        discreet.uninstall()
        discreet.install(strict=True)
    log.info("Asked %s", QUESTION)
    assert stream.getvalue() == "Asked <str 16-63>\n"


def test_a_filter_after_a_guard_of_one_handler_writes_nothing_onto_the_record(log: logging.Logger) -> None:
    """The guard moves behind it; taken off, it is gone."""

    def writing(record: logging.LogRecord) -> bool:
        record.question = QUESTION
        vars(record)["other"] = QUESTION
        return True

    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(question)s %(other)s %(message)s"))
    guard = discreet.ContentGuard(scope="handler")
    handler.addFilter(guard)
    handler.addFilter(writing)
    log.addHandler(handler)
    for _ in range(3):
        log.info("Ready")
    assert stream.getvalue() == "<str 16-63> <str 16-63> Ready\n" * 3
    assert handler.filters == [writing, guard]
    handler.removeFilter(guard)
    log.info("Ready")
    assert stream.getvalue().endswith(f"{QUESTION} {QUESTION} Ready\n")


def test_where_nothing_can_be_made_any_more_nothing_comes_out(
    log: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Near the limit of the stack the handler gets a record that was made beforehand."""

    def starving(*_: Any) -> Any:
        raise RecursionError

    log.addHandler(Emitting())
    discreet.install()
    monkeypatch.setattr(covers, "record_for", starving)
    log.info("Asked %s", QUESTION)
    assert [record.getMessage() for record in seen] == ["<record withheld: the guard failed>"]
