"""The choke point: what handlers, filters and formatters of other packages see."""

from __future__ import annotations

import io
import logging
import logging.handlers
import pickle
import queue
import sys

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.seal.record import SealedRecord

QUESTION = "Is my grandmother allowed to take ibuprofen with warfarin?"


class Keeping(logging.Handler):
    """Keeps what its emit gets."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


class OverridingHandle(Keeping):
    """A handler that has a `handle` of its own, as some agents have."""

    def handle(self, record: logging.LogRecord) -> bool:
        self.records.append(record)
        return True


@pytest.fixture
def log() -> logging.Logger:
    # Not in logging's tree, where pytest would hang its capturing handlers on it.
    found = logging.Logger("tests.choke")
    found.setLevel(logging.DEBUG)


    return found


def plain(log: logging.Logger, fmt: str = "%(message)s", style: str = "%", **options: object) -> io.StringIO:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter(fmt, style=style, **options))
    log.addHandler(handler)
    return stream


def test_a_plain_stream_handler_prints_only_what_is_proven(log: logging.Logger) -> None:
    """Literals and numbers stay, customer text goes, the exception keeps type and frames."""
    stream = plain(log)
    discreet.install()
    log.info("found %d chunks for %s", 3, QUESTION)
    try:
        raise ValueError(QUESTION)
    except ValueError:
        log.exception("failed")
    out = stream.getvalue()
    assert out.splitlines()[0] == "found 3 chunks for <str 16-63>"
    assert out.splitlines()[1:3] == ["failed", "Traceback (most recent call last):"]
    assert out.splitlines()[-1] == "ValueError"
    assert "ibuprofen" not in out


def test_the_handlers_own_filters_see_the_original(log: logging.Logger) -> None:
    """An operator's filter on arguments works as before, and the record is not changed."""
    seen = []
    handler = Keeping()

    def only_health(record: logging.LogRecord) -> bool:
        seen.append(record)
        return record.args[0] != "/health"

    handler.addFilter(only_health)
    log.addHandler(handler)
    discreet.install()
    log.info("GET %s", "/health")
    log.info("GET %s", QUESTION)
    assert [record.args for record in seen] == [("/health",), (QUESTION,)]
    assert [type(record) for record in handler.records] == [SealedRecord]
    assert handler.records[0].getMessage() == "GET <str 16-63>"
    assert handler.records[0].args == ("<str 16-63>",)


def test_handlers_that_override_handle_get_sealed_copies_however_they_come(log: logging.Logger) -> None:
    """A class made before or after install, added by addHandler or past it."""
    before = OverridingHandle()
    log.addHandler(before)
    discreet.install()

    class Later(OverridingHandle):
        def handle(self, record: logging.LogRecord) -> bool:
            self.records.append(record)
            return True

    later = Later()
    log.handlers.append(later)
    log.info("asked %s", QUESTION)
    assert [type(handler.records[0]) for handler in (before, later)] == [SealedRecord, SealedRecord]


def test_a_format_string_gets_the_fields_that_it_names(log: logging.Logger) -> None:
    """An undeclared extra that a format asks for is shown as a placeholder; others are not on the record."""
    percent = plain(log, "%(correlation_id)s %(attempt)d %(message)s")
    brace = plain(log, "{correlation_id} {message}", style="{")
    dollar = plain(log, "$correlation_id $message", style="$")
    with_default = plain(log, "%(absent)s %(message)s", defaults={"absent": "-"})
    kept = Keeping()
    log.addHandler(kept)
    discreet.install()
    log.info("step", extra={"correlation_id": QUESTION, "attempt": 3})
    assert percent.getvalue() == "<str 16-63> 3 step\n"
    assert brace.getvalue() == "<str 16-63> step\n"
    assert dollar.getvalue() == "<str 16-63> step\n"
    assert with_default.getvalue() == "- step\n"
    assert "correlation_id" not in vars(kept.records[0])
    assert kept.records[0].correlation_id == "<str 16-63>"


def test_a_failing_handler_tells_only_classes_on_stderr(
    log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """logging's own report would print the exception's text, source lines, message and arguments."""

    class Failing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            try:
                raise KeyError(QUESTION)
            except KeyError:
                self.handleError(record)

    log.addHandler(Failing())
    discreet.install()
    name = f"{__name__}.{Failing.__qualname__}"
    before = LEDGER.sink(f"handler {name}").missing
    log.info("asked %s", QUESTION)
    assert capsys.readouterr().err == (
        f"--- Logging error --- {name} failed with KeyError on logger tests.choke\n"
    )
    assert LEDGER.sink(f"handler {name}").missing == before + 1


def test_a_bad_format_is_rendered_without_its_arguments(
    log: logging.Logger, capsys: pytest.CaptureFixture[str]
) -> None:
    """A %d for a text and a missing argument neither raise nor reach stderr."""
    stream = plain(log)
    discreet.install()
    log.info("ranked %d of %d", QUESTION, 7)
    log.info("ranked %d of %d", 1)
    log.info("ranked", 1)
    assert stream.getvalue() == "ranked <str 16-63> of 7\nranked 1 of <missing>\nranked\n"
    assert capsys.readouterr().err == ""


def test_the_last_resort_is_guarded(log: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    """A logger without handlers prints warnings to stderr by logging's own handler."""
    discreet.install()
    log.warning("slow answer for %s", QUESTION)
    assert capsys.readouterr().err == "slow answer for <str 16-63>\n"


def test_a_queue_carries_sealed_records(log: logging.Logger) -> None:
    """What a QueueHandler enqueues is sealed, and a listener's handlers take it as it is."""
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    log.addHandler(logging.handlers.QueueHandler(waiting))
    stream = io.StringIO()
    sink = discreet.JsonHandler(stream=stream)
    listener = logging.handlers.QueueListener(waiting, sink)
    discreet.install()
    listener.start()
    log.info("found %d chunks for %s", 3, QUESTION)
    listener.stop()
    assert '"message":"found 3 chunks for <str 16-63>"' in stream.getvalue()


def test_uninstall_puts_everything_back() -> None:
    """No method of logging is ours any more, and an install after it works again."""
    before = (
        logging.Handler.handle,
        logging.Handler.handleError,
        logging.Logger.handle,
        logging.Logger.addHandler,
        OverridingHandle.handle,
        "__init_subclass__" in vars(logging.Handler),
    )
    for _ in range(2):
        discreet.install(strict=True)
        discreet.install()
        assert logging.Handler.handle is not before[0]
        discreet.uninstall()
        assert before == (
            logging.Handler.handle,
            logging.Handler.handleError,
            logging.Logger.handle,
            logging.Logger.addHandler,
            OverridingHandle.handle,
            "__init_subclass__" in vars(logging.Handler),
        )


def test_strict_seals_before_any_hook_on_call_handlers(log: logging.Logger, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that reads records in callHandlers gets sealed ones."""
    seen: list[logging.LogRecord] = []
    original = logging.Logger.callHandlers

    def hook(self: logging.Logger, record: logging.LogRecord) -> None:
        seen.append(record)
        original(self, record)

    monkeypatch.setattr(logging.Logger, "callHandlers", hook)
    stream = plain(log)
    discreet.install(strict=True)
    log.info("asked %s", QUESTION)
    assert [type(record) for record in seen] == [SealedRecord]
    assert stream.getvalue() == "asked <str 16-63>\n"


def test_a_walker_of_frames_still_finds_the_caller(log: logging.Logger) -> None:
    """Code that stops at the first frame outside logging's file must not stop at ours."""
    found = []

    class Walking(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            frame = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename == logging._srcfile:
                frame = frame.f_back
            found.append(frame.f_code.co_name)

    log.addHandler(Walking())
    discreet.install()
    log.info("here")
    assert found == ["test_a_walker_of_frames_still_finds_the_caller"]


def test_a_content_record_goes_whole_to_local_handlers_only() -> None:
    """A queue, a socket or an unknown handler may lead off the machine: they get the sealed form."""
    content = logging.getLogger("verbatim_core.content")
    content.setLevel(logging.DEBUG)
    content.propagate = False
    local = io.StringIO()
    foreign = Keeping()
    content.addHandler(logging.StreamHandler(local))
    content.addHandler(foreign)
    discreet.install()
    content.debug("question: %s", QUESTION)
    assert local.getvalue() == f"question: {QUESTION}\n"
    record = foreign.records[0]
    assert record.getMessage() == "question: <str 16-63>"
    assert "ibuprofen" not in repr((vars(record), record.sealed, pickle.dumps(record)))
