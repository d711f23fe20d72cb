"""Planted defects of the guard, each with the forms in which the doctor has to find a canary at which routes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from discreet import covers
from discreet.checkup import doors
from discreet.doors import line_stream
from discreet.doors.lines import Line
from discreet.export import foreign_guard
from discreet.seal import record, sealing

HANDLER: Final = "logging.FileHandler app.log on app"
OTHER: Final = "tests.doctor.configurations.Keeping on app"
BEHIND: Final = "tests.doctor.configurations.Keeping behind logging.handlers.MemoryHandler"
BUFFER: Final = "logging.handlers.MemoryHandler on app"
LINES: Final = "discreet.JsonHandler app.jsonl on root"
HANDLERS: Final = (HANDLER, OTHER, BEHIND, BUFFER)
OURS: Final = (LINES, "discreet.OtelSpanHandler on root", "loggers without handlers (logging.lastResort)")
"""What seals by itself."""
HOOKS: Final = (
    "uncaught exceptions (sys.excepthook)",
    "uncaught exceptions of threads (threading.excepthook)",
    "exceptions that can't be raised (sys.unraisablehook)",
)
STREAMS: Final = ("lines printed to sys.stdout", "lines printed to sys.stderr")
EVERY: Final = ("message", "argument", "extra", "exception", "cause", "bad format")


class Defect(NamedTuple):
    """What is broken, and what has to come out by which routes."""

    plant: Callable[[], None]
    came_out: dict[str, list[str]]


DEFECTS: dict[str, Defect] = {}


def found_as(*routes: str, forms: tuple[str, ...] = ()) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Register a function as a defect."""

    def register(plant: Callable[[], None]) -> Callable[[], None]:
        DEFECTS[plant.__name__] = Defect(plant, {route: list(forms) for route in routes})
        return plant

    return register


@found_as()
def none() -> None:
    """Break nothing: the control."""


@found_as(*HANDLERS, forms=EVERY)
def originals_are_handed_on() -> None:
    covers.record_for = lambda handler, given: given  # type: ignore[assignment]


@found_as(*HANDLERS, *OURS, forms=("argument",))
def arguments_are_shown() -> None:
    simple = sealing.simple_message

    def shown(msg: str, args: tuple[Any, ...]) -> Any:
        return simple(msg, args) if msg.count("%") > len(args) else (msg % args, msg, args, 0, None)

    sealing.simple_message = shown


def _itself(error: BaseException, traceback: Any) -> Any:
    return type(error), error, traceback


@found_as(*HANDLERS, *OURS, forms=("exception", "cause"))
def exceptions_are_handed_on() -> None:
    record.stand_in = _itself


@found_as(*HOOKS, forms=("exception", "cause"))
def exceptions_are_handed_to_hooks() -> None:
    doors.stand_in = _itself


@found_as("warnings (warnings.showwarning)", forms=("warning",))
def warnings_are_shown() -> None:
    doors._text = lambda warning: warning  # type: ignore[assignment, return-value]


@found_as(*STREAMS, forms=("print",))
def printed_lines_are_shown() -> None:
    def read(written: Any, registry: Any) -> Line:
        return Line("".join(text for text, _ in written), None, 0, {})

    line_stream.read_line = read


@found_as("spans to discreet.export.span_file.SpanFileExporter", forms=("attribute", "event"))
def attributes_of_spans_pass() -> None:
    foreign_guard._chosen = lambda given, lists: (dict(given), 0)
