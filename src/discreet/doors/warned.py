"""The warnings module: category, file and line of a warning come out, its text and the line of source don't."""

from __future__ import annotations

import logging
import sys
import warnings
from collections.abc import Callable
from typing import Any, Final

from discreet.doors.hooks import Hook, Layer
from discreet.doors.report import raw, to_stderr
from discreet.export.ledger import LEDGER
from discreet.seal.classes import class_name, is_name, shown_class
from discreet.seal.peek import arguments, is_exception, module_dict, mro
from discreet.seal.values import Placeholder, placeholder

__all__ = ["close_door", "door_state", "open_door"]

_MAX_LINE: Final = 9_999_999


def _writing(layer: Layer) -> Callable[[Any], None]:
    def show_message(msg: Any) -> None:
        if not layer.active or not _is_standard(msg.file):
            layer.before(msg)
            return
        try:
            place = f"{_file(msg.filename)}:{_line(msg.lineno)}"
            to_stderr(f"{place}: {shown_class(msg.category)}: {_text(msg.message)}\n")
        except Exception as error:
            # The program's call of warn() must not fail for it.
            LEDGER.failure("warnings", error)

    return show_message


def _showing(layer: Layer) -> Callable[..., None]:
    def showwarning(
        message: Any, category: Any, filename: str, lineno: int, file: Any = None, line: str | None = None
    ) -> None:
        if not layer.active or not _is_standard(file):
            layer.before(message, category, filename, lineno, file, line)
            return
        try:
            known = next((cls for cls in mro(category) if class_name(cls) is not None), Warning)
            safe = _text(message), known, _file(filename), _line(lineno)
        except Exception as error:
            LEDGER.failure("warnings", error)
            return
        # The hook is another tool's or the program's: it shows what it is given, where it likes to, and may raise.
        layer.before(*safe, file, None)

    return showwarning


def _is_standard(file: Any) -> bool:
    """Tell whether a warning goes where it can be seen: a program that names a file of its own gets it as it is."""
    return file is None or any(
        file is stream for name in ("stdout", "stderr") for stream in (getattr(sys, name), raw(name))
    )


def _text(message: object) -> Placeholder:
    """Return the length band of a warning's text, without asking the warning for it."""
    if is_exception(message):
        args = arguments(message)
        if len(args) == 1 and type(args[0]) is str:
            return placeholder(args[0])
    return placeholder(message)


def _line(line: object) -> int:
    return line if type(line) is int and 0 <= line <= _MAX_LINE else 0


def _file(filename: object) -> str:
    """Return a file as a path made of its module's name; a warning can be told to come from any file."""
    if type(filename) is str:
        for name in list(sys.modules):
            namespace = module_dict(name)
            if namespace is not None and namespace.get("__file__") == filename and all(map(is_name, name.split("."))):
                return f"{name.replace('.', '/')}{'/__init__' if '__path__' in namespace else ''}.py"
    return "<other>"


_WRITING = Hook(warnings, "_showwarnmsg_impl", _writing)
_SHOWING = Hook(warnings, "showwarning", _showing)
_ORIGINAL: Final = getattr(warnings, "_showwarning_orig", warnings.showwarning)


def open_door() -> None:
    """Keep the text of warnings from standard error.

    Replaced is what writes at the very end, so that it doesn't matter whether and when logging captures warnings. In
    a block that records them, such as pytest's, it is left alone.

    .. versionadded:: 0.1.0
    """
    if getattr(_WRITING.current(), "__name__", None) in ("_showwarnmsg_impl", "show_message"):
        _WRITING.open()
    if _SHOWING.current() not in (_ORIGINAL, getattr(logging, "_showwarning", None)):
        _SHOWING.open()


def close_door() -> None:
    """Put the functions back.

    .. versionadded:: 0.1.0
    """
    _SHOWING.close()
    _WRITING.close()


def door_state() -> dict[str, str]:
    """Return the state of the hooks as one."""
    state = _SHOWING.state() if _SHOWING.state() != "closed" else _WRITING.state()
    if state == "guarded" and _SHOWING.state() == "closed":
        replaced = _SHOWING.current() not in (_ORIGINAL, getattr(logging, "_showwarning", None))
        state = "patched over" if replaced else state
    return {"warnings": state}
