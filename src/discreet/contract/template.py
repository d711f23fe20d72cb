"""Templates of messages as contract files write them: ``{}`` for a slot, braces doubled."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["split_named", "split_template"]

_MARK: Final = re.compile(r"\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)?\}|[{}]", re.ASCII)


def _split(text: str) -> tuple[list[str], list[str | None]]:
    literals = [""]
    names: list[str | None] = []
    end = 0
    for mark in _MARK.finditer(text):
        literals[-1] += text[end : mark.start()]
        end = mark.end()
        if mark[0] in ("{{", "}}"):
            literals[-1] += mark[0][0]
        elif mark[0] in ("{", "}"):
            raise ValueError(f"there is a single {mark[0]} in it")
        else:
            names.append(mark[1])
            literals.append("")
    literals[-1] += text[end:]
    return literals, names


def split_template(text: str) -> tuple[str, ...]:
    """Return the texts before, between and after the slots ``{}`` of a template.

    Args:
        text: The template.

    Raises:
        ValueError: A brace stands alone or a slot has a name; the message is half a sentence.

    .. versionadded:: 0.1.0
    """
    literals, names = _split(text)
    if any(name is not None for name in names):
        raise ValueError("there is a slot with a name in it")
    return tuple(literals)


def split_named(text: str) -> tuple[str, ...]:
    """Return the names of the slots ``{name}`` of a pattern's message.

    Args:
        text: The message.

    Raises:
        ValueError: A brace stands alone or a slot has no name; the message is half a sentence.

    .. versionadded:: 0.1.0
    """
    _, names = _split(text)
    found = tuple(name for name in names if name is not None)
    if len(found) < len(names):
        raise ValueError("there is a slot without a name in it")
    return found
