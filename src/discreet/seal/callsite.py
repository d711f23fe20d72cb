"""Which parts of a record's message are constants of code that is on the stack now.

The caller of a log call is still running when a handler gets the record, so its frame tells which instruction it
executes, and that instruction's arguments tell what the message was made of. A message is proven

- by the executing call's own argument: the constant itself, or a text put together from constants and slots;
- by a constant that a variable holds, when it is used as a ``%``-template with arguments;
- by the argument of the call of a wrapper that a contract names.

Looked at are the frames from logging's innermost ones out to the record's own, and nothing further out. Nothing is
proven by being equal to something, and no local variable is read: on 3.11 and 3.12 that would change the program.
"""

from __future__ import annotations

import logging
import re
import sys
from types import CodeType, FrameType
from typing import Any, Final

from discreet.seal.compose import MAX_FOR_PATTERN, Slot
from discreet.seal.plans import Plan, Site

__all__ = ["NOWHERE", "Site", "Slot", "find", "prove"]

NOWHERE: Final = Site()
"""The site of a record that is not being made on this stack: from a queue, another process or ``makeLogRecord``.

.. versionadded:: 0.1.0
"""

_LOGGING: Final = logging.addLevelName.__code__.co_filename
_MAX_FRAMES: Final = 500
"""How many frames a record's own frame may be away from logging's."""

_MAX_SITES: Final = 8192


_LOG: Final[CodeType | None] = getattr(logging.Logger._log, "__code__", None)  # noqa: SLF001
"""The code in which every record of a log call is made; another or None if somebody patched it before us."""

_ADAPTING: Final[dict[int, CodeType]] = {
    id(function.__code__): function.__code__
    for function in vars(logging.LoggerAdapter).values()
    if hasattr(function, "__code__")
}
"""Functions that hand on what an adapter made of the message."""

Found = tuple[Site, re.Match[str] | None]

_NO_ARGS: Final[tuple[Any, ...]] = ()
_getframe: Final = sys._getframe  # noqa: SLF001  # the way to a frame without walking there
_plans: dict[tuple[object, ...], Plan] = {}
_depth = 8
"""How far out logging's frame was last time. Most records come by the same way, which need not be walked again."""


def find(record: logging.LogRecord, wrappers: frozenset[str]) -> Site:
    """Return where a record is being made, and which parts of its message are proven there.

    To be called while the log call runs, from a handler or a formatter. It walks out over logging's frames, and over
    any others between them and the caller.

    Args:
        record: the record.
        wrappers: functions whose caller's own argument is the message, as ``package.module.function``, and classes of
            which that holds for all methods.

    .. versionadded:: 0.1.0
    """
    return prove(record.__dict__, wrappers)[0]


def prove(d: dict[str, Any], wrappers: frozenset[str]) -> Found:
    """Return the same as :func:`find`, and the match of the message with the parts that were proven, if one was made.

    Args:
        d: the record's attributes.
        wrappers: as for :func:`find`.

    .. versionadded:: 0.1.0
    """
    try:
        frame: FrameType | None = _getframe(_depth)
    except ValueError:
        frame = None
    if frame is not None and frame.f_code is _LOG:
        found = _known(d, frame, wrappers)
        if found is not None:
            return found
    return _walk(d, wrappers, frame), None


def _known(d: dict[str, Any], frame: FrameType, wrappers: frozenset[str]) -> Found | None:
    """Return the site if the call from which logging was entered is known, and is the record's own."""
    callee = frame.f_code
    outer = frame.f_back
    while outer is not None:
        code = outer.f_code
        if code.co_filename != _LOGGING:
            break
        callee = code
        outer = outer.f_back
    else:
        return None
    plan = _plans.get((id(code), outer.f_lasti, id(callee)))
    if plan is None or plan.namespace != id(outer.f_globals):
        return None
    try:
        if (
            d["pathname"] is code.co_filename
            and d["funcName"] is code.co_name
            and type(line := d["lineno"]) is int
            and line == plan.line
        ):
            message = d["msg"]
            args = d["args"]
            if message is plan.literal and message is not None:
                if args is _NO_ARGS or args is None:
                    return plan.without_args, None
                return (plan.with_args if type(args) is tuple or _has_values(args) else plan.without_args), None
            if plan.checked is wrappers and not plan.passed_over:
                # The same as _search() where only this frame counts.
                if plan.only is not None and type(message) is str and len(message) <= MAX_FOR_PATTERN:
                    parts, site = plan.only
                    match = parts.quick(message) if parts.quick is not None else None
                    if match is not None:
                        return site, match if site.parts is parts else None
                return plan.answer(message, has_args=_has_values(args)), None
    except KeyError:
        # Somebody deleted an attribute of the record.
        return NOWHERE, None
    return None


def _walk(d: dict[str, Any], wrappers: frozenset[str], tried: FrameType | None) -> Site:
    """Go out to the innermost frame in which logging makes a record, and from there to the record's own."""
    global _depth
    depth = 2
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001
    while frame is not None:
        code = frame.f_code
        if code is _LOG or (code.co_name == "_log" and code.co_filename == _LOGGING):
            break
        frame = frame.f_back
        depth += 1
    if frame is None:
        return NOWHERE
    # As find() counts, which is one frame further out than this function.
    _depth = depth - 1
    found = _known(d, frame, wrappers) if frame is not tried else None
    if found is not None:
        return found[0]
    callee, outer = frame.f_code, frame.f_back
    while outer is not None and outer.f_code.co_filename == _LOGGING:
        callee, outer = outer.f_code, outer.f_back
    return NOWHERE if outer is None else _search(d, outer, callee, wrappers)


def _has_values(args: object) -> bool:
    # Anything else than these came from the application, whose methods are not called.
    return bool(args) if type(args) is tuple or type(args) is dict else args is not None


def _search(d: dict[str, Any], frame: FrameType, callee: CodeType, wrappers: frozenset[str]) -> Site:
    """Find the record's own frame, and the innermost frame up to it that proves the message."""
    plans, outer, callee = _up_to_own(d, frame, callee)
    if not plans:
        return NOWHERE
    own = plans[-1].unproven.code
    while plans[-1].is_wrapper(wrappers) and outer is not None and len(plans) < _MAX_FRAMES:
        more, outer, callee = _next(outer, callee, plans[-1])
        plans += more
    message, has_args = d.get("msg"), _has_values(d.get("args"))
    if type(message) is str:
        site = _proof(plans, message, wrappers, has_args=has_args)
        if site is not None:
            return site.of_record(own)
    return plans[-1].unproven.of_record(own)


def _proof(plans: list[Plan], message: str, wrappers: frozenset[str], *, has_args: bool) -> Site | None:
    for plan in plans:
        wrapper = plan.is_wrapper(wrappers)
        site = plan.prove(message, has_args=has_args, first=plan is plans[0], whole=wrapper)
        if site is not None:
            return site
    for position, plan in enumerate(plans):
        # What logging's own function got is the message, and so is what a wrapper got, with or without something added.
        if not plan.passed_over and (plan.certain or (position and plans[position - 1].passed_over)):
            site = plan.around(message, has_args=has_args)
            if site is not None:
                return site
    for plan in plans:
        if plan.passed_over:
            site = plan.prove(message, has_args=has_args, first=False, whole=False)
            if site is not None:
                return site
    return None


def _up_to_own(d: dict[str, Any], frame: FrameType, callee: CodeType) -> tuple[list[Plan], FrameType | None, CodeType]:
    """Return the plans of the frames out to the record's own; none if that is not found."""
    line, path, function = d.get("lineno"), d.get("pathname"), d.get("funcName")
    if type(line) is not int or type(path) is not str or type(function) is not str:
        return [], None, callee
    frames: list[tuple[FrameType, CodeType]] = []
    current: FrameType | None = frame
    for _ in range(_MAX_FRAMES):
        if current is None:
            break
        code = current.f_code
        if not _is_internal(code):
            frames.append((current, callee))
            if code.co_name == function and code.co_filename == path and current.f_lineno == line:
                plans: list[Plan] = []
                for entry in frames:
                    plans.append(_plan(*entry, plans[-1] if plans else None))
                return plans, current.f_back, code
        callee = code
        current = current.f_back
    return [], None, callee


def _next(frame: FrameType, callee: CodeType, inner: Plan) -> tuple[list[Plan], FrameType | None, CodeType]:
    """Return the plan of the next frame that is not logging's own; none if there is no such frame."""
    current: FrameType | None = frame
    while current is not None:
        code = current.f_code
        if not _is_internal(code):
            return [_plan(current, callee, inner)], current.f_back, code
        callee = code
        current = current.f_back
    return [], None, callee


def _is_internal(code: CodeType) -> bool:
    # As logging.findCaller sees it.
    name = code.co_filename
    return name == _LOGGING or ("importlib" in name and "_bootstrap" in name)


def _plan(frame: FrameType, callee: CodeType, inner: Plan | None) -> Plan:
    code = frame.f_code
    of_logging = callee.co_filename == _LOGGING
    key: tuple[object, ...]
    if of_logging:
        message: str | None = "msg"
        key = (id(code), frame.f_lasti, id(callee))
    else:
        # Which parameter the function that was called hands on as the message, as far as its own call tells.
        message = inner.passes if inner is not None and inner.code is callee else None
        key = (id(code), frame.f_lasti, id(callee), message)
    plan = _plans.get(key)
    if plan is None or plan.namespace != id(frame.f_globals):
        plan = Plan(frame, callee, message, direct=of_logging and id(callee) not in _ADAPTING)
        if plan.complete:
            if len(_plans) >= _MAX_SITES:
                _plans.clear()
            # The plan holds both code objects, so their ids can't be given to others while it is here.
            _plans[key] = plan
    return plan
