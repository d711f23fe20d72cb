"""Reads the code blocks of a Markdown page, with the comment that says how each is checked.

A comment stands on its own line directly before a block:

    <!-- file: logging.yaml -->   kept under this name for the later blocks of the page
    <!-- run -->                  the `$ ` lines of a console block are executed
    <!-- output -->               what the block before it printed
    <!-- from: src/a.py -->       lines of this file of the page's package, as they stand there

and two may stand at the head of a page:

    <!-- needs: fastapi, uvicorn -->    libraries of the dependency group `integration`
    <!-- package: examples/harbour -->  a package beside the page: blocks run in a copy of its
                                        folder, where it is installed beside discreet

There is no comment to leave a block out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

COMMENT = re.compile(r"<!--\s*(?P<name>[a-z]+)(?::\s*(?P<value>\S.*?))?\s*-->")


class PageError(Exception):
    """A page that can't be checked: says page, line and what to do."""


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    page: str
    line: int
    language: str
    text: str
    file: str | None = None
    run: bool = False
    output: bool = False
    source: str | None = None

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Page:
    """All blocks of one file, in order."""

    name: str
    needs: tuple[str, ...]
    blocks: tuple[Block, ...]
    package: str | None = None


def read(path: Path, name: str) -> Page:
    """The blocks of the page at `path`.

    Raises:
        PageError: A block has no language or is an indented one, or a comment isn't one of ours.
    """
    tokens = MarkdownIt("commonmark").parse(path.read_text(encoding="utf-8"))
    needs: tuple[str, ...] = ()
    package: str | None = None
    blocks: list[Block] = []
    pending: dict[str, str] = {}
    for token in tokens:
        if token.type == "html_block":
            found = _comment(token, name)
            if "needs" in found:
                needs = tuple(part.strip() for part in found.pop("needs").split(","))
            package = found.pop("package", package)
            pending |= found
        elif token.type == "fence":
            blocks.append(_block(token, name, pending))
            pending = {}
        elif token.type == "code_block":
            raise PageError(f"{_place(token, name)}: an indented block. Fence it, with a language.")
        elif pending and token.type in {"heading_open", "paragraph_open", "list_item_open"}:
            raise PageError(f"{_place(token, name)}: the comment before it belongs to no block.")
    if pending:
        raise PageError(f"{name}: the last comment belongs to no block.")
    return Page(name, needs, tuple(blocks), package)


def _place(token: Token, name: str) -> str:
    return f"{name}:{token.map[0] + 1 if token.map else '?'}"


def _comment(token: Token, name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    rest = COMMENT.sub("", token.content).strip()
    for match in COMMENT.finditer(token.content):
        found[match["name"]] = match["value"] or ""
    unknown = found.keys() - {"file", "from", "run", "output", "needs", "package"}
    if rest or unknown:
        raise PageError(
            f"{_place(token, name)}: not one of our comments: {token.content.strip()!r}. "
            "Every block is checked; see tests/docs/blocks.py for how to say it."
        )
    return found


def _block(token: Token, name: str, marks: dict[str, str]) -> Block:
    language = token.info.strip()
    if not re.fullmatch(r"[a-z]+", language):
        raise PageError(f"{_place(token, name)}: a block without a language. Name it.")
    return Block(
        page=name,
        line=token.map[0] + 1 if token.map else 0,
        language=language,
        text=token.content,
        file=marks.get("file"),
        run="run" in marks,
        output="output" in marks,
        source=marks.get("from"),
    )


def pages(root: Path) -> Iterator[Path]:
    """README and its neighbours, and every page under docs."""
    yield from sorted(root.glob("*.md"))
    yield from sorted((root / "docs").rglob("*.md"))
