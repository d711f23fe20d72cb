"""Names that a record carries beside its message: logger, level, thread, process, task.

Each of them is text that a program can make from anything, so each is shown only if it is known or of a closed shape.
"""

from __future__ import annotations

import logging
import re
import sys
from types import CodeType
from typing import Final

from discreet.contract import active, generation
from discreet.seal.sources import module_strings
from discreet.seal.values import MAX_INT, placeholder

_MAX_CACHED: Final = 8192
_MAX_NAME: Final = 256
STANDARD_LEVELS: Final = {10: "DEBUG", 20: "INFO", 30: "WARNING", 40: "ERROR", 50: "CRITICAL"}
_OTHER_LEVELS: Final = frozenset({"TRACE", "VERBOSE", "NOTICE", "SUCCESS", "ALERT", "EMERGENCY"})
_COMPONENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", re.ASCII)
_THREAD: Final = re.compile(
    r"MainThread|Dummy-\d{1,9}|Thread-\d{1,9}|ThreadPoolExecutor-\d{1,9}_\d{1,9}|asyncio_\d{1,9}|AnyIO worker thread"
    r"|OtelBatch\w{0,32}|Thread-CallbackRequestDispatcher|IOThread|uvicorn|gthread_\d{1,9}",
    re.ASCII,
)
_PROCESS: Final = re.compile(
    r"MainProcess|(?:Spawn|Fork|ForkServer)?(?:Pool)?(?:Worker|Process)-\d{1,9}(?::\d{1,9})*|[A-Z][A-Za-z]{0,15}PoolWorker-\d{1,9}(?::\d{1,9})*",
    re.ASCII,
)
_TASK: Final = re.compile(r"Task-\d{1,9}", re.ASCII)

_known: dict[str, str] = {}
_known_generation = -1
_at_start: set[str] = set()


def remember_loggers(*, again: bool = False) -> None:
    """Accept the names of all loggers that exist now, at the first set-up only: before any customer has come.

    Args:
        again: accept those that came since, too; for a process in which there is no customer.
    """
    if again or "root" not in _at_start:
        _at_start.update(name for name in list(logging.root.manager.loggerDict) if type(name) is str)
        _at_start.add("root")


def forget_loggers() -> None:
    """Forget what was accepted; for tests. A set-up later in the process would accept what customers have named."""
    _at_start.clear()
    _known.clear()


def logger_name(name: object, frame_code: CodeType | None, module: str | None) -> str:
    """Return the logger's name as far as it is proven, the rest as a length band.

    A name is proven when it is a module's, a contract's, one that existed at set-up, or a constant of the code that
    logs or of its module.
    """
    global _known_generation
    if type(name) is not str:
        return str(placeholder(name))
    found = _known.get(name)
    if found is not None and _known_generation == generation():
        return found
    if _known_generation != generation():
        _known.clear()
        _known_generation = generation()
    proven = _prove(name, frame_code, module)
    if proven is not None:
        if len(_known) < _MAX_CACHED:
            _known[name] = proven
        return proven
    # Not remembered: the name may be a customer's text, which must not outlive the call.
    return _longest_proven(name)


def settled_name(name: object) -> str:
    """Return the logger's name as far as it is proven without a call that logs: the same before such a call and after.

    Args:
        name: the name.
    """
    if type(name) is not str:
        return str(placeholder(name))
    return _prove(name, None, None) or _longest_proven(name)


def _prove(name: str, code: CodeType | None, module: str | None) -> str | None:
    if name == "root" or name in _at_start or name in sys.modules or _of_contract(name):
        return name if _printable(name) else None
    if code is not None and any(constant is name for constant in code.co_consts):
        return name if _printable(name) else None
    if module is not None and _printable(name) and name in module_strings(module):
        return name
    return None


def _of_contract(name: str) -> bool:
    return name in active().known_loggers


def _printable(name: str) -> bool:
    return len(name) <= _MAX_NAME and all(_COMPONENT.fullmatch(part) for part in name.split("."))


def _longest_proven(name: str) -> str:
    parts = name.split(".")
    for end in range(min(len(parts) - 1, 32), 0, -1):
        head = ".".join(parts[:end])
        if head in _at_start or head in sys.modules or _of_contract(head):
            return f"{head}.{placeholder(name[len(head) + 1 :])}"
    return str(placeholder(name))


def level_name(levelno: object, levelname: object) -> str:
    """Return the standard name of a level; a name that a program registered is shown only if it is a usual one."""
    if type(levelno) is int:
        standard = STANDARD_LEVELS.get(levelno)
        if standard is not None:
            return standard
        if type(levelname) is str and levelname in _OTHER_LEVELS:
            return levelname
        return STANDARD_LEVELS[max(logging.DEBUG, min(logging.CRITICAL, levelno // 10 * 10))]
    return "INFO"


def level_number(levelno: object) -> int:
    """Return a level number that every consumer can take: an int of at most seven digits, else INFO's."""
    return levelno if type(levelno) is int and -MAX_INT <= levelno <= MAX_INT else logging.INFO


def thread_name(name: object) -> str | None:
    """Return a thread's name if a runtime gave it, else its length band."""
    return _closed(name, _THREAD)


def process_name(name: object) -> str | None:
    """Return a process's name if the runtime gave it, else its length band."""
    return _closed(name, _PROCESS)


def task_name(name: object) -> str | None:
    """Return an asyncio task's name if asyncio gave it, else its length band."""
    return _closed(name, _TASK)


_closed_names: dict[str, re.Pattern[str]] = {}


def _closed(name: object, shape: re.Pattern[str]) -> str | None:
    if name is None:
        return None
    if type(name) is str:
        if _closed_names.get(name) is shape:
            return name
        if shape.fullmatch(name):
            # A name of such a shape holds nothing of a customer's.
            if len(_closed_names) < _MAX_CACHED:
                _closed_names[name] = shape
            return name
        # threading names a thread "Thread-3 (function)" since 3.10; the function's name stays out.
        head = name.partition(" (")[0]
        if head != name and name.endswith(")") and shape.fullmatch(head):
            return head
    return str(placeholder(name))
