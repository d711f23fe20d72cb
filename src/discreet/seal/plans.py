"""What one place in one code object can prove of a message; worked out once and kept.

A plan holds the code object and constants of it, never a message that isn't such a constant. It is for one module's
globals, and doesn't keep them alive: they may hold anything of the program's.
"""

from __future__ import annotations

import ast
import sys
import weakref
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType
from typing import Any, Final

from discreet.export.ledger import LEDGER
from discreet.seal import percent, sources
from discreet.seal.bytecode import Flow, flow
from discreet.seal.compose import Parts, Slot, fits, surrounds
from discreet.seal.expressions import call_source, named
from discreet.seal.operands import call_at
from discreet.seal.peek import instance_dict
from discreet.seal.pieces import (
    NUMBER_BUILTINS,
    Call,
    Choice,
    Composed,
    Constant,
    Hole,
    Value,
    Variable,
    parts_of,
)
from discreet.seal.sites import Site

__all__ = ["Plan", "Site"]

_MAX_HELD: Final = 64
_MESSAGE_NAMES: Final = ("msg", "message", "event")


class _Text:
    """A text that an argument of the call can be: a constant, or put together from pieces."""

    __slots__ = ("_around", "constant", "numeric", "parts", "pieces", "place", "site", "uses")

    def __init__(self, constant: str | None, pieces: tuple[str | Hole, ...], place: int | str) -> None:
        self.constant = constant
        self.place = place
        self.pieces = pieces
        self.uses = frozenset(use for piece in pieces if isinstance(piece, Hole) for use in piece.uses or ())
        self._around: dict[tuple[bool, bool, bool], Site] = {}

    def complete(self, plan: Plan, argument: ast.expr | None, shadowed: frozenset[str]) -> None:
        pieces = self.pieces
        if argument is not None and self.constant is None:
            pieces = named(pieces, argument, plan.code) or pieces
        self.numeric = plan.site(parts=parts_of(pieces, shadowed))
        self.parts = self.numeric.parts or Parts(())
        plain = [Hole(piece.name) if isinstance(piece, Hole) else piece for piece in pieces]
        self.site = plan.site(parts=parts_of(plain))

    def around(self, plan: Plan, message: str, *, has_args: bool) -> Site | None:
        """Return the site of a message to which something was added before or after this text."""
        added = surrounds(self.parts, message)
        if added is None:
            return None
        site = self._around.get((*added, has_args))
        if site is None:
            before, after = added
            inner: list[str | Slot] = list(self.site.parts or ())
            parts = [Slot("prefix")] * before + inner + [Slot("suffix")] * after
            key = percent.parse(self.constant).key if has_args and self.constant is not None else self.parts.key
            site = self._around[*added, has_args] = plan.site(parts=Parts(parts), key=key)
        return site


class Plan:
    """What a frame of one code object at one instruction, called into by one function, can prove.

    Attributes:
        code, lasti: the place.
        namespace: the identity of the globals with which the code runs; 0 when their module is gone.
        callee: the function that the frame called on the way to logging; its parameter that is the message, if any, is
            the constructor's ``message``.
        line: the line of the call.
        module: the module whose own code this is, else None.
        certain: whether it is known which argument of the call is the message.
        passes: the parameter of the code's function that is handed on as the message, None when it isn't one.
        literal: the only constant that the message can be, for the quickest answer.
        with_args, without_args: the sites for it.
        only: the only text that the message can be put together as, and its site, for the second quickest.
        unproven: the site of a message of which nothing is proven.
        checked: the set of wrappers for which ``passed_over`` was found out.
        complete: whether the plan may be kept.
        passed_over: whether the code is that of a wrapper.

    .. versionadded:: 0.1.0
    """

    __slots__ = (
        "__weakref__",
        "_constants",
        "_direct",
        "_held",
        "_messages",
        "_own_globals",
        "_owner",
        "_templates",
        "_texts",
        "_variables",
        "callee",
        "certain",
        "checked",
        "code",
        "complete",
        "lasti",
        "line",
        "literal",
        "module",
        "namespace",
        "only",
        "passed_over",
        "passes",
        "unproven",
        "with_args",
        "without_args",
    )

    def __init__(self, frame: FrameType, callee: CodeType, message: str | None, *, direct: bool) -> None:
        self.code = frame.f_code
        self.lasti = frame.f_lasti
        self.callee = callee
        self.line = frame.f_lineno
        self.module = sources.owner(frame.f_globals, self.code)
        self._keep(frame.f_globals)
        self.unproven = self.site()
        self.with_args = self.without_args = self.unproven
        self.literal: str | None = None
        self.checked: frozenset[str] | None = None
        self.passed_over = False
        self.certain = False
        self.passes: str | None = None
        self._constants: list[tuple[str, Site, Site]] = []
        self._texts: list[_Text] = []
        self._variables: list[Value] = []
        self._held: dict[int, tuple[str, Site]] = {}
        self._messages: frozenset[int | str] = frozenset()
        self._templates: dict[int, str] | None = None
        self.only: tuple[Parts, Site] | None = None
        self._direct = direct
        # Code that is no module's may be a cell or a rule with a customer's text, and is seldom run twice.
        self.complete = self.namespace != 0
        if self.module is not None:
            try:
                instructions = flow(self.code)
                call = self.call(instructions) if instructions is not None else None
                if call is not None:
                    self._read(call, frame, message)
            except Exception as error:
                # Proving nothing is always right; near the limits of stack or memory it is tried again next time.
                sources.failures[type(error).__name__] += 1
                LEDGER.failure("call site", error)
                self.complete = not isinstance(error, RecursionError | MemoryError)
                self.literal = self.only = None
                self._constants, self._texts, self._variables = [], [], []

    def _keep(self, namespace: dict[str, Any]) -> None:
        """Remember whose globals the plan is for, for as long as their module lives."""
        self.namespace = 0
        self._owner: weakref.ref[Any] | None = None
        self._own_globals: dict[str, Any] | None = None
        if self.module is None:
            return
        module = sys.modules.get(self.module)
        if instance_dict(module) is namespace:

            def gone(_: object, plan: weakref.ref[Plan] = weakref.ref(self)) -> None:  # noqa: B008  # this plan
                known = plan()
                if known is not None:
                    known.namespace = 0

            self._owner = weakref.ref(module, gone)
        else:
            # Those of a spawned worker's main script, which are no module's and live as long as it.
            self._own_globals = namespace
        self.namespace = id(namespace)

    def _globals(self) -> Mapping[str, Any]:
        if self._own_globals is not None:
            return self._own_globals
        return (instance_dict(self._owner()) if self._owner is not None else None) or {}

    def site(self, *, literal: str | None = None, parts: Parts | None = None, key: str | None = None) -> Site:
        """Return a site at this place."""
        if self.module is None:
            return Site(line=self.line)
        if key is None and parts is not None:
            key = parts.key
        qualname = self.code.co_qualname
        return Site(self.module, qualname, self.line, literal=literal, parts=parts, key=key, code=self.code)

    def call(self, instructions: Flow) -> Call | None:
        """Return the arguments of the call that the frame is executing, None if there is none."""
        return call_at(instructions, self.lasti)

    def arguments(self, call: Call, message: str | None) -> list[tuple[int | str, Value]]:
        """Return the arguments that can be the message, each with its place, and set ``certain`` and ``passes``."""
        if message is None:
            self._messages = _message_places(self.callee)
            return [*enumerate(call.positional), *call.keywords.items()]
        found = _argument_of(self.callee, message, call)
        self.certain = bool(found)
        self.passes = _parameter(found[0][1], self.code) if found else None
        return found

    def _read(self, call: Call, frame: FrameType, message: str | None) -> None:
        arguments = self.arguments(call, message)
        places: list[int | str] = []
        for place, argument in arguments:
            for value in leaves_of(argument):
                text = self._text(value, place)
                if text is not None:
                    self._texts.append(text)
                    places.append(place)
        if not places:
            return
        source = call_source(self.code, self.lasti, frame.f_globals)
        shadowed = frozenset(
            name for name, function in NUMBER_BUILTINS.items() if frame.f_builtins.get(name) is not function
        )
        for place, text in zip(places, self._texts, strict=True):
            text.complete(self, None if source is None else _argument(source, place), shadowed)
        if self.certain and len(places) == 1 and self._constants:
            self.literal, self.with_args, self.without_args = self._constants[0]
        elif self.certain and len(places) == 1 and not self._variables and not (self._direct and self._texts[0].uses):
            self.only = (self._texts[0].parts, self._texts[0].numeric if self._direct else self._texts[0].site)

    def _text(self, value: Value, place: int | str) -> _Text | None:
        if isinstance(value, Constant):
            constant = value.value
            if type(constant) is not str:
                return None
            if len(constant) > 1 or self.certain:
                self._constants.append((constant, *self._literal_sites(constant)))
            return _Text(constant, (constant,), place)
        if isinstance(value, Composed):
            worded = any(isinstance(piece, str) and piece.strip() for piece in value.pieces)
            return _Text(None, value.pieces, place) if worded else None
        self._variables.append(value)
        return None

    def _literal_sites(self, text: str) -> tuple[Site, Site]:
        template = percent.parse(text)
        plain = percent.slot_key((text,))
        return self.site(literal=text, key=template.key), self.site(literal=text, key=plain)

    def answer(self, message: object, *, has_args: bool) -> Site:
        """Return the site of a record whose own frame this is, when no other frame can prove its message."""
        if type(message) is str:
            site = self.prove(message, has_args=has_args, first=True, whole=False)
            if site is None and self.certain and self._texts:
                site = self.around(message, has_args=has_args)
            if site is not None:
                return site
        return self.unproven

    def prove(self, message: str, *, has_args: bool, first: bool, whole: bool) -> Site | None:
        """Return the site if a message is proven here, else None.

        Args:
            message: the record's message.
            has_args: whether the record has arguments.
            first: whether this is the innermost of the frames that count, so that nobody but logging stands between.
            whole: whether only the constant itself counts, because the code is a wrapper's.
        """
        for constant, with_args, without_args in self._constants:
            if constant is message:
                return with_args if has_args else without_args
        if whole:
            return None
        fitting = [text for text in self._texts if text.constant is None and fits(text.parts, message)]
        if fitting and not (self.certain and self._variables):
            # Where the message can be another text too, a number's place in one can be a text's in the other.
            alone = first and self._direct and len(fitting) == 1
            return self._composed(fitting[0]) if alone else fitting[0].site
        return self._held_template(message) if has_args else None

    def _composed(self, text: _Text) -> Site:
        if text.uses:
            namespace = self._globals()
            for name in text.uses:
                if name in namespace:
                    return text.site
        return text.numeric

    def around(self, message: str, *, has_args: bool) -> Site | None:
        """Return the site if a message is a text of this call to which an adapter added something, else None."""
        if self.certain and self._variables:
            # The message may be another text, which only happens to have these words.
            return None
        for text in self._texts:
            if not self.certain and text.place not in self._messages:
                # It may be another argument's, and its words in the message only by chance.
                continue
            site = text.around(self, message, has_args=has_args)
            if site is not None:
                return site
        return None

    def is_wrapper(self, wrappers: frozenset[str]) -> bool:
        """Tell whether the code is that of a wrapper, or of a method of a class that is one."""
        if self.checked is not wrappers:
            name = self.code.co_qualname
            passed_over = False
            while name and not passed_over and self.module is not None:
                passed_over = f"{self.module}.{name}" in wrappers
                name = name.rpartition(".")[0]
            self.passed_over = passed_over
            self.checked = wrappers
        return self.passed_over

    def _held_template(self, message: str) -> Site | None:
        """Return the site if a variable holds the message, and it is a constant ``%``-template of code or module."""
        if not self._variables or len(message) < 2 or "%" not in message:  # noqa: PLR2004  # one letter is shared
            return None
        known = self._held.get(id(message))
        if known is None:
            if not (self._is_own_template(message) or any(self._holds(value, message) for value in self._variables)):
                return None
            if len(self._held) >= _MAX_HELD:
                self._held = {}
            known = self._held[id(message)] = (message, self._literal_sites(message)[0])
        return known[1]

    def _is_own_template(self, message: str) -> bool:
        if self._templates is None:
            self._templates = {
                id(text): text for text in sources.strings(self.code) if percent.parse_uncached(text).directives
            }
        return id(message) in self._templates

    def _holds(self, value: Value, message: str) -> bool:
        if not isinstance(value, Variable) or value.kind == "local":
            return False
        namespace = self._globals()
        if value.kind == "global":
            return sources.global_constant(namespace, value.name, message)
        owner = value.owner
        if isinstance(owner, Variable) and owner.kind == "global":
            return sources.class_constant(namespace, owner.name, value.name, message) or sources.module_constant(
                namespace, owner.name, value.name, message
            )
        path = self.code.co_qualname.partition(".<locals>")[0].rpartition(".")[0]
        return bool(path) and sources.class_constant(namespace, path, value.name, message)


def leaves_of(value: Value) -> Iterator[Value]:
    """Return the values that a value can be, one for each branch."""
    if isinstance(value, Choice):
        for option in value.options:
            yield from leaves_of(option)
    else:
        yield value


def _argument_of(callee: CodeType, parameter: str, call: Call) -> list[tuple[int | str, Value]]:
    """Return where a call of a function or method has the argument for a parameter, and the argument; at most one."""
    if parameter in call.keywords:
        return [(parameter, call.keywords[parameter])]
    names = callee.co_varnames[: callee.co_argcount]
    if parameter not in names:
        return []
    position = names.index(parameter) - (names[0] in ("self", "cls"))
    return [(position, call.positional[position])] if 0 <= position < len(call.positional) else []


def _message_places(callee: CodeType) -> frozenset[int | str]:
    """Return where a call of a function has its message, as far as its parameters' names tell; else it comes first."""
    names = callee.co_varnames[: callee.co_argcount]
    bound = bool(names) and names[0] in ("self", "cls")
    found = [name for name in _MESSAGE_NAMES if name in names]
    return frozenset((*_MESSAGE_NAMES, names.index(found[0]) - bound if found else 0))


def _parameter(value: Value, code: CodeType) -> str | None:
    if not isinstance(value, Variable) or value.kind != "local":
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return value.name if value.name in names else None


def _argument(call: ast.Call, place: int | str) -> ast.expr | None:
    if isinstance(place, str):
        return next((keyword.value for keyword in call.keywords if keyword.arg == place), None)
    if place < len(call.args) and not any(isinstance(argument, ast.Starred) for argument in call.args[: place + 1]):
        return call.args[place]
    return None
