"""Match mode beside our own lines of JSON: other handlers, structlog, exceptions with safe messages."""

from __future__ import annotations

import io
import json
import logging
import logging.handlers
import queue
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet import ConsoleFormatter
from discreet.contract import activate, reset
from discreet.errors import DiscreetError
from discreet.export.ledger import LEDGER
from discreet.seal.event_dict import seal_event
from tests.match_mode.lines import NAME, kinds, log, logged

QUESTION = "Does Wagtailmere still pay for the boat house on the hill?"


class Kept(logging.Handler):
    """A handler of others that keeps what it gets."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record)


def test_other_handlers_get_template_and_arguments_as_they_may_be_shown() -> None:
    """So that formatters that look at arguments have them; together they give the message."""
    kept = Kept()
    log.addHandler(kept)
    log.setLevel(logging.INFO)
    discreet.install()
    with discreet.customer_text(question=QUESTION):
        log.info("Read %s of %s in %d ms", "shelf 12", "Wagtailmere", 3)
        log.info("Read %(what)s", {"what": "50 %"})
        log.info("Read " + "50 %".upper())
        log.info("Read {}% of %s".format(50).replace("%", "%%", 1), "shelf 12")
        log.info("Read %s", "x" * 2000)
    assert [(one.msg, one.args, one.getMessage()) for one in kept.found] == [
        (
            "Read %s of %s in %d ms",
            ("shelf 12", "<question 1-15>", 3),
            "Read shelf 12 of <question 1-15> in 3 ms",
        ),
        ("Read %(what)s", {"what": "50 %"}, "Read 50 %"),
        ("Read 50 %", (), "Read 50 %"),
        ("Read 50%% of shelf 12%.0s", ("shelf 12",), "Read 50% of shelf 12"),
        ("Read %s", ("<str 1024-4095>",), "Read <str 1024-4095>"),
    ]


def test_the_console_and_a_queue_show_the_same() -> None:
    """A record is sealed once, in the thread that has the scope."""
    queued: queue.SimpleQueue[Any] = queue.SimpleQueue()
    stream = io.StringIO()
    console = logging.StreamHandler(stream)
    console.setFormatter(ConsoleFormatter(color=False))
    for handler in (console, logging.handlers.QueueHandler(queued)):
        log.addHandler(handler)
    log.setLevel(logging.INFO)
    discreet.install()
    with discreet.customer_text(question=QUESTION):
        log.info("Read %s of %s", "shelf 12", "Wagtailmere")
    assert "Read shelf 12 of <question 1-15>" in stream.getvalue()
    assert queued.get().getMessage() == "Read shelf 12 of <question 1-15>"


def test_an_event_dict_shows_its_text_and_keeps_the_rule_of_its_pairs() -> None:
    """structlog's loggers have prefixes as logging's have."""
    with discreet.customer_text(question=QUESTION):
        sealed = [
            seal_event({"event": event, "shelf": "shelf 12"}, name=name)
            for name in (NAME, "other")
            for event in ("Read shelf 12".title(), QUESTION)
        ]
    assert [(one.message, one.withheld, dict(one.attributes)) for one in sealed] == [
        ("Read Shelf 12", 1, {}),
        ("<question 16-63>", 2, {}),
        ("<str 1-15>", 2, {}),
        ("<str 16-63>", 2, {}),
    ]
    assert kinds()["no_match", "let_through"] == 1


SAFE = """
[contract]
name = "{name}"
format = 1
summary = "A library whose errors have safe messages."
[[exceptions]]
class = "{module}.PierError"
code = "pier_error"
safe_message = true
[[error_codes]]
code = "pier_error"
exception = "{module}.PierError"
meaning = "Something is wrong with a pier."
"""


class PierError(DiscreetError):
    """Has a safe message by contract."""


@pytest.mark.parametrize("logger", [NAME, "other"])
def test_a_safe_message_is_shown_after_a_look_at_the_texts_of_the_call(tmp_path: Path, logger: str) -> None:
    """Not without one, and not if the matcher finds a text in it; the same in both modes."""
    file = tmp_path / "piers.toml"
    file.write_text(SAFE.format(name="piers", module=__name__), encoding="utf-8")

    def emit() -> None:
        for text in ("pier 9 is closed", f"no pier for {QUESTION!r}", "Wagtailmere"):
            logging.getLogger(logger).error("Failed", exc_info=PierError(text))

    def shown() -> list[str | None]:
        return [one.get("exception_message") for one in logged(emit)]

    activate([file])
    try:
        with discreet.customer_text(question=QUESTION):
            within = shown()
        with discreet.customer_text(question=None):
            blank = shown()
        assert (within, blank, shown()) == (["pier 9 is closed", None, None], [None] * 3, [None] * 3)
    finally:
        reset()


def test_the_ledger_tells_what_was_let_through_apart_from_what_was_withheld() -> None:
    """Its table has a part of its own for it, and reports are of what was withheld alone."""
    stream = io.StringIO()
    handle = discreet.configure(json=stream, match=[NAME], report_every=600)
    LEDGER.clear()
    with discreet.customer_text(question=QUESTION):
        log.info("Read %s and %s of %s", "shelf 12", "shelf 13", "Wagtailmere")
    table = handle.ledger.table().splitlines()
    handle.close()
    assert [line for line in table if line and line[0] != " "] == [
        "Records by sink",
        "Withheld: 1",
        "Let through by match mode",
    ]
    assert table[-1].split()[0] == "2"
    said = [json.loads(line) for line in stream.getvalue().splitlines()]
    reports = [one for one in said if one.get("event") == "content_withheld"]
    assert [(one["count"], one["kind"], one["reason"]) for one in reports] == [(1, "argument", "matched")]
