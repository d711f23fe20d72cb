"""The logging calls and prints of a package, read from its source and never imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from discreet.seal import percent
from discreet.seal.compose import Parts, Slot

LEVELS = {
    "debug": "DEBUG",
    "info": "INFO",
    "warning": "WARNING",
    "warn": "WARNING",
    "error": "ERROR",
    "exception": "ERROR",
    "critical": "CRITICAL",
    "fatal": "CRITICAL",
}
_FAILURE = re.compile(
    r"\b(error|fail\w*|warning|invalid|malformed|unknown|skipping|requires?|must|could not|not found|not available)\b"
    r"|\bno \w+ found\b",
    re.IGNORECASE,
)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class LogCall:
    """One call that logs or prints.

    Args:
        module: The dotted name of the module that holds it.
        logger: The name of the logger, ``root`` for the functions of `logging` itself; None for a print.
        source: ``log`` or ``print``.
        level: The name of the level; None for a print.
        key: The template with ``{}`` for each slot; None if the message isn't written down in the call.
        extras: The keys of its ``extra``.
        handled: Whether it stands in an ``except`` block.
        line: Its line.
    """

    module: str
    logger: str | None
    source: str
    level: str | None
    key: str | None
    extras: tuple[str, ...]
    handled: bool
    line: int

    @property
    def tells_of_failure(self) -> bool:
        """Whether it stands in an ``except`` block or its text says that something failed."""
        return self.handled or _FAILURE.search(self.key or "") is not None

    def __str__(self) -> str:
        return f"{self.module}:{self.line} {self.source} {self.key!r}"


@cache
def calls(root: Path, package: str) -> tuple[LogCall, ...]:
    """Return every logging call and print of a package, in the order of its source.

    Args:
        root: The directory that holds the package's directory.
        package: The package.
    """
    found: list[LogCall] = []
    for module, tree in modules(root, package):
        loggers = _loggers(tree, module)
        found += sorted(_walk(tree, module, loggers, handled=False), key=lambda call: call.line)
    return tuple(found)


def modules(root: Path, package: str) -> Iterator[tuple[str, ast.Module]]:
    """Yield the name and the syntax tree of each module of a package."""
    for path in sorted((root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        yield name, ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def _loggers(tree: ast.Module, module: str) -> dict[str, str]:
    """Return the loggers that a module assigns: the expression they are assigned to, and their names."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if ast.unparse(node.value.func) not in {"logging.getLogger", "getLogger"}:
            continue
        arguments = node.value.args
        if not arguments:
            name = "root"
        elif isinstance(arguments[0], ast.Constant):
            name = str(arguments[0].value)
        else:
            name = module
        names.update((ast.unparse(target), name) for target in node.targets)
    return names


def _walk(node: ast.AST, module: str, loggers: dict[str, str], *, handled: bool) -> Iterator[LogCall]:
    for child in ast.iter_child_nodes(node):
        # What an `except` block defines runs later, when nothing is being handled.
        inside = isinstance(child, ast.ExceptHandler) or (handled and not isinstance(child, _SCOPES))
        if isinstance(child, ast.Call):
            call = _read(child, module, loggers, handled)
            if call is not None:
                yield call
        yield from _walk(child, module, loggers, handled=inside)


def _read(node: ast.Call, module: str, loggers: dict[str, str], handled: bool) -> LogCall | None:
    if isinstance(node.func, ast.Name) and node.func.id == "print":
        parts = [part for argument in node.args for part in (" ", *_parts(argument))][1:]
        return LogCall(module, None, "print", None, Parts(parts).key, (), handled, node.lineno)
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in {*LEVELS, "log"}:
        return None
    receiver = ast.unparse(node.func.value)
    if receiver == "logging":
        logger = "root"
    elif receiver in loggers:
        logger = loggers[receiver]
    elif re.fullmatch(r"(.*\.)?_?(log|logger)", receiver, re.IGNORECASE):
        logger = module
    else:
        return None
    arguments = list(node.args)
    level = LEVELS.get(node.func.attr) or ast.unparse(arguments.pop(0)).rpartition(".")[2]
    key = _percent_key(arguments[0]) if arguments[1:] else _key(arguments[0])
    return LogCall(module, logger, "log", level, key, _extras(node), handled, node.lineno)


def _extras(node: ast.Call) -> tuple[str, ...]:
    for keyword in node.keywords:
        if keyword.arg == "extra" and isinstance(keyword.value, ast.Dict):
            return tuple(str(key.value) for key in keyword.value.keys if isinstance(key, ast.Constant))
    return ()


def _key(node: ast.expr) -> str | None:
    parts = _parts(node)
    return Parts(parts).key if any(isinstance(part, str) for part in parts) else None


def _parts(node: ast.expr) -> list[str | Slot]:
    """Return the literal texts and the slots of a message; an expression of any other kind is one slot."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if isinstance(node, ast.JoinedStr):
        return [part for value in node.values for part in _parts(value)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _parts(node.left) + _parts(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and (text := _text(node.left)) is not None:
        first, *rest = percent.parse(text).literals
        return [first, *(part for literal in rest for part in (Slot(""), literal))]
    return [Slot("")]


def _percent_key(node: ast.expr) -> str | None:
    text = _text(node)
    return None if text is None else percent.parse(text).key


def _text(node: ast.expr) -> str | None:
    parts = _parts(node)
    return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else None


def template_keys(root: Path, package: str) -> frozenset[str]:
    """Return the keys of all texts that a package's source holds, whatever they are used for.

    Each is taken as a literal, as a %-template and, where it is one, as an f-string.
    """
    found: set[str] = set()
    for _, tree in modules(root, package):
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                found.add(Parts(_parts(node)).key)
                mixed = "".join(part.value if isinstance(part, ast.Constant) else "%s" for part in node.values)
                found.add(percent.parse_uncached(mixed).key)
            elif isinstance(node, (ast.Constant, ast.BinOp)):
                text = _text(node)
                if text is not None:
                    found |= {Parts([text]).key, percent.parse_uncached(text).key}
    return frozenset(found)
