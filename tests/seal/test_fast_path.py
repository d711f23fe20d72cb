"""The quick ways of usual records give what the plain way gives, byte for byte."""

from __future__ import annotations

import _thread
import io
import json
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import discreet
from discreet.contract import activate, reset
from discreet.export.encode import encode, plain_line, timestamp
from discreet.export.ledger import LEDGER
from discreet.seal import sealing
from discreet.seal.sealed import Sealed

CONTRACT = """
[contract]
name = "kiosk"
format = 1
summary = "What the kiosk of the tests logs."
[loggers]
names = ["kiosk"]
[attributes]
status = "http_status"
duration_ms = "duration_ms"
shelves = "count"
share = "float"
open = "bool"
[[events]]
name = "kiosk_opened"
level = "INFO"
attributes = ["status", "duration_ms", "shelves", "share", "open"]
meaning = "The kiosk has opened."
"""
LOG = logging.getLogger("kiosk.window")


class Shouting(str):
    """A text that isn't exactly one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("a method of a user's object was called")

    __hash__ = str.__hash__


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**16), 10**16),
    st.floats(),
    st.text(max_size=300),
    st.sampled_from([200, 599, 600, 0.0, 10.0**12, 10.0**13, b"bytes", ["list"]]),
    st.sampled_from([ValueError("spilt"), Shouting("kiosk")]),
)
EXTRA = st.dictionaries(
    st.sampled_from(["status", "duration_ms", "shelves", "share", "open", "event", "warning_code", "customer"]), VALUES
) | st.fixed_dictionaries(
    {
        "event": st.sampled_from(["kiosk_opened", "no_such_event", "kiosk_opened"]),
        "status": st.integers(0, 700),
        "duration_ms": st.floats(-1, 10**13) | st.integers(-1, 10**13),
    }
)


class Both(logging.Handler):
    """Seals each record by the quick way and by the plain one."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[Sealed, Sealed]] = []
        self.counted: list[tuple[Any, Any]] = []

    def handle(self, record: logging.LogRecord) -> bool:
        LEDGER.clear()
        quick = sealing._seal(record, record.__dict__)
        counted = LEDGER.as_dict()
        site = sealing.prove(record.__dict__, sealing.active().wrappers)[0]
        known, site.sealing = site.sealing, None
        prove = sealing.prove
        sealing.prove = lambda d, wrappers: (site, None)
        LEDGER.clear()
        try:
            plain = sealing._seal(_Odd.like(record), record.__dict__)
        finally:
            sealing.prove = prove
            site.sealing = known
        self.found.append((quick, plain))
        self.counted.append((counted, LEDGER.as_dict()))
        return True

    handle.__discreet_seals__ = True  # type: ignore[attr-defined]


class _Odd(logging.LogRecord):
    """A record of a class of its own, whose attributes are looked at one by one."""

    @classmethod
    def like(cls, record: logging.LogRecord) -> _Odd:
        made = cls.__new__(cls)
        made.__dict__.update(record.__dict__)
        return made


@pytest.fixture(autouse=True)
def kiosk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    path = tmp_path_factory.mktemp("contracts") / "kiosk.toml"
    path.write_text(CONTRACT, encoding="utf-8")
    activate([path])
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    yield
    LOG.handlers[:] = []
    LEDGER.clear()
    reset()


def by_extra(extra: dict[str, Any]) -> None:
    # In one order, which is that of the lines: a call site writes its own always in the same.
    LOG.info("The kiosk has opened", extra=dict(sorted(extra.items())))


def by_arguments(first: Any, second: Any) -> None:
    LOG.info("Sold %s papers at %r", first, second)


def by_numbers(first: Any, second: Any) -> None:
    LOG.info("Sold %d papers at %.2f", first, second)


def by_text(count: int, name: str, share: float) -> None:
    LOG.info(f"Sold {count:d} papers to {name} in {share:.3f} of the time")


def check(handler: Both) -> None:
    for quick, plain in handler.found:
        assert plain_line(quick) == plain_line(plain)
        assert quick == plain
        assert list(quick.fields) == list(plain.fields)
        made = Sealed.of(**{name: getattr(quick, name) for name in dir(quick) if name in OF})
        made.fields["timestamp"] = quick.fields["timestamp"]
        assert encode(made.fields) == plain_line(quick)
    for quick_counts, plain_counts in handler.counted:
        assert quick_counts == plain_counts


OF = frozenset(
    "args attributes content_message created error_class error_code event exception extras function level levelno line"
    " logger message msg span_id trace_id warning_code withheld".split()
)
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def logged(function: Any, *calls: tuple[Any, ...]) -> None:
    handler = Both()
    LOG.handlers[:] = [handler]
    for call in calls:
        function(*call)
    assert len(handler.found) == len(calls)
    check(handler)


@MANY
@given(EXTRA, EXTRA)
@example({"event": "kiosk_opened", "status": 200}, {"event": "kiosk_opened", "status": "200"})
@example({"status": 200}, {"duration_ms": 1.0})
@example({"status": 200}, {"status": float("nan")})
@example({"event": "kiosk_opened"}, {"event": Shouting("kiosk_opened")})
def test_extra_is_sealed_the_same_whatever_was_seen_first(first, second):
    """What is remembered of a call site's first record changes nothing of the second's."""
    logged(by_extra, ({"event": "kiosk_opened", "status": 200, "duration_ms": 2.5},), (first,), (second,))


@MANY
@given(VALUES, VALUES)
def test_arguments_are_sealed_the_same(first, second):
    """The quick way of simple templates shows and counts what the plain way does."""
    logged(by_arguments, (first, second), (first, second))
    logged(by_numbers, (first, second), (second, first))


@MANY
@given(st.integers(-(10**9), 10**9), st.text(max_size=100), st.floats(-(10**9), 10**9))
@example(1, " papers to  in 2.000 of the time", 3.0)
@example(12_345_678, "7 papers to 8", 0.5)
def test_f_strings_are_sealed_the_same(count, name, share):
    """Reading the numbers with the match that proved the message is the same as reading them afterwards."""
    logged(by_text, *[(count, name, share)] * 12)


@MANY
@given(st.floats(0.0, 8e9, exclude_min=True))
@example(1_700_000_000.9999999)
@example(0.9999999999999999)
@example(1_700_000_000.0)
def test_a_lines_timestamp_is_that_of_the_record(created):
    """The quick way to a timestamp gives the same, within a second and over its end."""
    for at in (created, created + 0.4, created + 1.0, created):
        line = plain_line(Sealed.of(created=at, message="Ready"))
        assert json.loads(line)["timestamp"] == timestamp(at)


def test_one_record_has_one_line_by_every_way():
    """Handler and formatter write the same, and the second seals nothing anew."""
    direct, through = io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(through)
    handler.setFormatter(discreet.JsonFormatter())
    LOG.handlers[:] = [discreet.JsonHandler(stream=direct), handler]
    discreet.install()
    try:
        for extra in ({"event": "kiosk_opened", "status": 200}, {"status": "none", "customer": "Mr Kiosk"}):
            by_extra(extra)
            by_arguments(3, "a word to the vendor")
            by_text(3, "someone who came in", 0.25)
            try:
                raise ValueError("a secret of the vendor")
            except ValueError:
                LOG.exception("The kiosk has closed")
    finally:
        discreet.uninstall()
    assert direct.getvalue() == through.getvalue()
    assert "vendor" not in direct.getvalue()
    # One for each "%r", one for each f-string, two attributes; nothing twice.
    kinds = {kind: 0 for _, _, _, kind in LEDGER.withheld}
    for (_, _, _, kind), count in LEDGER.withheld.items():
        kinds[kind] += count
    assert kinds == {"argument": 4, "attribute": 2}


def test_a_filter_between_two_handlers_is_seen():
    """A changed record is sealed anew, however it was changed."""
    stream = io.StringIO()
    first, second = discreet.JsonHandler(stream=io.StringIO()), discreet.JsonHandler(stream=stream)

    def change(record: logging.LogRecord) -> bool:
        record.args = (4, 5)
        record.status = 404
        return True

    second.addFilter(change)
    LOG.handlers[:] = [first, second]
    by_arguments(1, 2)
    found = json.loads(stream.getvalue())
    assert (found["message"], found["status"]) == ("Sold 4 papers at 5", 404)


def test_an_attribute_that_logging_lost_is_no_failure():
    """A filter that deletes attributes costs what they would have shown, not the record."""
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)

    def lose(record: logging.LogRecord) -> bool:
        for name in ("msg", "args", "exc_info", "name", "levelno", "created", "lineno"):
            record.__dict__.pop(name, None)
        return True

    handler.addFilter(lose)
    LOG.handlers[:] = [handler]
    by_extra({"event": "kiosk_opened", "status": 200})
    found = json.loads(stream.getvalue())
    assert (found["level"], found["message"]) == ("INFO", "None")
    assert LEDGER.failures == {}


def test_a_logger_that_is_wrapped_takes_the_plain_way():
    """A frame between logging and the call is walked over; nothing is remembered of the wrong place."""

    def helper(text: str) -> None:
        LOG.info(text, stacklevel=2)

    words = ["The", "kiosk", "has", "closed"]
    stream = io.StringIO()
    LOG.handlers[:] = [discreet.JsonHandler(stream=stream)]
    for _ in range(3):
        by_arguments(1, 2)
        helper(" ".join(words))
    messages = [json.loads(line)["message"] for line in stream.getvalue().splitlines()]
    assert messages == ["Sold 1 papers at 2", "<str 16-63>"] * 3


def test_a_thread_without_frames_below_has_no_depth_to_jump():
    """A record that is handled on a short stack is sealed as one from nowhere."""
    done = threading.Event()
    found: list[Sealed] = []
    record = logging.LogRecord("kiosk", 20, __file__, 1, "Somebody's own words", (), None)

    def run() -> None:
        found.append(sealing.seal(record))
        done.set()

    _thread.start_new_thread(run, ())
    assert done.wait(10)
    assert found[0].message == "<str 16-63>"
