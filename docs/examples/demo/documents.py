"""What the customers wrote, read from `documents.toml`: documents and the questions about them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Document:
    """A document as an index holds it: a title and chunks of running text."""

    title: str
    chunks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a document, and what LLMs quote in answer to it.

    Attributes:
        text: The question as the customer typed it.
        document: Key of the document.
        quotes: What a faithful LLM quotes, one tuple for each chunk of the document.
        altered: What an unfaithful one adds; it is in no chunk.
    """

    text: str
    document: str
    quotes: tuple[tuple[str, ...], ...]
    altered: tuple[str, ...] = ()


def _read() -> tuple[dict[str, Document], tuple[Question, ...], str]:
    path = Path(__file__).with_name("documents.toml")
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    documents = {key: Document(row["title"], tuple(row["chunks"])) for key, row in data["documents"].items()}
    questions = tuple(
        Question(
            row["text"],
            row["document"],
            tuple(map(tuple, row["quotes"])),
            tuple(row.get("altered", ())),
        )
        for row in data["questions"]
    )
    return documents, questions, data["llm"]["template"]


DOCUMENTS, QUESTIONS, TEMPLATE = _read()
