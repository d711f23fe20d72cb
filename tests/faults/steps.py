"""The functions of this package that a log call goes through, found by running it, and errors raised in them.

Nothing is named by hand, so a step that is new is found too.
"""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import discreet
from discreet import covers
from discreet.guard import ContentGuard
from discreet.seal import sealing

_PACKAGE = str(Path(discreet.__file__).parent)
ENTRIES = frozenset({covers.seals.__code__, sealing.seal.__code__, ContentGuard.filter.__code__})
"""Where the guard begins: what is called from here makes what goes out."""


def name_of(code: CodeType) -> str:
    """Return module and function of a step."""
    return f"{Path(code.co_filename).relative_to(_PACKAGE).with_suffix('').as_posix()}:{code.co_qualname}"


def forget() -> None:
    """Empty the caches of this package's modules, so that what they spare is done again."""
    for name, module in list(sys.modules.items()):
        if name.startswith("discreet"):
            for value in list(vars(module).values()):
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


def steps_of(call: Callable[[], None]) -> dict[CodeType, bool]:
    """Return the code of each function of ours that a call goes through, and whether inside of the guard."""
    found: dict[CodeType, bool] = {}
    inside = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal inside
        code = frame.f_code
        if event == "call":
            if code.co_filename.startswith(_PACKAGE):
                found[code] = found.get(code, False) or inside > 0
            inside += code in ENTRIES
        elif event == "return":
            inside -= code in ENTRIES

    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


@contextmanager
def failing(step: CodeType, error: BaseException, *, within: bool) -> Iterator[list[str]]:
    """Raise an error at the beginning of the first call of a step.

    Args:
        step: its code.
        error: what to raise.
        within: whether only calls inside of the guard count.

    Yields:
        What holds the step's name after it failed.
    """
    failed: list[str] = []

    def trace(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is step and not failed and (not within or _is_inside(frame.f_back)):
            failed.append(name_of(step))
            raise error

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield failed
    finally:
        sys.settrace(before)
        error.__traceback__ = None


def _is_inside(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code in ENTRIES:
            return True
        frame = frame.f_back
    return False


@functools.cache
def _functions() -> dict[CodeType, list[FunctionType]]:
    found: dict[CodeType, list[FunctionType]] = {}
    for one in gc.get_objects():
        if type(one) is FunctionType and one.__code__.co_filename.startswith(_PACKAGE):
            found.setdefault(one.__code__, []).append(one)
    return found


@contextmanager
def always_failing(step: CodeType) -> Iterator[bool]:
    """Raise a RuntimeError at every call of a step, if it is a plain function that exists before any call.

    Args:
        step: its code.

    Yields:
        Whether it is one.
    """
    functions = _functions().get(step, []) if not step.co_flags & CO_GENERATOR else []
    names = [f"_{number}" for number in range(len(step.co_freevars))]
    # A function's code can only be replaced by one that closes over as many variables.
    closing = f"    {' = '.join(names)} = None\n" if names else ""
    source = f"def outer():\n{closing}    def fails(*args, **kwargs):\n        raise RuntimeError({', '.join(names)})\n"
    namespace: dict[str, Any] = {}
    exec(f"{source}    return fails", namespace)
    for function in functions:
        function.__code__ = namespace["outer"]().__code__
    try:
        yield bool(functions)
    finally:
        for function in functions:
            function.__code__ = step
