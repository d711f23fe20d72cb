"""Looks for customer text in what the demo wrote: the simplest search there is, on purpose."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from documents import TEMPLATE
from worlds import Spelling, documents, questions

_SENTENCE_END = re.compile(r"(?<=[.?;:])\s+")


def customer_texts(spell: Spelling) -> list[str]:
    """Give all texts of the customers: titles, chunks, questions, and the quotes in replies."""
    texts = [spell(TEMPLATE)]
    for document in documents(spell).values():
        texts += [document.title, *document.chunks]
    for question in questions(spell):
        texts += [question.text, *question.altered]
        texts += [quote for quotes in question.quotes for quote in quotes]
    return texts


def sentences(spell: Spelling) -> list[str]:
    """Give every sentence of the customers' texts once."""
    found = {part for text in customer_texts(spell) for part in _SENTENCE_END.split(text)}
    return sorted(part for part in found if len(part) > 12)


def found_in(paths: Iterable[Path], wanted: Iterable[str]) -> int:
    """Count the sentences that occur in any of the files."""
    everything = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return sum(sentence in everything for sentence in wanted)
