"""The ASGI middleware: what a request carries is known while it runs, and nothing else of the request changes."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from typing import Any

import pytest

import discreet
from discreet.export.ledger import LEDGER
from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.requests import COUNTS, Request
from discreet.scope import current
from tests.middleware.driving import ASKED, OTHER, asgi, chunks, http, log, logged, note, told

JSON = "application/json"


async def read_all(receive: Any) -> bytes:
    data, more = b"", True
    while more:
        message = await receive()
        data, more = data + message.get("body", b""), message.get("more_body", False)
    return data


def app_of(*values: str) -> Any:
    """Return an application that reads its body and notes these values."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        for value in values:
            note(value)

    return app


@pytest.mark.parametrize(
    ("scope", "body", "shown"),
    [
        (http(content_type=JSON), json.dumps({"question": ASKED}), "<body.question 64-255>"),
        (http(content_type="text/plain"), ASKED, "<body 64-255>"),
        (http(content_type="application/x-www-form-urlencoded"), f"text={ASKED}", "<form.text 64-255>"),
        (http(query="q=" + ASKED.replace(" ", "%20")), "", "<query.q 64-255>"),
        (http(query="q=" + ASKED.replace(" ", "+")), json.dumps({"k": 5}), "<query.q 64-255>"),
        (http(path=f"/ask/{ASKED}", query="k=top"), "", "<path[1] 64-255>"),
    ],
    ids=["json", "text", "form", "query", "query and body", "path"],
)
def test_what_a_request_carries_is_found_in_its_records(scope: Any, body: str, shown: str) -> None:
    """Other strings are let through."""
    app = ContentMiddleware(app_of(ASKED, "a quiet word"))

    assert told(lambda: asgi(app, scope, chunks(body.encode()))) == [shown, "a quiet word"]


@pytest.mark.parametrize(
    ("scope", "body"),
    [(http(), b""), (http(path="/health"), b""), (http(content_type=JSON), b'{"k": 5}'), (http(query="k=5"), b"")],
    ids=["nothing", "path", "numbers", "number"],
)
def test_a_request_without_text_lets_nothing_through(scope: Any, body: bytes) -> None:
    """As a call without a scope: that nothing was registered doesn't say that there is no customer text."""
    assert told(lambda: asgi(ContentMiddleware(app_of("a quiet word")), scope, chunks(body))) == ["{value}"]


def test_a_body_in_pieces_is_known_as_far_as_it_has_come() -> None:
    """Each piece before the application has it, and the whole by its content type at the end."""
    first, second = '{"question": "Did my neighbour Rosalind bu', 'ry the trombone under the gooseberries?"}'

    async def app(scope: Any, receive: Any, send: Any) -> None:
        note(ASKED)
        for _ in range(2):
            note((await receive())["body"].decode())
            note(ASKED)
            note("Rosalind")

    scope = http(query="lang=sv-fi-x", content_type=JSON)
    found = told(lambda: asgi(ContentMiddleware(app), scope, chunks(first.encode(), second.encode())))

    # Before anything came, the application can only have the text from elsewhere.
    assert found == [
        ASKED,
        "<body 16-63>",
        "<body 64-255>",
        "<body 1-15>",
        "<body.question 16-63>",
        "<body.question 64-255>",
        "<body.question 1-15>",
    ]


def test_beyond_the_bound_nothing_is_let_through() -> None:
    """What was kept is still found, in values that are declared public; the rest is counted."""
    scope = http(content_type="text/plain")
    app = ContentMiddleware(app_of("a quiet word"), max_body_bytes=30)

    found = told(lambda: asgi(app, scope, chunks(ASKED[:20].encode(), ASKED[20:].encode())))

    assert found == ["{value}"]
    assert COUNTS.as_dict() == {"requests": 1, "incomplete": 1, "beyond_bytes": len(ASKED) - 30, "ids_replaced": 0}


def test_a_body_that_cannot_be_read_lets_nothing_through() -> None:
    """An image has texts that only the application can read."""
    scope = http(content_type="image/png", query="q=trombone")
    app = ContentMiddleware(app_of("a quiet word"))

    assert told(lambda: asgi(app, scope, chunks(b"\x89PNG\0\0"))) == ["{value}"]
    assert COUNTS.incomplete == 1


def test_the_texts_last_as_long_as_the_application_runs() -> None:
    """Also in tasks that it starts; not in one that outlives it, and not in the next request."""
    tasks: list[Any] = []

    async def later(done: asyncio.Event) -> None:
        note(ASKED)
        await done.wait()
        note(ASKED)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        done = asyncio.Event()
        tasks.append((asyncio.create_task(later(done)), done))
        await asyncio.sleep(0)
        await send({"type": "http.response.start", "status": 200})
        note(ASKED)

    wrapped = ContentMiddleware(app)

    async def run() -> None:
        async def receive() -> Any:
            return chunks(ASKED.encode())[0]

        async def send(message: Any) -> None:
            return None

        await wrapped(http(content_type="text/plain"), receive, send)
        note(ASKED)
        tasks[0][1].set()
        await tasks[0][0]

    assert told(lambda: asyncio.run(run())) == ["<body 64-255>", "<body 64-255>", "{value}", "{value}"]
    assert current() is None


def test_requests_at_the_same_time_know_their_own_texts_only() -> None:
    """Each finds its question, and lets the other's through, which it can't know."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        await asyncio.sleep(0)
        note(f"{scope['number']} {OTHER}")

    wrapped = ContentMiddleware(app, request_id_header=None)

    async def one(number: int, text: str) -> None:
        async def receive() -> Any:
            await asyncio.sleep(0)
            return chunks(text.encode())[0]

        async def send(message: Any) -> None:
            return None

        await wrapped({**http(content_type="text/plain"), "number": number}, receive, send)

    async def run() -> None:
        await asyncio.gather(*(one(number, OTHER if number % 2 else ASKED) for number in range(6)))

    assert sorted(told(lambda: asyncio.run(run()))) == sorted(
        f"{number} {OTHER}" if number % 2 == 0 else "<body 16-63>" for number in range(6)
    )


def test_messages_of_a_websocket_are_known_as_they_come() -> None:
    """Text, JSON and bytes; the application's answer to the handshake carries the id."""
    messages = [
        {"type": "websocket.connect"},
        {"type": "websocket.receive", "text": json.dumps({"question": ASKED})},
        {"type": "websocket.receive", "text": None, "bytes": OTHER.encode()},
        {"type": "websocket.disconnect", "code": 1000},
    ]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        for _ in range(3):
            await receive()
            note(ASKED)
            note(OTHER)

    sent: list[Any] = []
    scope = {**http(), "type": "websocket"}
    found = told(lambda: sent.extend(asgi(ContentMiddleware(app), scope, messages)))

    assert found == ["<message.question 64-255>", OTHER, *["<message.question 64-255>", "<message 16-63>"] * 2]
    assert [name for name, _ in sent[0]["headers"]] == [b"x-request-id"]


def test_a_websocket_beyond_the_bound_lets_nothing_through_any_more() -> None:
    """What an application remembers of earlier messages isn't known, so none is forgotten for a later one."""
    messages = [{"type": "websocket.receive", "text": text} for text in (ASKED, OTHER)]

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(2):
            await receive()
            note("a quiet word")

    scope = {**http(), "type": "websocket"}

    assert told(lambda: asgi(ContentMiddleware(app, max_body_bytes=80), scope, messages)) == ["a quiet word", "{value}"]
    assert (COUNTS.incomplete, COUNTS.beyond_bytes) == (1, len(OTHER))


def test_messages_go_through_as_they_are() -> None:
    """Those that the application gets and sends are the same objects, but for the headers of the answer."""
    incoming = [*chunks(b"a", b"b"), {"type": "http.disconnect"}]
    outgoing = [
        {"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")], "trailers": True},
        {"type": "http.response.body", "body": b"x", "more_body": True},
        {"type": "http.response.pathsend", "path": "/etc/hostname"},
        {"type": "http.response.trailers", "headers": []},
    ]
    got: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        got.extend([await receive() for _ in incoming])
        for message in outgoing:
            await send(message)

    sent = asgi(ContentMiddleware(app), http(), incoming)

    assert [id(one) for one in got] == [id(one) for one in incoming]
    assert [id(one) for one in sent[1:]] == [id(one) for one in outgoing[1:]]
    assert {**sent[0], "headers": sent[0]["headers"][:1]} == outgoing[0]


def test_other_kinds_of_connections_are_left_alone() -> None:
    """A lifespan has no request."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append((scope, receive, send, current()))

    asyncio.run(ContentMiddleware(app)({"type": "lifespan"}, read_all, note))  # type: ignore[arg-type]  # handed on

    assert seen == [({"type": "lifespan"}, read_all, note, None)]


def test_what_the_application_raises_is_raised_and_the_texts_are_forgotten() -> None:
    """Its exception is the same object."""
    error = LookupError(ASKED)
    scopes: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        scopes.append(current())
        raise error

    with pytest.raises(LookupError) as caught:
        asgi(ContentMiddleware(app), http(content_type="text/plain"), chunks(ASKED.encode()))

    assert caught.value is error
    assert (scopes[0].closed, scopes[0].find(ASKED)) == (True, None)


@pytest.mark.parametrize("broken", ["target", "chunk"])
def test_failures_of_its_own_are_counted_and_let_nothing_through(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application has its request and its answer."""

    def fail(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(ASKED)

    monkeypatch.setattr(Request, broken, fail)
    app = ContentMiddleware(app_of("a quiet word"))

    assert told(lambda: asgi(app, http(query="q=trombone"), chunks(ASKED.encode()))) == ["{value}"]
    assert LEDGER.failures == {("middleware", "RuntimeError"): 1}


@pytest.mark.parametrize("reader", ["read_body", "pairs"])
def test_texts_that_cannot_be_read_are_looked_for_as_they_came(reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours in reading them lets nothing through, and is counted."""

    def fail(*arguments: Any) -> None:
        raise RuntimeError(ASKED)

    monkeypatch.setattr(f"discreet.instrument.requests.{reader}", fail)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        note("a quiet word")
        log.info("Told: %s", discreet.public("trombone"))

    found = told(lambda: asgi(ContentMiddleware(app), http(query="q=trombone"), chunks(b"a trombone")))

    assert found == ["{value}", "<body 1-15>"]
    assert LEDGER.failures == {("middleware", "RuntimeError"): 1}


@pytest.mark.parametrize("headers", [[(b"a",)], 7, [("a", "b")]])
def test_an_answer_of_a_wrong_form_is_the_servers_business(headers: Any) -> None:
    """It gets it as it is, or as it can be read."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    sent = asgi(ContentMiddleware(app), http())

    assert sent[0]["headers"] == headers
    assert LEDGER.failures != {}


def test_a_scope_of_a_wrong_form_reaches_the_application() -> None:
    """Without headers and a path, or with others than there should be."""
    seen: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.append(scope)

    scopes = [{"type": "http"}, {**http(), "headers": 7}, {**http(), "query_string": "text"}]
    for scope in scopes:
        asgi(ContentMiddleware(app), scope)

    assert seen == scopes
    assert sum(LEDGER.failures.values()) == 1


def test_a_record_in_deny_mode_reads_no_body(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is parsed before a record needs it, which most don't."""
    read: list[Any] = []
    monkeypatch.setattr("discreet.instrument.requests.read_body", lambda *arguments: read.append(arguments))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await read_all(receive)
        logging.getLogger("other").warning("Asked %s", ASKED)
        with suppress(ValueError):
            int("x")

    lines = logged(lambda: asgi(ContentMiddleware(app, request_id_header=None), http(), chunks(b"{}")))

    assert lines == [{"message": "Asked <str 64-255>", "withheld": 1}]
    assert read == []


def test_headers_that_can_be_read_once_reach_the_server() -> None:
    """Whether the application has set an id or not."""
    for pairs in ([], [(b"x-request-id", b"7")]):

        async def app(scope: Any, receive: Any, send: Any, pairs: Any = pairs) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": iter([(b"a", b"b"), *pairs])})

        headers = asgi(ContentMiddleware(app), http(x_request_id="7"))[0]["headers"]
        assert headers == [(b"a", b"b"), (b"x-request-id", b"7")]
