"""Match mode where a scope is seen from within other calls: all that is seen of it ends with it."""

from __future__ import annotations

import pytest

import discreet
from discreet.matching import Index
from discreet.scope import Scope, current, enter, opened
from tests.match_mode.lines import log, logged

QUESTION = "Did the Wagtailmere brothers ever pay for the second boat house?"
SECOND = "Is the lighthouse keeper allowed to sell her share in the ferry?"
THIRD = "Who told the notary of the leak behind the winter kitchen wall?"


def shown(scope: Scope) -> str:
    before = current()
    enter(scope)
    try:
        return str(logged(lambda: log.info("Asked %s", QUESTION))[0]["message"])
    finally:
        if before is not None:
            enter(before)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_what_is_seen_of_a_scope_ends_with_it_however_often_it_is_seen(depth: int) -> None:
    """A generator may go on in a call, whose own code another call goes on with."""
    scope = opened({"question": QUESTION})
    with discreet.customer_text(prompt=SECOND), discreet.customer_text(chunk=THIRD):
        view = scope
        for number in range(depth):
            view = view.within(opened({f"text_{number}": f"{SECOND} {number}"}))
        assert shown(view) == "Asked <question 64-255>"
        scope.close()
        assert view.closed
        assert shown(view) == "Asked <str 64-255>"


def test_an_index_that_was_cleared_says_nothing_of_what_it_does_not_find() -> None:
    """Another thread may still look into it."""
    index = Index([("question", QUESTION)])
    assert not index.partial
    index.clear()
    assert index.partial
