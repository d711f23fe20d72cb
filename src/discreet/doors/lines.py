"""What a printed line may show: the literals of the running call of ``print`` or ``write``, proven from its frame.

``print`` hands its arguments to the stream one by one, so the parts of a line can be laid beside the arguments of the
call that is being executed. What isn't proven so is withheld.
"""

from __future__ import annotations

import builtins
import sys
import weakref
from collections.abc import Sequence
from dis import opname
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any, Final, NamedTuple

from discreet.contract import Registry
from discreet.contract.model import RecordRow
from discreet.export.ledger import LEDGER
from discreet.seal.bytecode import flow
from discreet.seal.compose import Parts, fits
from discreet.seal.expressions import call_source, named
from discreet.seal.message import seal_message
from discreet.seal.operands import call_at
from discreet.seal.peek import instance_dict
from discreet.seal.percent import slot_key
from discreet.seal.pieces import (
    NUMBER_BUILTINS,
    Call,
    Choice,
    Composed,
    Constant,
    Hole,
    Number,
    Value,
    Variable,
    parts_of,
)
from discreet.seal.sites import Site
from discreet.seal.sources import owner
from discreet.seal.types import Scalar

__all__ = ["Line", "Place", "place_of", "read_line"]

_MAX_PLACES: Final = 4096
_MAX_TEXT: Final = 65_536
_BETWEEN: Final = frozenset(
    {"click", "code", "codecs", "contextlib", "pprint", "rich", "textwrap", "tqdm", "traceback", "typer"}
)
"""Packages that write for others: the line is told to come from who called them."""

_NONE: Final[frozenset[str]] = frozenset()
_PLAIN: Final = (int, float, bool, type(None))
_places: dict[tuple[int, int], Place] = {}


class Line(NamedTuple):
    """What may be shown of a line.

    Attributes:
        message: the line with its proven literals.
        row: the row of a contract that declares it, else None.
        withheld: how many values were left out.
        attributes: what the row types.
    """

    message: str
    row: RecordRow | None
    withheld: int
    attributes: dict[str, Scalar]


class Place:
    """A call that writes: the arguments of it that its code tells, and whose code it is.

    Attributes:
        code, lasti: the instruction.
        namespace: the identity of the globals with which it runs; 0 when their module is gone.
        module: the module whose own code this is, else None; of nobody's code nothing is proven.
        line: the line of the call.
        call: the arguments, None when the code doesn't tell them.
        prints: whether the call is one of ``print``, which hands on what is between the arguments too.
        shadowed: built-in functions that mean something else here.
    """

    __slots__ = (
        "__weakref__",
        "_named",
        "_owner",
        "call",
        "code",
        "lasti",
        "line",
        "module",
        "namespace",
        "prints",
        "shadowed",
        "source",
    )

    def __init__(self, frame: FrameType) -> None:
        self.code: CodeType = frame.f_code
        self.lasti = frame.f_lasti
        namespace = frame.f_globals
        self.line = frame.f_lineno
        self.module = owner(namespace, self.code)
        self._keep(namespace)
        self.call: Call | None = None
        self.prints = (
            "print" in self.code.co_names
            and "print" not in namespace
            and frame.f_builtins.get("print") is builtins.print
        )
        self.shadowed = frozenset(
            name
            for name, function in NUMBER_BUILTINS.items()
            if frame.f_builtins.get(name) is not function or name in namespace
        )
        # After a star it isn't known which argument a text is.
        if self.module is not None and opname[self.code.co_code[self.lasti]] != "CALL_FUNCTION_EX":
            instructions = flow(self.code)
            self.call = call_at(instructions, self.lasti) if instructions is not None else None
        self.source = call_source(self.code, self.lasti, namespace) if self.call is not None else None
        self._named: dict[tuple[int, tuple[str | Hole, ...]], tuple[str | Hole, ...]] = {}

    def _keep(self, namespace: dict[str, Any]) -> None:
        """Remember whose globals the place is for, and keep those of no module alive that is gone."""
        self.namespace = id(namespace)
        module = sys.modules.get(self.module) if self.module is not None else None
        if instance_dict(module) is not namespace:
            # Those of a spawned worker's main script, which are no module's and live as long as it.
            self._owner: object = namespace
            return

        def gone(_: object, place: weakref.ref[Place] = weakref.ref(self)) -> None:  # noqa: B008  # this place
            known = place()
            if known is not None:
                known.namespace = 0

        self._owner = weakref.ref(module, gone)

    def pieces(self, texts: Sequence[str]) -> tuple[str | Hole, ...] | None:
        """Return what the texts that this call wrote are made of, None if they are not those of its arguments."""
        if self.call is None:
            return None
        found = self._aligned(texts, prints=True) if self.prints else None
        if (found is None and len(texts) == 1) or not self.prints:
            # Code that prints may also call a stream's own method.
            return self._aligned(texts, prints=False)
        return found

    def _aligned(self, texts: Sequence[str], *, prints: bool) -> tuple[str | Hole, ...] | None:
        arguments = self.call.positional if self.call is not None else ()
        count = len(arguments)
        # A call of print writes its arguments, what is between them, and the end.
        size = max(1, 2 * count) if prints else count
        if not size or len(texts) % size:
            return None
        out: list[str | Hole] = []
        for index, text in enumerate(texts):
            number = index % size
            if prints and (number % 2 or not count):
                between = self._between("end" if number == size - 1 else "sep", text)
                if between is None:
                    return None
                out.append(between)
                continue
            position = number // 2 if prints else number
            out.extend(self._with_names(position, _argument(arguments[position], text)))
        return tuple(out)

    def _with_names(self, position: int, pieces: tuple[str | Hole, ...]) -> tuple[str | Hole, ...]:
        """Return an argument's pieces with the names that the source has for its slots."""
        if self.source is None or all(isinstance(piece, str) for piece in pieces):
            return pieces
        known = self._named.get((position, pieces))
        if known is None:
            arguments = self.source.args
            known = named(pieces, arguments[position], self.code) if position < len(arguments) else None
            # An argument has as many forms as its code has ways to make it.
            known = self._named[position, pieces] = known or pieces
        return known

    def _between(self, name: str, text: str) -> str | None:
        given = self.call.keywords.get(name) if self.call is not None else None
        if given is None:
            return text if text == (" " if name == "sep" else "\n") else None
        return text if isinstance(given, Constant) and given.value is text else None


def _argument(value: Value, text: str) -> tuple[str | Hole, ...]:
    """Return the pieces of one argument whose text this is."""
    options = value.options if isinstance(value, Choice) else (value,)
    for option in options:
        if isinstance(option, Constant):
            constant = option.value
            # The very object; a number's text is made anew each time.
            if constant is text or (type(constant) in _PLAIN and len(options) == 1 and str(constant) == text):
                return (text,)
    for option in options:
        if isinstance(option, Composed) and fits(_parts(option.pieces, _NONE), text):
            # Which of several it was is not certain enough to read a number at its place.
            return option.pieces if len(options) == 1 else tuple(map(_hidden, option.pieces))
    if len(options) == 1 and isinstance(value, Number):
        return (Hole("", value.uses),)
    return (Hole(value.dotted if isinstance(value, Variable) else ""),)


def _hidden(piece: str | Hole) -> str | Hole:
    return Hole(piece.name) if isinstance(piece, Hole) else piece


def place_of(frame: FrameType | None) -> tuple[Place | None, Place | None]:
    """Return the call that writes, and the one that is told as its author; None where there is no Python code.

    Args:
        frame: the frame that called the stream's method.
    """
    direct = _kept(frame) if frame is not None else None
    author = direct
    while frame is not None and _is_between(frame):
        frame = frame.f_back
        author = _kept(frame) if frame is not None and not _is_between(frame) else author
    return direct, author


def _is_between(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return type(name) is str and name.partition(".")[0] in _BETWEEN


def _kept(frame: FrameType) -> Place:
    key = (id(frame.f_code), frame.f_lasti)
    place = _places.get(key)
    if place is None or place.namespace != id(frame.f_globals):
        place = Place(frame)
        if place.module is None:
            # Not remembered: code that was made at run time can hold a customer's text.
            return place
        if len(_places) >= _MAX_PLACES:
            _places.clear()
        # The place holds the code, so its id can't be given to another while it is here.
        _places[key] = place
    return place


def read_line(written: Sequence[tuple[str, Place | None]], registry: Registry) -> Line | None:
    """Return what may be shown of a line, None if nothing of it is proven.

    Args:
        written: the texts that were written, in order, each with the call that wrote it.
        registry: the active contracts.
    """
    try:
        return _read(written, registry)
    except Exception as error:
        # Proving nothing is always right.
        LEDGER.failure("printed line", error)
        return None


def _read(written: Sequence[tuple[str, Place | None]], registry: Registry) -> Line | None:
    pieces: list[str | Hole] = []
    shadowed: set[str] = set()
    first = written[0][1]
    start = 0
    while start < len(written):
        place = written[start][1]
        end = start
        while end < len(written) and written[end][1] is place:
            end += 1
        found = place.pieces([text for text, _ in written[start:end]]) if place is not None else None
        if place is None or found is None:
            return None
        shadowed |= place.shadowed
        pieces += found
        start = end
    text = "".join(text for text, _ in written)
    if first is None or len(text) > _MAX_TEXT or not any(isinstance(piece, str) and piece.strip() for piece in pieces):
        return None
    _trim(pieces)
    text = text.removesuffix("\n")
    parts = _parts(tuple(pieces), frozenset(shadowed))
    whole = all(isinstance(piece, str) for piece in pieces)
    key = slot_key((text,)) if whole else parts.key
    site = Site(
        first.module,
        first.code.co_qualname,
        first.line,
        literal=text if whole else None,
        parts=None if whole else parts,
        key=key,
        code=first.code,
    )
    row = registry.printed(first.module, key)
    message, _, _, row_found, withheld, gone, attributes = seal_message(text, None, site, row, "", 0, registry)
    known = row_found if isinstance(row_found, RecordRow) else None
    return Line(message.strip("\n"), known, withheld + gone, attributes or {})


@lru_cache(_MAX_PLACES)
def _parts(pieces: tuple[str | Hole, ...], shadowed: frozenset[str]) -> Parts:
    # Kept by what the code says only: pieces hold constants and names.
    return parts_of(pieces, shadowed)


def _trim(pieces: list[str | Hole]) -> None:
    """Take the line end away, which is the last piece or the end of it."""
    last = pieces[-1]
    if isinstance(last, str) and last.endswith("\n"):
        pieces[-1] = last[:-1]
