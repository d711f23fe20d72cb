"""The source of a running call's slots: what an operator reads in place of a value that is withheld.

Names only. What is proven is proven by the code that runs; the file may have been changed since, so a name is taken
from it only if the call there has the same pieces, and uses no names and texts that the code doesn't have.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import re
import string
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, Final

from discreet.seal import percent
from discreet.seal.pieces import Hole
from discreet.seal.sources import failures

__all__ = ["call_source", "expression", "named"]

MAX_EXPRESSION: Final = 60
"""Characters of an expression that are shown."""

_MAX_CONSTANT: Final = 20
_MAX_SEGMENT: Final = 20_000
_MORE: Final = "..."
_UNKNOWN_ESCAPE: Final = re.compile(
    r"""\\(?!\r?\n|[\\'"abfnrtv]|x[0-9a-fA-F]{2}|N\{|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2}|[0-7]{1,2}(?![0-7]))"""
)
"""https://docs.python.org/3/reference/lexical_analysis.html#escape-sequences"""

_OF_TEXTS_ONLY: Final = re.compile(r"\\[NuU]")
_BYTES: Final = re.compile(r"""\b[bB][rR]?["']""")
_NUMBER_BEFORE_WORD: Final = re.compile(r"[0-9](?:and|else|for|if|in|is|or|not)\b")


def _may_warn(text: str) -> bool:
    """Tell whether the parser might warn about a source, which a log call must not make it do once more."""
    bare = text.replace("\\\\", "")
    return bool(
        _UNKNOWN_ESCAPE.search(bare)
        or _NUMBER_BEFORE_WORD.search(bare)
        or (_OF_TEXTS_ONLY.search(bare) and _BYTES.search(bare))
    )


class _Field:
    """A field of ``str.format`` that stands for more than one argument as it is."""

    def __init__(self, text: str) -> None:
        self.text = text


_Part = str | ast.expr | _Field


def call_source(code: CodeType, lasti: int, namespace: dict[str, Any]) -> ast.Call | None:
    """Return the call that a frame is executing as its file has it now, None if there is no such source.

    Args:
        code: the frame's code.
        lasti: the frame's ``f_lasti``.
        namespace: the frame's globals; from an archive the source comes by the loader in it.

    .. versionadded:: 0.1.0
    """
    position = next(itertools.islice(code.co_positions(), lasti // 2, None), None)
    if position is None:
        return None
    first, last, start, end = position
    if first is None or last is None or start is None or end is None:
        return None
    try:
        lines = linecache.getlines(code.co_filename, namespace)
    except Exception as error:
        # The loader may be anybody's; without the source a slot has the name that the code gives it.
        failures[type(error).__name__] += 1
        return None
    if not 0 < first <= last <= len(lines):
        return None
    # Columns are counted in bytes of UTF-8, whatever the file's encoding.
    segment = [line.encode("utf-8", "surrogatepass") for line in lines[first - 1 : last]]
    segment[-1] = segment[-1][:end]
    segment[0] = segment[0][start:]
    text = b"".join(segment).decode("utf-8", "replace")
    if len(text) > _MAX_SEGMENT or _may_warn(text):
        return None
    try:
        found = ast.parse(f"({text}\n)", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # The file was changed since, or is no Python at all.
        return None
    return found if isinstance(found, ast.Call) else None


def named(pieces: Sequence[str | Hole], argument: ast.expr, code: CodeType) -> tuple[str | Hole, ...] | None:
    """Return pieces whose slots have the expressions of the source, None if the source is not that of the pieces.

    Args:
        pieces: what the code makes the text of.
        argument: the argument of the call in the source.
        code: the code that runs.

    .. versionadded:: 0.1.0
    """
    wanted = _shape(pieces)
    for option in _options(argument):
        parts = _flatten(option)
        if parts is None or _shape(parts) != wanted:
            continue
        known = _Known(code)
        slots = [part for part in parts if not isinstance(part, str)]
        found = iter(slots)
        out: list[str | Hole] = []
        for piece in pieces:
            if isinstance(piece, str):
                out.append(piece)
                continue
            slot = next(found)
            name = slot.text if isinstance(slot, _Field) else expression(slot) if known.has(slot) else piece.name
            out.append(Hole(shorten(name), piece.uses, piece.percent))
        return tuple(out)
    return None


def expression(node: ast.expr) -> str:
    """Return the source of an expression on one line of at most 60 characters, long texts in it left out.

    .. versionadded:: 0.1.0
    """
    for child in ast.walk(node):
        if (
            isinstance(child, ast.Constant)
            and isinstance(child.value, str | bytes)
            and len(child.value) > _MAX_CONSTANT
        ):
            child.value = "…"
    return shorten(ast.unparse(node))


def shorten(text: str) -> str:
    """Return a text on one line of at most 60 characters."""
    text = re.sub(r"\s+", " ", text).strip()
    return text if len(text) <= MAX_EXPRESSION else text[: MAX_EXPRESSION - len(_MORE)] + _MORE


def _shape(parts: Sequence[Any]) -> list[str | None]:
    shape: list[str | None] = []
    for part in parts:
        if not isinstance(part, str):
            shape.append(None)
        elif shape and shape[-1] is not None:
            shape[-1] += part
        elif part:
            shape.append(part)
    return shape


def _options(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from _options(node.body)
        yield from _options(node.orelse)
    elif isinstance(node, ast.NamedExpr):
        yield from _options(node.value)
    elif isinstance(node, ast.BoolOp):
        for value in node.values:
            yield from _options(value)
    else:
        yield node


def _flatten(node: ast.expr) -> list[_Part] | None:
    """Return the parts of a text that an expression makes, None if it makes none of pieces."""
    if isinstance(node, ast.Constant):
        return [node.value] if type(node.value) is str else None
    if isinstance(node, ast.JoinedStr):
        return [
            value.value if isinstance(value, ast.FormattedValue) else str(getattr(value, "value", ""))
            for value in node.values
        ]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _flatten(node.left), _flatten(node.right)
        if left is None and right is None:
            return None
        return (left or [node.left]) + (right or [node.right])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        template = _text(node.left)
        return None if template is None else _percent(template, node.right)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        template = _text(node.func.value)
        return None if template is None else _format(template, node)
    return None


def _text(node: ast.expr) -> str | None:
    parts = _flatten(node)
    return "".join(parts) if parts and all(isinstance(part, str) for part in parts) else None  # type: ignore[arg-type]


def _percent(text: str, values: ast.expr) -> list[_Part] | None:
    template = percent.parse(text)
    places = [position for position, (slot, _) in enumerate(template.consumers) if slot is not None]
    items = values.elts if isinstance(values, ast.Tuple) else [values]
    parts: list[_Part] = [template.literals[0]]
    for index, directive in enumerate(template.directives):
        if directive.key is not None:
            parts.append(_Field(directive.key))
        elif len(items) == template.arity:
            parts.append(items[places[index]])
        else:
            parts.append(_Field(""))
        parts.append(template.literals[index + 1])
    return parts


def _format(text: str, call: ast.Call) -> list[_Part] | None:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    parts: list[_Part] = []
    automatic = 0
    try:
        for literal, name, spec, _ in string.Formatter().parse(text):
            parts.append(literal)
            if name is None:
                continue
            head = name or str(automatic)
            automatic += not re.split(r"[.\[]", name, maxsplit=1)[0]
            automatic += sum(1 for _, inner, _, _ in string.Formatter().parse(spec or "") if inner == "")
            if head.isdigit() and int(head) < len(call.args):
                parts.append(call.args[int(head)])
            else:
                parts.append(keywords.get(head) or _Field(name))
    except ValueError:
        # Not a template at all: the call itself will have raised.
        return None
    return parts


class _Known:
    """Names and texts of a code object and of the code within it."""

    def __init__(self, code: CodeType) -> None:
        self.names: set[str] = set()
        self.texts: set[str] = set()
        todo: list[Any] = [code]
        while todo:
            item = todo.pop()
            if isinstance(item, CodeType):
                self.names.update(item.co_names, item.co_varnames, item.co_freevars, item.co_cellvars)
                todo += item.co_consts
            elif isinstance(item, str):
                self.texts.add(item)
            elif isinstance(item, tuple | frozenset):
                todo += item

    def has(self, node: ast.expr) -> bool:
        for child in ast.walk(node):
            if isinstance(child, ast.Name):
                if child.id not in self.names:
                    return False
            elif isinstance(child, ast.Attribute):
                # A private name of a class is stored with the class's name before it.
                if child.attr not in self.names and not any(name.endswith(child.attr) for name in self.names):
                    return False
            elif (
                isinstance(child, ast.Constant)
                and type(child.value) is str
                and not any(child.value in text for text in self.texts)
            ):
                return False
        return True
