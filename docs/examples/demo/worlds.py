"""The same demo in another world: one permutation of letters and one of digits on every text.

With no permutation the texts stay as they are. Two runs in two worlds that write the same lines
show that no line was made from what the customers wrote.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import replace

from documents import DOCUMENTS, QUESTIONS, Document, Question

Spelling = Callable[[str], str]


def spelling(seed: int | None) -> Spelling:
    """Give the function that spells a text in world `seed`; None is the world as written."""
    if seed is None:
        return str
    shuffler = random.Random(seed)
    letters = shuffler.sample(string.ascii_lowercase, 26)
    digits = shuffler.sample(string.digits, 10)
    old = string.ascii_lowercase + string.ascii_uppercase + string.digits
    new = "".join(letters) + "".join(letters).upper() + "".join(digits)
    table = str.maketrans(old, new)
    return lambda text: text.translate(table)


def documents(spell: Spelling) -> dict[str, Document]:
    """The documents of a world, under the same keys in each."""
    return {
        key: Document(spell(document.title), tuple(map(spell, document.chunks))) for key, document in DOCUMENTS.items()
    }


def questions(spell: Spelling) -> tuple[Question, ...]:
    """The questions of a world, in the same order in each."""
    return tuple(
        replace(
            question,
            text=spell(question.text),
            quotes=tuple(tuple(map(spell, quotes)) for quotes in question.quotes),
            altered=tuple(map(spell, question.altered)),
        )
        for question in QUESTIONS
    )
