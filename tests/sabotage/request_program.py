"""The part of the program that serves requests: a function for each place where a middleware has to notice a text."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import discreet
from discreet import scoped
from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.wsgi import ContentMiddleware as WsgiMiddleware
from discreet.match_mode import set_match
from discreet.scope import carry
from tests.middleware.driving import Started, asgi, chunks, environ, http

LOG = logging.getLogger("harbour")


class App:
    """An ASGI application that reads its messages and logs a word; it keeps what it would do after the request."""

    def __init__(self, word: str, messages: int = 1) -> None:
        self.word = word
        self.messages = messages
        self.later: Callable[[], None] = self.tell
        self.id: str | None = None

    def tell(self) -> None:
        LOG.info("about %s", self.word)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        for _ in range(self.messages):
            await receive()
        self.later = carry(self.tell)
        self.id = scoped.request_id()
        self.tell()

    def serve(self, scope: Any, *pieces: bytes, **options: Any) -> None:
        set_match("install", ("harbour",))
        try:
            asgi(ContentMiddleware(self, **options), scope, chunks(*pieces))
        finally:
            set_match("install", ())


class Between(App):
    """Looks for its word before its body has come and after it."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.lacking: list[bool] = []
        for _ in range(self.messages):
            await receive()
            into = scoped.look()
            self.lacking.append(into is not None and into.lacks(f"about {self.word}", [self.word]))


class SeenWithin(App):
    """Hands what logs to another call, and logs as it is seen there once the body has come."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        seen: list[Callable[[], None]] = []
        handed = carry(lambda: seen.append(carry(self.tell)))
        other = discreet.customer_text(other="something of a text")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(other.__enter__).result()
            pool.submit(handed).result()
            for _ in range(self.messages):
                await receive()
            pool.submit(seen[0]).result()


def request_body() -> None:
    App("hollyhocks").serve(http(query="q=quiet", content_type="text/plain"), b"about hollyhocks of the yard")


def request_query() -> None:
    App("nasturtium").serve(http(query="q=nasturtium"), b"something of a body")


def request_beyond() -> None:
    App("periwinkles", 2).serve(http(query="q=quiet"), b"something", b" of periwinkles", max_body_bytes=9)


def request_between() -> str | None:
    app = Between("columbines", 2)
    app.serve(http(query="q=quiet", content_type="text/plain"), b"something", b" of columbines")
    return None if app.lacking == [True, False] else f"a word was missing: {app.lacking}"


def request_unread() -> None:
    App("delphiniums").serve(http(content_type="image/png"), b"\x89PNG\0\0")


def request_twice() -> None:
    body = b'{"q": "agapanthus", "q": "quiet words"}'
    App("agapanthus").serve(http(query="q=quiet", content_type="application/json"), body)


def request_base64() -> None:
    body = json.dumps({"file": base64.b64encode(b"of ranunculus in the yard").decode()}).encode()
    App("ranunculus").serve(http(query="q=quiet", content_type="application/json"), body)


def request_parts() -> None:
    body = b'--mark\nContent-Disposition: form-data; name="q"\n\nof helenium\n--mark--\n'
    App("helenium").serve(http(query="q=quiet", content_type="multipart/form-data; boundary=mark"), body)


def request_row() -> None:
    App("Sea/Pink").serve(http("/shelf/Sea/Pink", "q=quiet"))


def request_messages() -> None:
    set_match("install", ("harbour",))
    messages = [{"type": "websocket.receive", "text": text} for text in ("of snow", "dr", "ops")]
    asgi(ContentMiddleware(App("snowdrops", 3)), {**http(query="q=quiet"), "type": "websocket"}, messages)
    set_match("install", ())


def request_seen_within() -> None:
    SeenWithin("gentianblue").serve(http(query="q=quiet", content_type="text/plain"), b"of gentianblue")


def request_seen_beyond() -> None:
    SeenWithin("candytufts", 2).serve(http(query="q=quiet"), b"something", b" of candytufts", max_body_bytes=9)


def request_after() -> None:
    app = App("quiet")
    app.serve(http(query="q=quiet"), b"a body")
    app.word = "snapdragons"
    set_match("install", ("harbour",))
    app.later()
    set_match("install", ())


def request_id() -> str | None:
    app = App("quiet")
    app.serve(http(query="q=quiet", x_request_id="wisteriawall"), b"a body")
    return "a word is taken for an id" if app.id == "wisteriawall" else None


def request_id_of_a_text() -> str | None:
    app = App("quiet")
    app.serve(http(query="q=quiet", x_request_id="20480512"), b"born 20480512")
    return "a piece of the body goes out as the id" if app.id is not None else None


def request_failed_id() -> str | None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        raise LookupError

    found: list[str | None] = []
    try:
        asgi(ContentMiddleware(app), http(x_request_id="20481224"), chunks(b"born 20481224"))
    except LookupError as error:
        found.append(scoped.request_id(error.__traceback__))
    return "a piece of the body goes out as the id of what failed" if found != [None] else None


def request_input() -> None:
    def app(environ: Any, start_response: Any) -> list[bytes]:
        environ["wsgi.input"].read()
        LOG.info("about %s", "foxgloveden")
        return []

    set_match("install", ("harbour",))
    WsgiMiddleware(app)(environ(query="q=quiet", body=b"about foxgloveden"), Started())
    set_match("install", ())
