"""Records between the pieces of a request, in every form: nothing that was missing counts later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest

import discreet
from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.requests import COUNTS
from discreet.instrument.wsgi import ContentMiddleware as WsgiMiddleware
from discreet.scope import carry, current
from tests.middleware.driving import ASKED, OTHER, Started, asgi, chunks, environ, http, log, logged, note

FIRST, SECOND = b"Did my neighbour Rosalind bu", b"ry the trombone under the gooseberries?"
QUERY = "q=" + OTHER.replace(" ", "%20")


def messages(run: Callable[[], Any]) -> list[str]:
    return [one["message"] for one in logged(run) if "message" in one]


def tell(what: str = "the trombone") -> None:
    """Log by each form of a message: by the quick look at all of it, and by those that follow it."""
    log.info("Took %s", what)
    log.info("Took %s of %d", what, 7)
    log.info("Took %s and %s", "a quiet word", what)
    log.info("Took %(what)s", {"what": what})
    log.info("Té %s", what)
    note(what)


def shown(what: str = "the trombone", other: str = "a quiet word") -> list[str]:
    return [
        f"Took {what}",
        f"Took {what} of 7",
        f"Took {other} and {what}",
        f"Took {what}",
        f"Té {what}",
        f"Told: {what}",
    ]


FOUND = shown("<body 1-15>")
WITHHELD = [*shown("<str 1-15>", "<str 1-15>")[:-1], "Told: {value}"]


def serve(app: Any, *pieces: bytes, query: str = QUERY, kind: str = "text/plain", bound: int = 4096) -> list[str]:
    """Return the messages that an ASGI application logs for one request."""
    wrapped = ContentMiddleware(app, max_body_bytes=bound, request_id_header=None)
    return messages(lambda: asgi(wrapped, http(query=query, content_type=kind), chunks(*pieces)))


def around(*values: str) -> Any:
    """Return a context manager for the records: a request's alone, or within a call that has texts of its own."""
    return discreet.customer_text(**{f"chunk{number}": one for number, one in enumerate(values)})


@pytest.mark.parametrize(
    "inner", [(), ("What does the harbour office charge for a berth?",)], ids=["alone", "in a call"]
)
def test_what_was_missing_before_a_piece_came_is_found_after_it(inner: tuple[str, ...]) -> None:
    """Every form, before the body, between its pieces and after it; the call was begun before the body came."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        with around(*inner):
            tell()
            await receive()
            tell()
            await receive()
            tell()
            tell()

    assert serve(app, FIRST, SECOND) == [*shown(), *shown(), *FOUND, *FOUND]


@pytest.mark.parametrize(
    "inner", [(), ("What does the harbour office charge for a berth?",)], ids=["alone", "in a call"]
)
def test_once_there_is_more_than_is_kept_nothing_is_let_through(inner: tuple[str, ...]) -> None:
    """Though it was let through before; a carried function and a task know it too."""

    async def task() -> None:
        log.info("Took %s", "a feather")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        with around(*inner):
            await receive()
            tell()
            later = carry(lambda: log.info("Took %s", "a feather"))
            later()
            await receive()
            tell()
            later()
            await asyncio.create_task(task())

    assert serve(app, FIRST, SECOND, bound=len(FIRST)) == [
        *shown(),
        "Took a feather",
        *WITHHELD,
        *["Took <str 1-15>"] * 2,
    ]
    assert COUNTS.incomplete == 1


@pytest.mark.parametrize(
    "inner", [(), ("What does the harbour office charge for a berth?",)], ids=["alone", "in a call"]
)
@pytest.mark.parametrize("form", range(6))
def test_texts_that_turn_out_not_to_be_all_let_nothing_through(form: int, inner: tuple[str, ...]) -> None:
    """They are read by the first look, whichever that is: it doesn't count either."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        with around(*inner):
            one = [
                lambda: log.info("Took %s", "the trombone"),
                lambda: log.info("Took %s of %d", "the trombone", 7),
                lambda: log.info("Took %s and %s", "a quiet word", "the trombone"),
                lambda: log.info("Took %(what)s", {"what": "the trombone"}),
                lambda: log.info("Té %s", "the trombone"),
                lambda: note("the trombone"),
            ][form]
            one()

    assert serve(app, b"\x89PNG\0\0", kind="image/png") == [WITHHELD[form]]


@pytest.mark.parametrize("form", range(6))
def test_texts_that_turn_out_to_be_none_let_nothing_through(form: int) -> None:
    """A body of numbers says nothing of what its customer wrote."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        one = [
            lambda: log.info("Took %s", "the trombone"),
            lambda: log.info("Took %s of %d", "the trombone", 7),
            lambda: log.info("Took %s and %s", "a quiet word", "the trombone"),
            lambda: log.info("Took %(what)s", {"what": "the trombone"}),
            lambda: log.info("Té %s", "the trombone"),
            lambda: note("the trombone"),
        ][form]
        one()

    assert serve(app, b'{"k": 5}', query="", kind="application/json") == [WITHHELD[form]]


def test_public_values_side_by_side_are_looked_for_in_what_has_come() -> None:
    """Cut so that no piece of the text agrees with it alone."""
    cut = [discreet.public(one) for one in ("ry the tr", "ombone under the goo")]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(2):
            log.warning("%s%s", *cut)
            await receive()
        log.warning("%s%s", *cut)

    whole = "ry the trombone under the goo"
    assert serve(app, FIRST, SECOND) == [whole, whole, "ry the tr<body 16-63>"]


@discreet.customer_text("prompt")
def worker(prompt: str) -> Generator[None]:
    while True:
        log.info("Got %s, %s and %s", "the trombone", prompt, "twelve shelves")
        yield


PROMPT = "You answer for the harbour office, briefly and in one language only."


def got(what: str, prompt: str = "<prompt 64-255>", other: str = "twelve shelves") -> str:
    return f"Got {what}, {prompt} and {other}"


NOTHING = got("<str 1-15>", "<str 64-255>", "<str 1-15>")


@pytest.mark.parametrize(("bound", "last"), [(4096, got("<body 1-15>")), (len(FIRST), NOTHING)], ids=["kept", "beyond"])
def test_a_generator_of_a_request_knows_what_comes_while_it_runs(bound: int, last: str) -> None:
    """It was begun before the body came."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        pipe = worker(PROMPT)
        for _ in range(2):
            next(pipe)
            await receive()
        next(pipe)

    assert serve(app, FIRST, SECOND, bound=bound) == [got("the trombone"), got("the trombone"), last]


@pytest.mark.parametrize(("bound", "last"), [(4096, got("<body 1-15>")), (len(FIRST), NOTHING)], ids=["kept", "beyond"])
@pytest.mark.parametrize("begun", ["outside", "inside"])
def test_a_scope_seen_within_another_goes_on_with_the_request(begun: str, bound: int, last: str) -> None:
    """A generator from outside of the request that goes on in it, and a function of it that another call runs."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if begun == "outside":
            run: Callable[[], None] = lambda: next(pipe)  # noqa: E731 -- one of two
        else:
            # Seen within another call once, before the texts come, and carried on as it is seen there.
            seen: list[Callable[[], None]] = []
            handed = carry(lambda: seen.append(carry(lambda: next(worker(PROMPT)))))
            elsewhere = asyncio.get_running_loop().run_in_executor(None, in_another_call, handed)
            await elsewhere
            run = seen[0]
        for _ in range(2):
            run()
            await receive()
        run()

    def in_another_call(handed: Callable[[], None]) -> None:
        other.__enter__()
        handed()

    other = discreet.customer_text(chunk="What does the harbour office charge for a berth?")
    pipe = worker(PROMPT)
    first = messages(lambda: next(pipe))
    found = serve(app, FIRST, SECOND, bound=bound)

    assert first == [got("the trombone")]
    assert found == [got("the trombone"), got("the trombone"), last]


@pytest.mark.parametrize("inner", [False, True])
@pytest.mark.parametrize(("bound", "last"), [(4096, FOUND), (len(FIRST), WITHHELD)], ids=["kept", "beyond"])
def test_a_call_that_is_observed_in_a_request_knows_its_texts(bound: int, last: list[str], inner: bool) -> None:
    """Whether it has texts of its own; its record has the request's id, and the result is the call's."""
    texts = {"question": "What does the harbour office charge for a berth?"} if inner else {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        with discreet.observe_call("orchard.answer", **texts):
            tell()
            await receive()
            tell()

    wrapped = ContentMiddleware(app, max_body_bytes=bound)
    scope = http(query=QUERY, content_type="text/plain", x_request_id="7d1c0a52-9a0f-4f5e-8f0b-1f6a52b0c3de")
    records = logged(lambda: asgi(wrapped, scope, chunks(FIRST, SECOND)))
    finished = records.pop()

    assert [one["message"] for one in records] == [*shown(), *last]
    assert {one["request_id"] for one in [*records, finished]} == {"7d1c0a52-9a0f-4f5e-8f0b-1f6a52b0c3de"}
    assert (finished["event"], finished["operation"], finished["outcome"]) == ("call_finished", "orchard.answer", "ok")


def test_an_answer_in_pieces_goes_on_with_the_call_that_it_is_in() -> None:
    """WSGI: the body is read while the pieces are made, each of them by the server, within an observed call."""

    def answer(source: Any) -> Iterator[bytes]:
        with discreet.observe_call("orchard.answer"):
            for size in (len(FIRST), len(SECOND)):
                log.info("Took %s", "the trombone")
                yield source.read(size)
            log.info("Took %s", "the trombone")

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        return answer(environ["wsgi.input"])

    def run() -> None:
        pieces = WsgiMiddleware(app)(environ(query=QUERY, body=FIRST + SECOND, CONTENT_TYPE="text/plain"), Started())
        assert b"".join(pieces) == FIRST + SECOND == ASKED.encode()
        pieces.close()  # type: ignore[attr-defined]
        log.info("Took %s", "a feather")

    found = messages(run)

    assert found[:3] == ["Took the trombone", "Took the trombone", "Took <body 1-15>"]
    assert found[-1] == "Took <str 1-15>"
    assert current() is None
