"""ContentGuard: the guard of a process or of one handler, as a filter."""

from __future__ import annotations

import gc
import io
import json
import logging
import logging.handlers
import queue
import sys
import weakref
from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from discreet import guard
from discreet.choke import installed
from discreet.export.ledger import LEDGER
from discreet.seal.record import SealedRecord

QUESTION = "Whose umbrella stood in the widow's hall on the night of the storm?"
CONTENT = "verbatim_core.content"


@pytest.fixture(autouse=True)
def _fresh_ledger() -> Iterator[None]:
    LEDGER.clear()
    yield
    LEDGER.clear()


@pytest.fixture
def log() -> logging.Logger:
    # Not in logging's tree, where pytest would hang its capturing handlers on it.
    found = logging.Logger(__name__)
    found.setLevel(logging.DEBUG)
    return found


def plain(log: logging.Logger, fmt: str = "%(message)s", *filters: logging.Filter) -> io.StringIO:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter(fmt))
    for one in filters:
        handler.addFilter(one)
    log.addHandler(handler)
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in stream.getvalue().splitlines()]
    return [{key: value for key, value in line.items() if key != "timestamp"} for line in found]


def test_a_guard_of_the_process_guards_handlers_without_it(log: logging.Logger) -> None:
    """Its being there installs the guard; as a filter it lets every record pass unchanged."""
    stream = plain(log)
    found = discreet.ContentGuard()
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "Asked %s", (QUESTION,), None)
    before = dict(vars(record))
    assert found.filter(record) is True
    assert vars(record) == before
    log.info("Asked %s", QUESTION)
    assert (installed(), stream.getvalue()) == (True, "Asked <str 64-255>\n")


def test_a_guard_of_one_handler_guards_it_and_no_other(log: logging.Logger) -> None:
    """Handlers before it print what the program wrote, and nothing is installed."""
    first = plain(log)
    guarded = plain(log, "%(message)s", discreet.ContentGuard(scope="handler"))
    log.info("Asked %s", QUESTION)
    log.info(f"Asked {QUESTION} twice")
    assert first.getvalue() == f"Asked {QUESTION}\nAsked {QUESTION} twice\n"
    assert guarded.getvalue() == "Asked <str 64-255>\nAsked {QUESTION} twice\n"
    assert not installed()


def test_handlers_after_a_guarded_one_see_the_record_as_the_version_of_python_lets_them(log: logging.Logger) -> None:
    """From 3.12 the original; before, where a filter can't give a copy, the sealed record."""
    plain(log, "%(message)s", discreet.ContentGuard(scope="handler"))
    after = plain(log)
    log.info("Asked %s", QUESTION)
    assert after.getvalue() == (f"Asked {QUESTION}\n" if sys.version_info >= (3, 12) else "Asked <str 64-255>\n")


def test_our_own_sinks_say_the_same_after_a_guarded_handler(log: logging.Logger) -> None:
    """Sealing what is sealed changes nothing: message, bands, attributes, codes, exception and count."""

    def say() -> None:
        log.info("Asked %s for %d minutes", QUESTION, 3, extra={"captain": QUESTION, "event": "contract_loaded"})
        log.info(f"Asked {QUESTION} {1 + 2} times")
        log.info(QUESTION)
        try:
            raise ValueError(QUESTION)
        except ValueError:
            log.exception("Failed for %s", QUESTION)

    alone = io.StringIO()
    handler = discreet.JsonHandler(stream=alone)
    log.addHandler(handler)
    say()
    log.removeHandler(handler)
    guarded = plain(log, "%(message)s", discreet.ContentGuard(scope="handler"))
    after = io.StringIO()
    log.addHandler(discreet.JsonHandler(stream=after))
    say()
    assert lines(after) == lines(alone)
    assert "umbrella" not in guarded.getvalue() + after.getvalue()


def test_one_guard_serves_several_handlers_with_formats_of_their_own(log: logging.Logger) -> None:
    """In a dictConfig a filter is one object for all handlers that name it; each gets the fields it asks for."""
    shared = discreet.ContentGuard(scope="handler")
    captain = plain(log, "%(captain)s %(message)s", shared)
    boat = plain(log, "%(boat)s %(message)s", shared)
    log.info("Moored", extra={"captain": QUESTION, "boat": "Ida"})
    assert captain.getvalue() == "<str 64-255> Moored\n"
    assert boat.getvalue() == "<str 1-15> Moored\n"


def test_everything_of_a_record_is_sealed_for_the_guarded_handler(log: logging.Logger) -> None:
    """Exceptions keep their classes and places; notes, causes, extras and the stack's source lines go."""
    stream = plain(log, "%(levelname)s %(threadName)s %(customer)s %(message)s", discreet.ContentGuard(scope="handler"))
    try:
        try:
            raise KeyError(QUESTION)
        except KeyError as cause:
            error = ValueError(QUESTION)
            error.add_note(QUESTION)
            raise error from cause
    except ValueError:
        log.exception("Failed for %s", QUESTION, extra={"customer": QUESTION}, stack_info=True)
    out = stream.getvalue()
    assert out.splitlines()[0] == "ERROR MainThread <str 64-255> Failed for <str 64-255>"
    assert [line for line in out.splitlines() if line.startswith(("KeyError", "ValueError"))] == [
        "KeyError",
        "ValueError",
    ]
    assert "umbrella" not in out


def test_a_queue_gets_the_sealed_record(log: logging.Logger) -> None:
    """QueueHandler merges text and traceback into the message before anybody else could seal it."""
    waiting: queue.Queue[logging.LogRecord] = queue.Queue()
    handler = logging.handlers.QueueHandler(waiting)
    handler.addFilter(discreet.ContentGuard(scope="handler"))
    log.addHandler(handler)
    try:
        raise ValueError(QUESTION)
    except ValueError:
        log.exception("Failed for %s", QUESTION)
    assert "umbrella" not in repr(vars(waiting.get_nowait()))


def test_a_content_loggers_records_stay_whole_on_this_machine_only() -> None:
    """Opened by name, its DEBUG record is whole for a stream, and sealed for a handler that may send it away."""
    content = logging.getLogger(CONTENT)
    content.setLevel(logging.DEBUG)
    content.propagate = False

    class Sending(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            sent.append(record.getMessage())

    sent: list[str] = []
    sending = Sending()
    sending.addFilter(discreet.ContentGuard(scope="handler"))
    stream = plain(content, "%(message)s", discreet.ContentGuard(scope="handler"))
    content.addHandler(sending)
    content.debug("Question: %s", QUESTION)
    content.info("Question: %s", QUESTION)
    assert stream.getvalue() == f"Question: {QUESTION}\nQuestion: <str 64-255>\n"
    assert sent == ["Question: <str 64-255>"] * 2


def test_when_the_guard_fails_the_record_is_withheld_whole(
    log: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is raised into the program, the handler still gets a record, and the failure is counted."""

    def broken(*args: object, **options: object) -> None:
        raise RuntimeError(QUESTION)

    monkeypatch.setattr(guard, "record_with", broken)
    stream = plain(log, "%(levelname)s %(name)s %(message)s", discreet.ContentGuard(scope="handler"))
    log.warning("Asked %s", QUESTION)
    assert stream.getvalue() == "WARNING <withheld> <record withheld: the guard failed>\n"
    assert LEDGER.failures == {("ContentGuard", "RuntimeError"): 1}


def test_both_scopes_together_seal_once(log: logging.Logger) -> None:
    """A guarded handler in a guarded process gets the copy that it would get from either."""
    stream = plain(log, "%(captain)s %(message)s", discreet.ContentGuard(scope="handler"))
    other = plain(log)
    discreet.ContentGuard()
    log.info("Asked %s", QUESTION, extra={"captain": QUESTION})
    assert stream.getvalue() == "<str 64-255> Asked <str 64-255>\n"
    assert other.getvalue() == "Asked <str 64-255>\n"


def test_a_strict_guard_seals_before_the_filters_of_handlers(log: logging.Logger) -> None:
    """Also when a guard that isn't strict was there before."""
    seen: list[logging.LogRecord] = []
    handler = logging.StreamHandler(io.StringIO())
    handler.addFilter(lambda record: seen.append(record) or True)
    log.addHandler(handler)
    discreet.ContentGuard()
    log.info("Asked %s", QUESTION)
    discreet.ContentGuard(strict=True)
    log.info("Asked %s", QUESTION)
    assert [record.args for record in seen] == [(QUESTION,), ("<str 64-255>",)]
    assert [type(record) for record in seen] == [logging.LogRecord, SealedRecord]


def test_a_guard_that_is_taken_off_guards_nothing(log: logging.Logger) -> None:
    """The handler is as it was."""
    found = discreet.ContentGuard(scope="handler")
    stream = plain(log, "%(message)s", found)
    log.handlers[0].removeFilter(found)
    log.info("Asked %s", QUESTION)
    assert stream.getvalue() == f"Asked {QUESTION}\n"


def test_a_guard_keeps_no_handler_alive(log: logging.Logger) -> None:
    """It knows its handlers weakly."""
    found = discreet.ContentGuard(scope="handler")
    plain(log, "%(message)s", found)
    log.info("Asked %s", QUESTION)
    handler = weakref.ref(log.handlers[0])
    log.handlers.clear()
    gc.collect()
    assert handler() is None
    assert found.scope == "handler"


def test_contracts_attributes_and_routes_hold_for_the_process(log: logging.Logger) -> None:
    """As on every part that takes them."""
    discreet.ContentGuard(
        scope="handler", contracts=["verbatim"], attributes={"tenant": "id"}, routes=["/boats/{name}"]
    )
    stream = io.StringIO()
    log.addHandler(discreet.JsonHandler(stream=stream))
    log.info("Asked", extra={"tenant": "8f14e45fceea167a"})
    assert lines(stream)[0]["tenant"] == "8f14e45fceea167a"


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"scope": "thread"}, "scope"),
        ({"strict": 1}, "strict"),
        ({"streams": "yes"}, "streams"),
        ({"streams": True, "scope": "handler"}, "streams"),
        ({"strict": True, "scope": "handler"}, "strict"),
        ({"contracts": "verbatim"}, "contracts"),
        ({"attributes": ["tenant"]}, "attributes"),
        ({"routes": ["not good"]}, "routes[0]"),
        ({"hosts": ["not good"]}, "hosts[0]"),
    ],
)
def test_a_wrong_option_is_refused_before_anything_is_guarded(options: dict[str, Any], place: str) -> None:
    """With its place and a remedy."""
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.ContentGuard(**options)
    assert (caught.value.place, bool(caught.value.remedy), installed()) == (place, True, False)
