"""Records after a model's reply, in match mode and in every form: nothing that was missing before it counts later."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import discreet
from discreet.scope import carry
from discreet.scope_replies import register_reply
from tests.middleware.driving import ASKED, OTHER, log
from tests.middleware.test_records_between import FIRST, SECOND, messages, serve, shown, tell

REPLY = "It is the trombone of the late ferryman."
FOUND = shown("<reply 1-15>")
IN_BODY = shown("<body 1-15>")


@pytest.mark.parametrize(
    "inner", [{}, {"chunk": "The office charges for a berth by the metre."}], ids=["alone", "inner"]
)
def test_what_was_missing_before_a_reply_is_found_after_it(inner: dict[str, str]) -> None:
    """Every form; also in a call inside the scope that was begun before."""

    def run() -> None:
        with discreet.customer_text(question=OTHER), discreet.customer_text(**inner) as scope:
            tell()
            tell()
            register_reply(REPLY, outside=scope._owner)
            tell()
            tell()

    assert messages(run) == [*shown(), *shown(), *FOUND, *FOUND]


def test_a_reply_is_withheld_as_a_whole() -> None:
    """As it came, in pieces and put together with other words."""

    def run() -> None:
        with discreet.customer_text(question=OTHER):
            register_reply(REPLY)
            log.info("Said %s", REPLY)
            log.info("Said %s", REPLY[3:30])
            log.info("Said %s", "twelve words")

    assert messages(run) == ["Said <reply 16-63>", "Said <reply 16-63>", "Said twelve words"]


@pytest.mark.parametrize("later", ["reply", "body"])
def test_a_request_knows_both_its_body_and_the_replies(later: str) -> None:
    """Whichever comes last; a reply leaves what came of the body known, and the other way round."""
    body, reply = (FIRST, SECOND), REPLY if later == "reply" else "The cellar of the customs house is flooded."

    async def app(scope: Any, receive: Any, send: Any) -> None:
        tell("the cellar")
        tell()
        await receive()
        register_reply(reply)
        tell("the cellar")
        tell()
        await receive()
        tell("the cellar")
        tell()

    if later == "reply":
        # Found in the body, once that has come: there it is looked for first.
        wanted = [*shown("the cellar"), *shown(), *shown("the cellar"), *FOUND, *shown("the cellar"), *IN_BODY]
    else:
        cellar = shown("<reply 1-15>")
        wanted = [*shown("the cellar"), *shown(), *cellar, *shown(), *cellar, *IN_BODY]
    assert serve(app, *body) == wanted


@pytest.mark.parametrize("bound", [4096, len(FIRST)], ids=["kept", "beyond"])
def test_a_reply_does_not_make_a_request_known_that_is_not(bound: int) -> None:
    """One without texts, and one with more than is kept: as before, nothing is let through."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        register_reply(REPLY)
        log.info("Took %s", "a feather")
        await receive()
        await receive()
        register_reply("The cellar of the customs house is flooded.")
        log.info("Took %s", "a feather")

    last = "Took a feather" if bound > len(FIRST) else "Took <str 1-15>"
    assert serve(app, FIRST, SECOND, query="", bound=bound) == ["Took <str 1-15>", last]


def test_a_reply_alone_does_not_say_what_the_customer_wrote() -> None:
    """In a scope without texts everything is withheld, after a reply too."""

    def run() -> None:
        with discreet.observe_call("orchard.answer"):
            register_reply(REPLY)
            log.info("Took %s", "a feather")
            log.info("Took %s", "the trombone")

    assert messages(run)[:2] == ["Took <str 1-15>", "Took <str 1-15>"]


def test_a_reply_is_known_to_what_is_seen_within_another_call() -> None:
    """Once seen there before the reply came, and carried on as it is seen; after the call nothing is let through."""

    def run() -> None:
        seen: list[Any] = []
        first, second = (discreet.customer_text(chunk=f"{one} does the office charge?") for one in ("What", "When"))

        def handed() -> None:
            tell()
            seen.append(carry(tell))

        with discreet.customer_text(question=ASKED[:20]):
            in_a_thread(first.__enter__, carry(handed))
            # Seen within a second call as it is seen within the first one.
            in_a_thread(second.__enter__, lambda: seen[0](), carry(lambda: seen.append(carry(tell))))
            register_reply(REPLY)
            in_a_thread(*seen)
        in_a_thread(*seen)
        for one in (first, second):
            one.__exit__(None, None, None)

    nothing = [*shown("<str 1-15>", "<str 1-15>")[:-1], "Told: {value}"]
    assert messages(run) == [*shown(), *shown(), *FOUND, *FOUND, *nothing, *nothing]


def in_a_thread(*runs: Any) -> None:
    """Run these one after another in a thread of their own."""
    thread = threading.Thread(target=lambda: [run() for run in runs])
    thread.start()
    thread.join()
