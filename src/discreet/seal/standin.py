"""Stand-ins: exceptions that other people's handlers may see.

A stand-in has the type's name and module, the chain and the frames of the exception it
stands for, so that an error tracker groups it as before. It has no text, no arguments, no
attributes, no locals and no reference to anything of the application.
"""

from __future__ import annotations

import builtins
import copyreg
from types import TracebackType
from typing import Any, Final, NamedTuple, cast

from discreet.export.ledger import LEDGER
from discreet.seal.classes import ClassName, name_of, remember_name
from discreet.seal.frames import place, steps, stub_traceback
from discreet.seal.peek import (
    ClassCache,
    cause,
    context,
    instance_dict,
    item,
    leaves,
    mro,
    suppresses_context,
    traceback_of,
)

__all__ = ["is_stand_in", "stand_in"]

MAX_DEPTH: Final = 20
"""How deep a chain, or groups in groups, are rebuilt.

.. versionadded:: 0.1.0
"""

MAX_NODES: Final = 100
"""How many exceptions one stand-in holds, itself included.

.. versionadded:: 0.1.0
"""

MAX_LEAVES: Final = 32
"""How many exceptions of one group are rebuilt; a note tells how many are left out.

.. versionadded:: 0.1.0
"""

_MAX_CLASSES: Final = 4096
_MAX_DIGITS: Final = 9
_BASES: Final = {
    id(found): found for found in vars(builtins).values() if type(found) is type and issubclass(found, BaseException)
}
_BY_NAME: Final = {found.__name__: found for found in _BASES.values()}
_NOTE: Final = " more left out"


class _Form(NamedTuple):
    """All that a stand-in's class is made of."""

    base: type[BaseException]
    name: ClassName


class _Node(NamedTuple):
    """One exception of a stand-in as plain values, for pickling; others by their index."""

    base: str
    name: tuple[Any, ...]
    frames: tuple[tuple[str, str | None, str, int], ...]
    suppresses_context: bool
    cause: int | None
    context: int | None
    leaves: tuple[int, ...]
    left_out: int


_NO_FORM: Final = _Form(Exception, ClassName("builtins", "Exception", exact=False))
_made: dict[_Form, type[BaseException]] = {}
_forms: Final[ClassCache[_Form]] = ClassCache()
_classes: Final[ClassCache[type[BaseException]]] = ClassCache()


def stand_in(
    exc: BaseException, traceback: TracebackType | None
) -> tuple[type[BaseException], BaseException, TracebackType | None]:
    """Return what stands for an exception, as `sys.exc_info()` would give it. Never raises.

    It is of a class of the same name and module (those of the nearest base whose name is
    proven, when the class's own isn't), derived from the same built-in exception. Its text is
    empty. Causes, contexts and the exceptions of groups are stand-ins too, up to a bound. It
    can be pickled and read where nobody knows the class.

    Args:
        exc: The exception; nothing of it is called or kept.
        traceback: Its traceback; None for none.

    .. versionadded:: 0.1.0
    """
    try:
        found = _Builder().build(exc, traceback, 0)
    except Exception as error:
        # The handler gets an exception all the same; that it is an empty one is counted.
        LEDGER.failure("stand_in", error)
        found = Exception()
    return type(found), found, traceback_of(found)


def is_stand_in(exc: BaseException) -> bool:
    """Tell whether an exception is a stand-in.

    Args:
        exc: the exception; nothing of it is called.
    """
    return _forms.get(type(exc)) is not None


class _Builder:
    """Makes the stand-ins of one exception and of what hangs on it, each once."""

    __slots__ = ("seen",)

    def __init__(self) -> None:
        self.seen: set[int] = set()

    def build(self, exc: BaseException, traceback: TracebackType | None, depth: int) -> BaseException:
        self.seen.add(id(exc))
        kind = type(exc)
        if issubclass(kind, BaseExceptionGroup):
            found = self._group(exc, depth)  # type: ignore[arg-type]  # mypy can't see that kind is its class
        else:
            cls = _classes.get(kind)
            if cls is None:
                cls = _class_for(kind, _base(kind))
                _classes.set(kind, cls)
            found = cls.__new__(cls)
        if traceback is not None:
            found.__traceback__ = stub_traceback(steps(traceback))
        behind = cause(exc)
        if behind is not None:
            found.__cause__ = self._link(behind, depth)
        suppressed = suppresses_context(exc)
        if not suppressed:
            behind = context(exc)
            if behind is not None:
                found.__context__ = self._link(behind, depth)
        found.__suppress_context__ = suppressed
        return found

    def _link(self, exc: BaseException, depth: int) -> BaseException | None:
        if id(exc) in self.seen or depth >= MAX_DEPTH or len(self.seen) >= MAX_NODES:
            return None
        return self.build(exc, traceback_of(exc), depth + 1)

    def _group(self, group: BaseExceptionGroup[BaseException], depth: int) -> BaseException:
        kind = type(group)
        members = leaves(group)
        built = [found for found in (self._link(member, depth) for member in members[:MAX_LEAVES]) if found is not None]
        if not built:
            # A group can't be empty: where the bound is reached it stands as a plain exception.
            cls = _class_for(kind, Exception if issubclass(kind, Exception) else BaseException)
            return cls.__new__(cls)
        cls = _class_for(kind, _base(kind))
        return _filled(cls, built, len(members) - len(built) + _left_out(group))


def _filled(cls: type[BaseException], members: list[BaseException], left_out: int) -> BaseException:
    found: BaseException = cls.__new__(cls, "", members)
    found.args = ()
    if left_out:
        found.add_note(f"{left_out}{_NOTE}")
    return found


def _left_out(exc: BaseException) -> int:
    """Return how many exceptions a stand-in of a group was made without."""
    if _forms.get(type(exc)) is None:
        return 0
    notes = item(instance_dict(exc), "__notes__")
    first = notes[0] if type(notes) is list and notes else None
    # Anybody may have added a note of his own.
    number = first.removesuffix(_NOTE) if type(first) is str and first.endswith(_NOTE) else ""
    return int(number) if number.isdecimal() and len(number) <= _MAX_DIGITS else 0


def _base(cls: type) -> type[BaseException]:
    """Return the built-in exception that a stand-in is derived from."""
    if issubclass(cls, BaseExceptionGroup):
        return ExceptionGroup if issubclass(cls, Exception) else BaseExceptionGroup
    found = next((entry for entry in mro(cls) if id(entry) in _BASES), BaseException)
    return _BASES.get(id(found), BaseException)


def _class_for(cls: type, base: type[BaseException]) -> type[BaseException]:
    return _class_of(_Form(base, name_of(cls)))


def _class_of(form: _Form) -> type[BaseException]:
    found = _made.get(form)
    if found is None:
        module, qualname, _ = form.name
        members = {
            "__module__": module,
            "__qualname__": qualname,
            "__doc__": None,
            "__str__": _no_text,
            "__reduce__": _reduced,
        }
        found = cast("type[BaseException]", _StandInType(qualname.rpartition(".")[2], (form.base,), members))
        # What is sealed twice, such as a record that comes out of a queue, keeps its names.
        remember_name(found, form.name)
        _forms.set(found, form)
        if len(_made) >= _MAX_CLASSES:
            _made.clear()
        _made[form] = found
    return found


class _StandInType(type):
    """The type of stand-ins' classes, which pickle wouldn't find by their names."""

    __slots__ = ()


def _reduced_class(cls: type[BaseException]) -> tuple[Any, ...]:
    base, name = _forms.get(cls) or _NO_FORM
    return _rebuilt_class, (base.__name__, tuple(name))


def _rebuilt_class(base: str, name: tuple[Any, ...]) -> type[BaseException]:
    """Return the class of the stand-ins that was pickled; the name stands in the pickles of our releases."""
    return _class_of(_Form(_BY_NAME.get(base, Exception), ClassName(*name)))


copyreg.pickle(_StandInType, _reduced_class)  # type: ignore[arg-type]  # of a type, the objects are classes


def _no_text(_exc: BaseException) -> str:
    return ""


def _reduced(exc: BaseException) -> tuple[Any, ...]:
    # Whoever raised the stand-in again may have hung real exceptions and frames on it.
    clean = _Builder().build(exc, traceback_of(exc), 0)
    nodes: list[_Node] = []
    _flatten(clean, nodes)
    return _rebuilt, (tuple(map(tuple, nodes)),)


def _flatten(exc: BaseException, nodes: list[_Node]) -> int:
    """Add an exception after all that hang on it, and return its index."""
    behind, before = cause(exc), context(exc)
    members = leaves(exc) if isinstance(exc, BaseExceptionGroup) else ()
    base, name = _forms.get(type(exc)) or _NO_FORM
    node = _Node(
        base.__name__,
        tuple(name),
        tuple((at.file, at.function, at.module, line) for at, line in steps(traceback_of(exc))),
        suppresses_context(exc),
        None if behind is None else _flatten(behind, nodes),
        None if before is None else _flatten(before, nodes),
        tuple(_flatten(member, nodes) for member in members),
        _left_out(exc),
    )
    nodes.append(node)
    return len(nodes) - 1


def _rebuilt(nodes: tuple[tuple[Any, ...], ...]) -> BaseException:
    """Return the stand-in that was pickled; the name stands in the pickles of our releases."""
    built: list[BaseException] = []
    for node in map(_Node._make, nodes):
        base = _BY_NAME.get(node.base, Exception)
        cls = _class_of(_Form(base, ClassName(*node.name)))
        members = [built[at] for at in node.leaves]
        found = _filled(cls, members, node.left_out) if members else cls.__new__(cls)
        found.__traceback__ = stub_traceback(
            [(place(file, function, module), line) for file, function, module, line in node.frames]
        )
        found.__cause__ = None if node.cause is None else built[node.cause]
        found.__context__ = None if node.context is None else built[node.context]
        found.__suppress_context__ = node.suppresses_context
        built.append(found)
    return built[-1]
