"""What verbatim is given is known, and if it can't be read, it is known that something is missing."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from discreet.instrument.observed import Observed, observed
from discreet.instrument.verbatim import _texts
from discreet.scope import current
from discreet.scoped import look
from tests.calls.seen import Seen

pytestmark = pytest.mark.integration

QUESTION = "Who mended the Pendlebury weathercock?"
CHUNK = "The weathercock of the Pendlebury chapel was mended by the smith."


def run(documents: Iterable[Any]) -> tuple[tuple[str, ...], bool, int]:
    """Return which places are known, whether these are all texts, and how many documents the function read."""

    def extract(question: str, documents: Iterable[Any], k: int = 3) -> tuple[tuple[str, ...], bool, int]:
        scope = current()
        assert scope is not None
        return scope.places, look() is not None, len(list(documents))

    found: tuple[tuple[str, ...], bool, int] = observed(
        extract, Observed(operation="verbatim.extract", find_texts=_texts)
    )(QUESTION, documents)
    return found


def test_documents_that_can_be_read_are_known(sinks: Seen) -> None:
    """Texts, mappings, and objects that have text."""
    documents = [CHUNK, {"content": CHUNK}, SimpleNamespace(text=CHUNK)]

    assert run(documents) == (("question", "documents[0]", "documents[1].content", "documents[2]"), True, 3)


@pytest.mark.parametrize("documents", [iter([CHUNK, CHUNK]), (one for one in [CHUNK, CHUNK])])
def test_documents_that_can_be_read_once_are_the_functions_to_read(documents: Any, sinks: Seen) -> None:
    """Then match mode lets nothing through."""
    assert run(documents) == (("question",), False, 2)
