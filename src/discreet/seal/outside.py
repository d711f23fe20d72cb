"""Which parts of an event's text are constants of the code that called structlog.

A structlog call has frames of its own between the caller and whatever looks at the event: the first frame outside
structlog's package made the call, and its argument is the event. An asynchronous call is handed to a thread; the
frame that awaits it is kept by structlog for that long.
"""

from __future__ import annotations

import sys
from types import CodeType, FrameType
from typing import Any, Final

from discreet.seal import percent
from discreet.seal.bytecode import Flow
from discreet.seal.callsite import NOWHERE, Site
from discreet.seal.operands import call_at
from discreet.seal.pieces import UNKNOWN, Call, Constant, Value, percent_value
from discreet.seal.plans import Plan, leaves_of

__all__ = ["find_event"]

_PACKAGE: Final = "structlog"
_MAX_FRAMES: Final = 500
_MAX_SITES: Final = 4096
_MAX_WRAPPERS: Final = 50
_AWAITING: Final = frozenset({"SEND", "YIELD_VALUE", "RESUME", "JUMP_BACKWARD_NO_INTERRUPT", "LOAD_CONST"})
_INTERPOLATED: Final = "%"
"""Before the place of a template, the place of what structlog makes of it; no parameter has such a name."""

_plans: dict[tuple[object, ...], Plan] = {}
_known_anchors: tuple[CodeType, ...] = ()


def find_event(message: object, wrappers: frozenset[str], *, has_args: bool) -> Site:
    """Return where structlog was called for the event that is being processed, and what is proven of its text there.

    To be called while the log call runs, from one of its processors or further in.

    Args:
        message: the event's text as it is now.
        wrappers: functions whose caller's own argument is the message, as for :func:`discreet.seal.callsite.find`.
        has_args: whether there are arguments for the text still.

    .. versionadded:: 0.1.0
    """
    frame, callee, awaited = _caller()
    if frame is None:
        return NOWHERE
    plan = _plan(frame, callee, awaited=awaited)
    plans = [plan]
    outer = frame.f_back
    while plan.is_wrapper(wrappers) and outer is not None and len(plans) < _MAX_WRAPPERS:
        plan = _outer_plan(outer, plan)
        plans.append(plan)
        outer = outer.f_back
    if type(message) is str:
        site = _proof(plans, message, wrappers, has_args=has_args)
        if site is not None:
            return site.of_record(plan.unproven.code)
    return plan.unproven


def _proof(plans: list[Plan], message: str, wrappers: frozenset[str], *, has_args: bool) -> Site | None:
    for plan in plans:
        site = plan.prove(message, has_args=has_args, first=plan is plans[0], whole=plan.is_wrapper(wrappers))
        if site is not None:
            return site
    site = plans[-1].around(message, has_args=has_args)
    if site is None:
        for plan in plans[:-1]:
            site = site or plan.prove(message, has_args=has_args, first=False, whole=False)
    return site


def _caller() -> tuple[FrameType | None, CodeType, bool]:
    """Return the frame that called structlog, the function of structlog that it called, and whether it awaits that."""
    anchors = _anchors()
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001  # the documented way without a Python-level wrapper
    callee = _caller.__code__
    for _ in range(_MAX_FRAMES):
        if frame is None or frame.f_code in anchors:
            break
        frame = frame.f_back
    while frame is not None and _is_inside(frame):
        callee = frame.f_code
        frame = frame.f_back
    if callee.co_name == "<lambda>":
        # That is how structlog hands an asynchronous call to a thread.
        variable = _of_structlog("structlog.contextvars", "_ASYNC_CALLING_STACK")
        kept = variable.get(None) if variable is not None else None
        return (kept if type(kept) is FrameType else None), callee, True
    return (frame if callee in anchors or callee is not _caller.__code__ else None), callee, False


def _anchors() -> tuple[CodeType, ...]:
    """Return the code of the functions through which every event of structlog goes."""
    global _known_anchors
    if not _known_anchors:
        base = _of_structlog("structlog._base", "BoundLoggerBase")
        found = [vars(base).get(name) for name in ("_process_event", "_proxy_to_logger")] if base is not None else []
        _known_anchors = tuple(function.__code__ for function in found if hasattr(function, "__code__"))
    return _known_anchors


def _of_structlog(module: str, name: str) -> Any:
    # Where structlog isn't loaded there are no events of it either.
    return getattr(sys.modules.get(module), name, None)


def _is_inside(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__")
    return type(name) is str and (name == _PACKAGE or name.startswith(_PACKAGE + "."))


def _plan(frame: FrameType, callee: CodeType, *, awaited: bool) -> Plan:
    cls = _AwaitPlan if awaited else _EventPlan
    return _kept(frame, callee, cls, "event")


def _outer_plan(frame: FrameType, inner: Plan) -> Plan:
    """Return the plan of the frame that called a wrapper."""
    return _kept(frame, inner.code, Plan, inner.passes)


def _kept(frame: FrameType, callee: CodeType, cls: type[Plan], message: str | None) -> Plan:
    code = frame.f_code
    key = (id(code), frame.f_lasti, id(callee), cls, message)
    plan = _plans.get(key)
    if plan is None or plan.namespace != id(frame.f_globals):
        plan = cls(frame, callee, message, direct=cls is not Plan)
        if plan.complete:
            if len(_plans) >= _MAX_SITES:
                _plans.clear()
            # The plan holds both code objects, so their ids can't be given to others while it is here.
            _plans[key] = plan
    return plan


class _EventPlan(Plan):
    """What a frame that calls structlog can prove: its argument is the event, or the template of the event."""

    __slots__ = ()

    def arguments(self, call: Call, message: str | None) -> list[tuple[int | str, Value]]:
        """Return the argument that is the event, and what ``%`` makes of it with the arguments after it."""
        if message in call.keywords:
            places: tuple[int, ...] = ()
            found = _with_interpolated("event", call.keywords["event"], ())
        else:
            places = self.places()
            found = []
        for place in places:
            if place < len(call.positional):
                found += _with_interpolated(place, call.positional[place], call.positional[place + 1 :])
        self.certain = len(places) <= 1
        # A level that is a constant comes before the event; else what comes first is the event.
        first = call.positional[0] if len(places) > 1 and call.positional else None
        place = places[-1] if isinstance(first, Constant) and type(first.value) is not str else 0
        self._messages = frozenset(("event", f"{_INTERPOLATED}event", place, f"{_INTERPOLATED}{place}"))
        return found

    def places(self) -> tuple[int, ...]:
        """Return the positions at which the function that was called can have the event."""
        code = self.callee
        names = code.co_varnames[: code.co_argcount]
        if "event" not in names:
            return (0, 1)
        # A generic bound logger has filled in the method's name before.
        return (0, 1) if "method_name" in names else (names.index("event") - (names[0] == "self"),)


class _AwaitPlan(_EventPlan):
    """The same for a frame that awaits an asynchronous call, of which the function isn't known."""

    __slots__ = ()

    def call(self, instructions: Flow) -> Call | None:
        """Return the arguments of the call whose result the frame awaits directly, None if there is no such call."""
        index = instructions.index_of(self.lasti)
        ops = instructions.ops
        while index > 0 and ops[index] in _AWAITING:
            index -= 1
        if index < 1 or ops[index] != "GET_AWAITABLE":
            return None
        size = len(self.code.co_code)
        offset = next((at for at in range(0, size, 2) if instructions.index_of(at) == index - 1), -1)
        return call_at(instructions, offset) if offset >= 0 else None

    def places(self) -> tuple[int, ...]:
        """Return the positions at which the awaited function can have the event."""
        # Those that take a level first are called alog() and log().
        return (0, 1) if not {"alog", "log"}.isdisjoint(self.code.co_names) else (0,)


def _with_interpolated(place: int | str, argument: Value, rest: tuple[Value, ...]) -> list[tuple[int | str, Value]]:
    found: list[tuple[int | str, Value]] = [(place, argument)]
    for value in leaves_of(argument):
        if isinstance(value, Constant) and type(value.value) is str and percent.parse(value.value).directives:
            made = percent_value(value.value, rest, None)
            if made is UNKNOWN and len(rest) == 1:
                made = percent_value(value.value, None, rest[0])
            if made is UNKNOWN:
                made = percent_value(value.value, None, None)
            if made is not UNKNOWN:
                found.append((f"{_INTERPOLATED}{place}", made))
    return found
