"""The reference pages say what the contracts say."""

from __future__ import annotations

import pytest

from tests.docs import reference


@pytest.mark.parametrize("name", sorted(reference.pages()))
def test_a_page_of_the_reference_is_what_the_contracts_say(name: str) -> None:
    """`make docs` writes it anew after a contract has changed."""
    written = (reference.FOLDER / name).read_text(encoding="utf-8")

    assert written == reference.pages()[name]


def test_the_reference_has_no_page_of_a_contract_that_is_gone() -> None:
    """A name that links lead to and nobody keeps is worse than none."""
    assert {file.name for file in reference.FOLDER.glob("*.md")} == reference.pages().keys()
