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
    letters, digits = list(string.ascii_lowercase), list(string.digits)
    new_letters, new_digits = letters[:], digits[:]
    shuffler.shuffle(new_letters)
    shuffler.shuffle(new_digits)
    table = dict(zip(letters + digits, new_letters + new_digits, strict=True))
    table |= {old.upper(): new.upper() for old, new in zip(letters, new_letters, strict=True)}
    return lambda text: text.translate(str.maketrans(table))


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
