"""Replies that are registered while a call runs: where they are known, and for how long."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

import discreet
from discreet import scope_replies
from discreet.export.ledger import LEDGER
from discreet.matching.growing import Growing
from discreet.scope import Scope, carry, current
from discreet.scope_replies import MOST_REPLIES, register_reply
from tests.calls.seen import QUESTION

REPLY = "The pilot's launch is moored behind the ice house."


def reply(number: int) -> str:
    return f"Reply number {number:05d} of the harbour master's book."


def known(scope: Scope, *texts: str) -> list[bool]:
    return [scope.find(text) is not None for text in texts]


def here() -> Scope:
    scope = current()
    assert scope is not None
    return scope


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError

    __repr__ = __len__ = __bool__ = isspace = __str__  # type: ignore[assignment]


def test_a_reply_is_known_as_long_as_the_scope_that_it_comes_to() -> None:
    """Not in the one that ends too soon for it; outside of any it is nowhere; what says nothing does nothing."""
    register_reply(QUESTION)
    assert current() is None
    with discreet.customer_text(name="Ingeborg") as outer:
        with discreet.observe_call("harbour.find") as call:
            register_reply(QUESTION, outside=call)
            register_reply(None)
            register_reply(" \n")
        assert outer.places == ("name", "reply")
        assert known(outer, QUESTION, REPLY) == [True, False]
        register_reply(Loud(REPLY))
        assert known(outer, QUESTION, REPLY) == [True, True]
    assert known(outer, QUESTION, REPLY) == [False, False]
    assert outer.places == ("name",)
    assert LEDGER.as_dict()["failures"] == []


def test_a_scope_keeps_the_last_replies_only() -> None:
    """A program may run in one scope for days. The texts that it was opened with stay, and most of the last replies."""
    with discreet.customer_text(name="Ingeborg Brandvold") as scope:
        for number in range(3 * MOST_REPLIES):
            register_reply(reply(number))
            assert len(scope.places) <= 1 + MOST_REPLIES
        last = [f"number {number:05d} of" for number in range(3 * MOST_REPLIES)]
        found = known(scope, *last)
        assert scope.places[0] == "name"
        assert known(scope, "Brandvold") == [True]
        assert found == sorted(found)
        assert MOST_REPLIES * 7 // 8 <= sum(found) == len(scope.places) - 1 <= MOST_REPLIES


def test_whoever_sees_a_scope_within_another_call_knows_its_replies() -> None:
    """Those that came before and after, there and here, and also what is seen of it within a third one."""
    seen: list[Scope] = []
    handed: list[Callable[[], None]] = []

    def within() -> None:
        seen.append(here())
        register_reply(reply(len(seen)))
        handed.append(carry(within))

    with discreet.customer_text(name="Ingeborg") as scope:
        register_reply(QUESTION)
        handed.append(carry(within))
        for number in range(2):
            thread = threading.Thread(target=in_another_call, args=(handed[number],))
            thread.start()
            thread.join()
        register_reply(REPLY)
        texts = (QUESTION, reply(1), reply(2), REPLY)
        assert len({id(one) for one in (scope, *seen)}) == 3
        assert [known(one, *texts) for one in (scope, *seen)] == [[True] * 4] * 3

    assert [known(one, *texts) for one in (scope, *seen)] == [[False] * 4] * 3
    assert [one.closed for one in (scope, *seen)] == [True] * 3


def in_another_call(run: Callable[[], None]) -> None:
    with discreet.customer_text(name="Osbert"):
        run()


def test_replies_of_several_threads_are_all_known() -> None:
    """None of them loses what another one adds."""
    with discreet.customer_text(name="Ingeborg") as scope:
        together = threading.Barrier(4)

        def work(first: int) -> None:
            together.wait()
            for number in range(first, first + 40):
                register_reply(reply(number))

        threads = [threading.Thread(target=carry(work), args=(first,)) for first in (0, 40, 80, 120)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert known(scope, *(f"number {number:05d} of" for number in range(160))) == [True] * 160
        assert scope.places == ("name", *["reply"] * 160)


def test_a_reply_that_comes_while_its_scope_ends_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """In another thread; nobody would forget it later."""
    kept: list[Growing] = []

    class Late(Growing):
        __slots__ = ()

        def add(self, *args: Any) -> None:
            kept.append(self)
            scope.close()
            super().add(*args)

    monkeypatch.setattr(scope_replies, "Growing", Late)
    with discreet.customer_text(name="Ingeborg") as scope:
        register_reply(REPLY)
        assert [one.find(REPLY) for one in kept] == [None]
        assert (known(scope, REPLY), scope.places) == ([False], ("name",))


def test_a_reply_that_cannot_be_registered_is_a_failure_that_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asked for it goes on."""

    def fail(*_: object) -> None:
        raise MemoryError

    with discreet.customer_text(name="Ingeborg"):
        register_reply(5)  # type: ignore[arg-type]
        monkeypatch.setattr(Growing, "add", fail)
        register_reply(REPLY)
    assert sorted((one["where"], one["error"], one["count"]) for one in LEDGER.as_dict()["failures"]) == [
        ("observe_call", "MemoryError", 1),
        ("observe_call", "TypeError", 1),
    ]
