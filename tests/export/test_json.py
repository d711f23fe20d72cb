"""JsonFormatter and JsonHandler: the line, its limits and its options."""

from __future__ import annotations

import io
import json
import logging
import os
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet
from discreet.export.encode import encode, shortened, timestamp
from discreet.export.ledger import LEDGER

QUESTION = "Does the biopsy from the left breast mean cancer?"


@pytest.fixture
def log() -> logging.Logger:
    found = logging.getLogger("tests.export.json")
    found.setLevel(logging.DEBUG)
    found.propagate = False
    # pytest hangs its capturing handlers on loggers that don't propagate.
    found.handlers.clear()
    return found


def into(log: logging.Logger, **options: Any) -> io.StringIO:
    stream = io.StringIO()
    log.addHandler(discreet.JsonHandler(stream=stream, **options))
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_has_its_fields_in_order_and_nothing_else(log: logging.Logger) -> None:
    """Time, level, logger, message; then what there is to say."""
    stream = into(log, service="answers")
    try:
        raise ValueError(QUESTION)
    except ValueError as error:
        log.error("failed for %s", error, extra={"question": QUESTION})
    found = lines(stream)[0]
    assert list(found) == ["timestamp", "level", "logger", "message", "withheld", "service"]
    del found["timestamp"]
    assert found == {
        "level": "ERROR",
        "logger": "tests.export.json",
        "message": "failed for <ValueError>",
        "withheld": 2,
        "service": "answers",
    }


def test_an_exception_is_types_codes_and_frames(log: logging.Logger) -> None:
    """The chain outermost first, frames innermost last, no text of any of them."""
    stream = into(log)
    try:
        try:
            raise KeyError(QUESTION)
        except KeyError as inner:
            raise ValueError(QUESTION) from inner
    except ValueError:
        log.exception("failed")
    found = lines(stream)[0]
    assert found["exception_type"] == "ValueError"
    assert found["exception_chain"] == "ValueError < KeyError"
    where = "tests/export/test_json.py:test_an_exception_is_types_codes_and_frames:"
    assert found["exception_frames"].startswith(where)
    assert "biopsy" not in stream.getvalue()


def test_the_formatter_gives_the_handlers_line(log: logging.Logger) -> None:
    """On a handler of logging's own, with or without the guard."""
    fast = into(log)
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(discreet.JsonFormatter())
    log.addHandler(handler)
    log.info("asked %s", QUESTION)
    discreet.install()
    log.info("asked %s", QUESTION)
    assert stream.getvalue() == fast.getvalue()


@pytest.mark.parametrize("preset", ["ecs", "otel"])
def test_presets_and_renames_change_names_only(log: logging.Logger, preset: str) -> None:
    """The values are those of the flat form."""
    flat, renamed = into(log), into(log, preset=preset, rename_fields={"withheld": "left_out"})
    log.warning("asked %s", QUESTION)
    names = {
        "ecs": ["@timestamp", "log.level", "log.logger", "message", "left_out"],
        "otel": ["timestamp", "severity_text", "scope.name", "body", "left_out"],
    }
    assert list(lines(renamed)[0]) == names[preset]
    assert list(lines(renamed)[0].values()) == list(lines(flat)[0].values())


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"preset": "gelf"}, "preset"),
        ({"max_bytes": 10}, "max_bytes"),
        ({"max_bytes": "16k"}, "max_bytes"),
        ({"rename_fields": {"message": "a b"}}, "rename_fields"),
        ({"static_fields": {"a": [1]}}, "static_fields"),
        ({"static_fields": [1]}, "static_fields"),
        ({"service": 7}, "service"),
        ({"stream": "stdout"}, "stream"),
        ({"stream": 7}, "stream"),
        ({"filename": "x", "stream": "-"}, "stream"),
        ({"filename": "/no/such/folder/x"}, "filename"),
        ({"filename": 1.5}, "filename"),
        ({"level": "LOUD"}, "level"),
    ],
)
def test_a_wrong_option_is_refused_with_its_place(options: dict[str, Any], place: str) -> None:
    """At once, with our own error, whose code is in our contract."""
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.JsonHandler(**options)
    assert caught.value.place == place
    assert caught.value.remedy


def test_a_long_record_is_cut_counted_and_marked(log: logging.Logger) -> None:
    """The line keeps the limit and stays valid, and no character is split."""
    before = LEDGER.sink("cutting").cut
    content = logging.getLogger("verbatim_core.content")
    content.setLevel(logging.DEBUG)
    content.propagate = False
    stream = io.StringIO()
    content.addHandler(discreet.JsonHandler(stream=stream, name="cutting"))
    content.debug("%s", "\U0001f600\u2028" * 100_000)
    assert len(stream.getvalue().encode()) <= 16_384
    assert stream.getvalue().count("\n") == 1
    assert len(stream.getvalue().splitlines()) == 1
    found = lines(stream)[0]
    assert found["truncated"] is True
    assert found["message"].startswith("\U0001f600\u2028\U0001f600")
    assert LEDGER.sink("cutting").cut == before + 1


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=40),
    lambda inner: st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.text(st.characters(), min_size=1, max_size=8), values, max_size=6))
def test_any_values_make_one_valid_line(fields: dict[str, Any]) -> None:
    """Surrogates, control characters, NaN and huge integers too: strict parsers read it, viewers see one line."""
    line = encode(fields)
    assert line.endswith(b"\n")
    text = line.decode("utf-8", "strict")
    assert len(text.splitlines()) == 1
    assert not any(0x7F <= ord(character) < 0xA0 or ord(character) < 0x20 for character in text[:-1])

    def refuse(name: str) -> None:
        raise AssertionError(name)

    assert isinstance(json.loads(text, parse_constant=refuse), dict)


@settings(max_examples=50)
@given(
    st.dictionaries(
        st.sampled_from(["message", "exception_frames", "exception_chain", "a", "b", "level", "logger"]),
        st.text(st.characters(), max_size=4000),
        min_size=1,
    ),
    st.integers(1024, 4000),
)
def test_a_shortened_line_keeps_the_limit(fields: dict[str, Any], limit: int) -> None:
    """Whatever the fields hold."""
    line = encode(fields)
    if len(line) > limit:
        short = shortened(fields, line, limit, {})
        assert len(short) <= limit
        assert orjson.loads(short)["truncated"] is True


@pytest.mark.parametrize(
    ("created", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000000Z"),
        (1_700_000_000.25, "2023-11-14T22:13:20.250000Z"),
        (1_700_000_000.999999, "2023-11-14T22:13:20.999999Z"),
    ],
)
def test_time_is_rfc_3339_in_utc_with_microseconds(created: float, text: str) -> None:
    """Rounded, but never into the next second."""
    assert timestamp(created) == text


def test_a_failing_stream_is_counted_and_told_once(log: logging.Logger, capsys: pytest.CaptureFixture[str]) -> None:
    """The log call returns, the count says what is missing, stderr has no text of the record."""

    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, QUESTION)

    log.addHandler(discreet.JsonHandler(stream=Full(), name="full"))
    before = LEDGER.sink("full").as_dict()
    for _ in range(3):
        log.info("asked %s", QUESTION)
    after = LEDGER.sink("full").as_dict()
    assert after["missing"] - before["missing"] == 3
    assert after["observed"] == before["observed"]
    assert after["missing_by_reason"] == {"write_failed": 3}
    assert capsys.readouterr().err == (
        "--- Logging error --- sink full failed with OSError on logger tests.export.json; "
        "further failures are only counted\n"
    )


def test_a_file_is_appended_to_and_opened_again_after_close(log: logging.Logger, tmp_path: Path) -> None:
    """dictConfig closes every handler of the process, also those that stay; once retired, records are missing."""
    path = tmp_path / "out.jsonl"
    path.write_text("before\n")
    handler = discreet.JsonHandler(filename=path, name="file")
    log.addHandler(handler)
    log.info("one")
    handler.close()
    log.info("two")
    handler.retire()
    log.info("three")
    text = path.read_text().splitlines()
    assert text[0] == "before"
    assert [json.loads(line)["message"] for line in text[1:]] == ["one", "two"]
    counts = LEDGER.sink("file").as_dict()
    assert (counts["observed"], counts["missing_by_reason"]) == (2, {"closed": 1})


def test_a_torn_line_takes_no_other_with_it(
    log: logging.Logger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the disk fills in mid-line, that record is missing and the next one has a line of its own."""
    path = tmp_path / "out.jsonl"
    log.addHandler(discreet.JsonHandler(filename=path, name="torn"))
    real = os.write
    left = [20]

    def full(fd: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(28, "No space left on device")
        done = real(fd, bytes(data)[: left[0]])
        left[0] -= done
        return done

    monkeypatch.setattr(os, "write", full)
    log.info("one")
    monkeypatch.setattr(os, "write", real)
    log.info("two")
    log.info("three")
    text = path.read_text().splitlines()
    assert len(text[0]) == 20
    assert [orjson.loads(line)["message"] for line in text[1:]] == ["two", "three"]
    counts = LEDGER.sink("torn").as_dict()
    assert (counts["observed"], counts["missing_by_reason"]) == (2, {"write_failed": 1})


def test_a_wrong_option_leaves_no_file_open(tmp_path: Path) -> None:
    """The file is opened when everything else is right."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        with pytest.raises(discreet.ConfigurationError):
            discreet.JsonHandler(filename=tmp_path / "x.jsonl", level="LOUD")
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert list(tmp_path.iterdir()) == []


def test_a_subclass_may_have_an_emit_of_its_own(log: logging.Logger) -> None:
    """The quick way is for the class itself only."""
    seen = []

    class Own(discreet.JsonHandler):
        def write_sealed(self, sealed: Any) -> None:
            seen.append(sealed.message)

    log.addHandler(Own(stream=io.StringIO()))
    log.info("asked %s", QUESTION)
    assert seen == ["asked <str 16-63>"]


def test_exports_leave_no_hooks_behind() -> None:
    """Asking for the counts of a sink makes them once; locks need one hook for a fork, however many there are."""
    from discreet import forks

    first = LEDGER.sink("hooks")
    before = len(forks._locks)
    assert all(LEDGER.sink("hooks") is first for _ in range(100))
    assert len(forks._locks) == before


def test_without_the_guard_formatters_withhold_content(capsys: pytest.CaptureFixture[str]) -> None:
    """A formatter doesn't know where its handler leads; with the guard, only local handlers get the text."""
    content = logging.getLogger("verbatim_core.content")
    content.setLevel(logging.DEBUG)
    content.propagate = False
    content.handlers.clear()
    streams = []
    for formatter in (discreet.JsonFormatter(), discreet.ConsoleFormatter(color=False)):
        stream = io.StringIO()
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        content.addHandler(handler)
        streams.append(stream)
    content.debug("question: %s", QUESTION)
    assert ["biopsy" in stream.getvalue() for stream in streams] == [False, False]
    discreet.install()
    content.debug("question: %s", QUESTION)
    assert ["biopsy" in stream.getvalue() for stream in streams] == [True, True]
