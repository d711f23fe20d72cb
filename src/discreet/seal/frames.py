"""Frames as file, function and line: what of a traceback may be shown, and stub frames.

The file is written as a path made from the module's name, so that it doesn't tell where a
program is installed and is the same in every process.
"""

from __future__ import annotations

from collections import deque
from itertools import islice
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, Final

from discreet.seal.classes import is_name
from discreet.seal.peek import module_dict, module_file

__all__ = ["FIRST", "LAST", "Place", "frames", "place", "steps", "stub_traceback"]

FIRST: Final = 10
"""How many of the outermost frames are shown of a long traceback.

.. versionadded:: 0.1.0
"""

LAST: Final = 30
"""How many of the innermost frames are shown of a long traceback.

.. versionadded:: 0.1.0
"""

_SHOWN_WHOLE: Final = range(FIRST + LAST + 2)
_MAX_CACHED: Final = 8192
_MAX_LINES: Final = 256
_MAX_FUNCTION: Final = 240
# Names that the compiler gives to code without one of its own.
_COMPILER_NAMES: Final = frozenset(
    {"<locals>", "<module>", "<lambda>", "<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
)
_OUTSIDE: Final = "<other>"
_LEFT_OUT: Final = "<frames left out>"


class Place:
    """Where the code of one function stands, as far as it may be shown.

    Args:
        file: ``package/module.py``, or ``<other>`` for code that is no module's own.
        function: The qualified name of the function; None where only the line is shown.
        module: The module's name, as stub frames have it in their globals.
        code: The code, held so that its id stays its own; None when it isn't cached.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_stub", "code", "file", "function", "module", "prefix")

    def __init__(self, file: str, function: str | None, module: str, code: CodeType | None = None) -> None:
        self.file = file
        self.function = function
        self.module = module
        self.code = code
        self.prefix = f"{file}:" if function is None else f"{file}:{function}:"
        self._stub: FrameType | None = None

    def frame(self) -> FrameType:
        """Return a frame that was never run, has no locals and no caller, and stands here."""
        if self._stub is None:
            function = self.function or self.file
            code = _TEMPLATE.replace(
                co_filename=self.file if self.file.startswith("<") else f"<{self.file}>",
                co_name=function.rpartition(".")[2],
                co_qualname=function,
                co_firstlineno=1,
            )
            generator = FunctionType(code, {"__name__": self.module})()
            stub: FrameType = generator.gi_frame
            generator.close()
            if len(_stubs) < _MAX_CACHED:
                _stubs[id(code)] = (code, self)
            self._stub = stub
        return self._stub


def _template() -> Any:
    # A generator's frame exists before it runs, and nothing links it to who made it.
    yield


def _without_locations(code: CodeType) -> CodeType:
    """Return the code with a location table that has no line and no column for any of its instructions.

    So nobody underlines source that isn't there, and a traceback's own line counts. The form of an entry:
    https://github.com/python/cpython/blob/3.13/InternalDocs/code_objects.md#format-of-the-location-table
    """
    full, rest = divmod(len(code.co_code) // 2, 8)
    table = b"\xff" * full + (bytes([0xF8 | (rest - 1)]) if rest else b"")
    return code.replace(co_linetable=table)


_TEMPLATE: Final = _without_locations(_template.__code__)
_OTHER: Final = Place(_OUTSIDE, None, _OUTSIDE)
_GAP: Final = Place(_LEFT_OUT, None, _LEFT_OUT)
_cached: dict[int, Place] = {}
# What was made of each instruction, by code: looked up for every frame of every exception.
_lines: dict[int, dict[int, str]] = {}
_stubs: dict[int, tuple[CodeType, Place]] = {}
_rebuilt: dict[tuple[str, str | None, str], Place] = {}


def frames(traceback: TracebackType | None) -> tuple[str, ...]:
    """Return the frames of a traceback, innermost last, as ``package/module.py:function:line``.

    Of a long one the first 10 and the last 30 are shown and the rest is counted. A frame of
    code that is not in the file of an imported module is ``<other>:line``.

    Args:
        traceback: The traceback, outermost frame first.

    .. versionadded:: 0.1.0
    """
    out: list[str] = []
    step = traceback
    for _ in _SHOWN_WHOLE:
        if step is None:
            return tuple(out)
        try:
            out.append(_lines[id(step.tb_frame.f_code)][step.tb_lasti])
        except KeyError:
            out.append(_line(step))
        step = step.tb_next
    head, omitted, tail = _walk(traceback)
    return (*map(_line, head), f"... {omitted} more", *map(_line, tail))


def _line(step: TracebackType) -> str:
    at = _place_of(step.tb_frame)
    line = step.tb_lineno or 0
    if at is _GAP:
        return f"... {line} more"
    text = f"{at.prefix}{line}"
    code, instruction = at.code, step.tb_lasti
    lines = _lines.get(id(code))
    if code is not None and lines is not None and instruction >= 0 and len(lines) < _MAX_LINES:
        # A traceback can be made by hand, with another line than the instruction's.
        position = next(islice(code.co_positions(), instruction // 2, None), (None,))
        if position[0] == line:
            lines[instruction] = text
    return text


def _walk(
    traceback: TracebackType | None,
) -> tuple[list[TracebackType], int, list[TracebackType]]:
    head: list[TracebackType] = []
    tail: deque[TracebackType] = deque(maxlen=LAST + 1)
    count = 0
    step = traceback
    while step is not None:
        if count < FIRST:
            head.append(step)
        else:
            tail.append(step)
        count += 1
        step = step.tb_next
    omitted = count - len(head) - len(tail)
    # In place of one frame a note that it is missing would save nothing.
    if omitted:
        tail.popleft()
        omitted += 1
    return head, omitted, list(tail)


def _place_of(frame: FrameType) -> Place:
    code = frame.f_code
    at = _cached.get(id(code))
    if at is not None:
        return at
    stub = _stubs.get(id(code))
    if stub is not None and stub[0] is code:
        return stub[1]
    module = _module_of(code, frame.f_globals)
    if module is None:
        # Not remembered: a generated code object may hold a customer's text as a constant.
        return _OTHER
    at = Place(_path(module), _function(code), module, code)
    if len(_cached) < _MAX_CACHED:
        # Never removed: the id of code that is held can't become that of another.
        _cached[id(code)] = at
        _lines[id(code)] = {}
    return at


def place(file: str, function: str | None, module: str) -> Place:
    """Return the place of these names, for a traceback that comes from another process.

    Args:
        file: As `Place` has it.
        function: As `Place` has it.
        module: As `Place` has it.

    .. versionadded:: 0.1.0
    """
    for known in (_OTHER, _GAP):
        if file == known.file:
            return known
    key = (file, function, module)
    at = _rebuilt.get(key)
    if at is None:
        if len(_rebuilt) >= _MAX_CACHED:
            _rebuilt.clear()
        at = _rebuilt[key] = Place(file, function, module)
    return at


def steps(traceback: TracebackType | None) -> list[tuple[Place, int]]:
    """Return the places and lines of a traceback, outermost first, with a gap in a long one.

    Args:
        traceback: The traceback, of any length.

    .. versionadded:: 0.1.0
    """
    head, omitted, tail = _walk(traceback)
    found = [(_place_of(step.tb_frame), step.tb_lineno or 0) for step in head]
    if omitted:
        # The stub of the gap has the number as its line: its name must not differ between
        # tracebacks, since error trackers group by names.
        found.append((_GAP, omitted))
    found.extend((_place_of(step.tb_frame), step.tb_lineno or 0) for step in tail)
    return found


def stub_traceback(found: list[tuple[Place, int]]) -> TracebackType | None:
    """Return a traceback of frames that have nothing but names and lines.

    Args:
        found: Places and lines, outermost first; None is returned when there are none.

    .. versionadded:: 0.1.0
    """
    traceback: TracebackType | None = None
    for at, line in reversed(found):
        # Not -1, which would say that no instruction ran: some readers ask for the positions of the one that did.
        traceback = TracebackType(traceback, at.frame(), 0, line)
    return traceback


def _module_of(code: CodeType, namespace: dict[str, object]) -> str | None:
    """Return the name of the imported module whose file holds the code; None for other code."""
    filename = code.co_filename
    if type(namespace) is not dict or type(filename) is not str:
        return None
    name = namespace.get("__name__")
    if type(name) is not str or module_dict(name) is not namespace:
        return None
    if not all(map(is_name, name.split("."))):
        return None
    file = module_file(namespace)
    if file is not None:
        # A .pyc without source keeps the path of the machine that compiled it.
        moved = file.endswith(".pyc") and filename.replace("\\", "/").endswith(f"/{_path(name)}")
        if filename == file or moved:
            return name
    return name if filename == f"<frozen {name}>" else None


def _path(module: str) -> str:
    package = "__path__" in (module_dict(module) or {})
    return f"{module.replace('.', '/')}{'/__init__' if package else ''}.py"


def _function(code: CodeType) -> str:
    name = code.co_qualname
    if type(name) is not str or len(name) > _MAX_FUNCTION:
        return "?"
    parts = name.split(".")
    return name if all(p in _COMPILER_NAMES or is_name(p) for p in parts) else "?"
