"""Whatever step of the guard fails: the record is withheld and reaches its sinks, it is counted, nothing is raised."""

from __future__ import annotations

import gc
import importlib
import io
import json
import logging
import re
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple

import pytest

import discreet
from discreet.contract import activate
from discreet.export.ledger import LEDGER
from discreet.seal import sealing
from tests.faults import program, steps

pytestmark = pytest.mark.long

WORDS = ("Frederica", "lighthouse", "aunt", "page 12", "large-2")
FORMAT = "%(levelname)s %(name)s %(message)s (%(funcName)s)"
NOTHING = "<record withheld: the guard failed>"
WITHHELD = {
    "json": {"logger": "<withheld>", "message": NOTHING, "withheld": 1},
    "plain": f"<withheld> {NOTHING} (<unknown>)",
    "read": (NOTHING, None, [], "Exception()"),
}
PARTS = {"call site", "describe", "stand_in"}
"""What fails by itself: without a call site the message is withheld, without an exception's facts all but its type."""

ONCE_MORE = {"seal/values:Placeholder.__repr__"}
"""Formatting fails for want of memory with a template such as `%999999999d` too, and is done in another way then."""


class Outcome(NamedTuple):
    """What became of one log call."""

    raised: BaseException | None
    failures: dict[tuple[str, str], int]
    sinks: dict[str, list[Any]]


class Reading(logging.Handler):
    """Another package's handler, which reads the record itself."""

    def __init__(self, *, handled: bool) -> None:
        super().__init__()
        self.found: list[Any] = []
        self.handled = handled

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else sys.exc_info()[1] if self.handled else None
        extras = sorted(vars(record).keys() & {"chunks", "question", "model", "page"})
        self.found.append((record.getMessage(), record.args, extras, repr(error)))


class Sinks:
    """A handler of ours, one of logging's with our formatter, one with its own, and one that reads records."""

    def __init__(self, *filters: logging.Filter) -> None:
        self.streams = {name: io.StringIO() for name in ("json", "formatted", "plain")}
        formatted, plain = (logging.StreamHandler(self.streams[name]) for name in ("formatted", "plain"))
        formatted.setFormatter(discreet.JsonFormatter())
        plain.setFormatter(logging.Formatter(FORMAT))
        # A filter can't change which exception is being handled.
        self.reading = Reading(handled=not filters)
        self.handlers = [discreet.JsonHandler(stream=self.streams["json"]), formatted, plain, self.reading]
        for handler in self.handlers:
            for one in filters:
                handler.addFilter(one)

    def clear(self) -> None:
        for stream in self.streams.values():
            stream.seek(0)
            stream.truncate()
        self.reading.found.clear()

    def found(self) -> dict[str, list[Any]]:
        lines = {name: stream.getvalue().splitlines() for name, stream in self.streams.items()}
        read = {name: [_timeless(json.loads(line)) for line in lines[name]] for name in ("json", "formatted")}
        # A traceback is lines of its own: one for the record, however long it is.
        return {**read, "plain": ["\n".join(lines["plain"])], "read": self.reading.found.copy()}


def _timeless(line: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name not in ("timestamp", "level")}


def _set_up(*filters: logging.Filter) -> Sinks:
    sinks = Sinks(*filters)
    log = logging.getLogger("faults")
    log.handlers[:] = sinks.handlers
    log.propagate = False
    log.setLevel(logging.INFO)
    activate((), {"chunks": "count"})
    return sinks


def of_process() -> Sinks:
    discreet.install(match=["faults.match"])
    return _set_up()


def of_handlers() -> Sinks:
    return _set_up(discreet.ContentGuard(scope="handler"))


SOME = ("failure", "of_match_mode")
SETUPS: dict[str, Callable[[], Sinks]] = {"process": of_process, "handlers": of_handlers}


@pytest.fixture(autouse=True)
def _quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(logging, "raiseExceptions", False)
    logging.getLogger("discreet").addHandler(logging.NullHandler())
    # It calls what forgets a class at any moment, and tells nobody of an error there.
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    LEDGER.clear()


def _call(sinks: Sinks, name: str, around: Callable[[Callable[[], None]], Any]) -> tuple[Outcome, Any]:
    """Make one log call of a program whose code is unknown to the guard."""
    importlib.reload(program)
    steps.forget()
    sealing._slot.last[0] = None
    sinks.clear()
    LEDGER.clear()
    raised: BaseException | None = None
    result: Any = None
    with discreet.customer_text(question=program.QUESTION, chunks=[program.CHUNK]):
        try:
            result = around(program.CALLS[name])
        except BaseException as error:
            raised = error
    return Outcome(raised, dict(LEDGER.failures), sinks.found()), result


def _with_fault(step: CodeType, error: BaseException) -> Callable[[Callable[[], None]], list[str]]:
    def around(call: Callable[[], None]) -> list[str]:
        with steps.failing(step, error, within=True) as failed:
            call()
        return failed

    return around


def _always(step: CodeType) -> Callable[[Callable[[], None]], bool]:
    def around(call: Callable[[], None]) -> bool:
        with steps.always_failing(step) as possible:
            call()
        return possible

    return around


def _known(sinks: Sinks, name: str) -> tuple[Outcome, list[CodeType]]:
    """Return what comes of a call without a fault, and the steps inside of the guard that it goes through."""
    _call(sinks, name, lambda call: call())
    good, _ = _call(sinks, name, lambda call: call())
    _, found = _call(sinks, name, steps.steps_of)
    return good, [step for step, inside in found.items() if inside and step not in steps.ENTRIES]


def _strings(value: object) -> set[str]:
    if isinstance(value, dict):
        return {"", *value}.union(*(_strings(one) for one in value.values()))
    if isinstance(value, list):
        return {""}.union(*(_strings(one) for one in value))
    return {str(value)}


_PLACEHOLDER = re.compile(r"<\w+ [-+\d]+>|BaseException\+|\w+ \(\w+\)|\d{1,3}|withheld|code_function|code_line")


def _is_less(found: Any, good: Any) -> bool:
    """Tell whether a JSON line says nothing but what the good one does, or that something was left out."""
    more = _strings(found) - _strings(good)
    return all(_PLACEHOLDER.fullmatch(one) or one.startswith("tests.faults.program.") for one in more)


def _wrong_with(sinks: dict[str, list[Any]], good: dict[str, list[Any]], failures: dict[Any, int]) -> list[str]:
    """Return what isn't as it has to be after a fault."""
    wrong = [f"{name} has {len(found)} records" for name, found in sinks.items() if len(found) != 1]
    if not failures:
        wrong.append("not counted")
    partly = bool({where for where, _ in failures} & PARTS)
    untouched = 0
    for name, found in sinks.items():
        for line in found:
            if line == good[name][0]:
                untouched += 1
            elif not _is_withheld(name, line) and not (partly and _shows_less(name, line, good[name][0])):
                wrong.append(f"{name}: {line}")
    if untouched == len(sinks) and not partly:
        wrong.append("nothing withheld")
    return wrong


def _is_withheld(name: str, line: Any) -> bool:
    if name == "plain":
        return bool(line.partition(" ")[2].startswith(WITHHELD[name]))
    if name == "read":
        return bool(line[0] == NOTHING and not line[2] and re.fullmatch(r"None|\w+\(\)|\w+\('', \[.*\]\)", line[3]))
    return bool(line == WITHHELD["json"])


def _shows_less(name: str, line: Any, good: Any) -> bool:
    if name in ("json", "formatted"):
        return _is_less(line, good)
    return not any(word in str(line) for word in WORDS if word not in str(good))


@pytest.mark.parametrize(
    ("setup", "name"),
    [("process", name) for name in program.CALLS] + [("handlers", name) for name in ("attributes", *SOME)],
)
def test_a_step_that_fails_withholds_the_record_and_raises_nothing(setup: str, name: str) -> None:
    """Each step's first call raises; each sink gets the record as it would be, or one that shows nothing."""
    sinks = SETUPS[setup]()
    good, found = _known(sinks, name)
    wrong = {}
    missed: list[str] = []
    for number, step in enumerate(found):
        for error in (RuntimeError(program.QUESTION), (MemoryError, RecursionError)[number % 2](program.QUESTION)):
            outcome, failed = _call(sinks, name, _with_fault(step, error))
            place = steps.name_of(step)
            if not failed:
                # What the garbage collector calls.
                missed.append(place)
                continue
            if place in ONCE_MORE and isinstance(error, MemoryError):
                continue
            problems = _wrong_with(outcome.sinks, good.sinks, outcome.failures)
            if outcome.raised is not None:
                problems.append(f"{outcome.raised!r} was raised")
            if problems:
                wrong[place, type(error).__name__] = problems

    assert len(found) > 60
    assert len(missed) < len(found) / 20, missed
    assert wrong == {}


@pytest.mark.parametrize("setup", SETUPS)
@pytest.mark.parametrize("name", SOME)
def test_a_step_that_always_fails_shows_nothing_and_raises_nothing(setup: str, name: str) -> None:
    """Also where what fails is needed for saying so; the record may then be missing in a sink, and is counted there."""
    sinks = SETUPS[setup]()
    good, found = _known(sinks, name)
    wrong = {}
    tried = 0
    for step in found:
        outcome, possible = _call(sinks, name, _always(step))
        missing = sum(one.missing for one in LEDGER.sinks.values())
        tried += possible is not False
        shown = [word for word in WORDS if word in str(outcome.sinks) and word not in str(good.sinks)]
        if outcome.raised is not None or shown or (possible and not outcome.failures and not missing):
            wrong[steps.name_of(step)] = (outcome, shown)

    assert tried > 50
    assert wrong == {}


@pytest.mark.parametrize("name", SOME)
def test_who_presses_control_c_stops_the_program(name: str) -> None:
    """It is no failure: it goes to the program as it would from logging, and the next call is as before."""
    sinks = of_process()
    good, found = _known(sinks, name)
    outcomes = []
    for step in found:
        stopped, _ = _call(sinks, name, _with_fault(step, KeyboardInterrupt()))
        after, _ = _call(sinks, name, lambda call: call())
        outcomes.append((type(stopped.raised), stopped.failures, after))

    assert outcomes == [(KeyboardInterrupt, {}, good)] * len(found)
