"""Ids of requests: taken over if they are safe, made otherwise, and on the records of every logger."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

import discreet
from discreet.errors import ConfigurationError
from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.requests import COUNTS
from discreet.instrument.wsgi import ContentMiddleware as WsgiMiddleware
from discreet.scoped import request_id
from tests.middleware.driving import ASKED, Started, asgi, chunks, environ, http, log, logged
from tests.structlogs.events import sealing

UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
GIVEN = "0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a11"


def answered(headers: list[tuple[bytes, bytes]] | None = None) -> Any:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        logging.getLogger("somebody.else").warning("Asked")
        start = {"type": "http.response.start", "status": 200}
        await send(start if headers is None else {**start, "headers": headers})
        await send({"type": "http.response.body", "body": b"ok"})

    return app


@pytest.mark.parametrize("given", [GIVEN, "01JDVX7Q2M9F4R8T6Y3W5B1N0K", "4711", "9f86d081884c"])
def test_a_safe_id_of_the_client_is_kept(given: str) -> None:
    """It is on the records and in the answer, whose other headers stay as they are."""
    sent: list[Any] = []
    app = ContentMiddleware(answered([(b"content-type", b"text/plain")]))

    lines = logged(lambda: sent.extend(asgi(app, http(x_request_id=given), chunks(b"nothing"))))

    assert lines == [{"message": "Asked", "request_id": given}]
    assert sent[0]["headers"] == [(b"content-type", b"text/plain"), (b"x-request-id", given.encode())]
    assert COUNTS.as_dict() == {"requests": 1, "incomplete": 0, "beyond_bytes": 0, "ids_replaced": 0}


@pytest.mark.parametrize(
    "given",
    [ASKED, "rosalind", "7f9c24e8-3b12-3fef-91e0-35b1c4d0a7c5", "1234567890123", f"{GIVEN}, {GIVEN}", "", "a\u00e4"],
)
def test_any_other_id_is_replaced(given: str) -> None:
    """A word, a digest of a name, a long number, two of them."""
    sent: list[Any] = []
    app = ContentMiddleware(answered())

    lines = logged(lambda: sent.extend(asgi(app, http(x_request_id=given), chunks(b""))))

    made = lines[0]["request_id"]
    assert UUID4.fullmatch(made)
    assert sent[0]["headers"] == [(b"x-request-id", made.encode())]
    assert COUNTS.ids_replaced == 1


def test_an_id_that_the_request_itself_quotes_is_not_shown() -> None:
    """A number may be a customer's; the answer has it all the same, since its client sent it."""
    app = ContentMiddleware(answered())

    assert logged(lambda: asgi(app, http(x_request_id="471147"), chunks(b"my account is 471147"))) == [
        {"message": "Asked"}
    ]


def test_without_a_request_there_is_no_id() -> None:
    """And none after it, nor without a header for it."""
    app = ContentMiddleware(answered(), request_id_header=None)

    assert logged(lambda: asgi(app, http(x_request_id=GIVEN), chunks(b""))) == [{"message": "Asked"}]
    assert request_id() is None


def test_a_header_of_the_application_and_an_id_on_a_record_stay() -> None:
    """The application knows better."""
    own = "0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a22"
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        log.info("Asked", extra={"request_id": own})
        await send({"type": "http.response.start", "status": 200, "headers": [(b"X-Request-ID", own.encode())]})

    lines = logged(lambda: sent.extend(asgi(ContentMiddleware(app), http(x_request_id=GIVEN))))

    assert lines == [{"message": "Asked", "request_id": own}]
    assert sent[0]["headers"] == [(b"X-Request-ID", own.encode())]


def test_a_text_in_the_place_of_an_id_is_withheld() -> None:
    """Of any logger: the attribute has its type everywhere."""
    assert logged(lambda: logging.getLogger("any").warning("Asked", extra={"request_id": ASKED})) == [
        {"message": "Asked", "withheld": 1}
    ]


def test_the_middleware_inside_another_keeps_its_id() -> None:
    """One request has one id."""
    sent: list[Any] = []
    app = ContentMiddleware(ContentMiddleware(answered()))

    lines = logged(lambda: sent.extend(asgi(app, http(), chunks(b""))))

    assert sent[0]["headers"] == [(b"x-request-id", lines[0]["request_id"].encode())]


def test_wsgi_has_the_same_ids_in_the_header_that_is_asked_for() -> None:
    """With the arguments of `start_response` as they came."""
    started = Started()

    def app(environ: Any, start_response: Any) -> list[bytes]:
        log.info("Asked")
        start_response("500 No", [("Content-Type", "text/plain")], (ValueError, ValueError(), None))
        return [b"ok"]

    wrapped = WsgiMiddleware(app, request_id_header="X-Trace-Key")
    lines = logged(lambda: wrapped(environ(HTTP_X_TRACE_KEY=GIVEN), started))

    assert lines == [{"message": "Asked", "request_id": GIVEN}]
    status, headers, exc_info = started.calls[0]
    assert (status, exc_info[0]) == ("500 No", ValueError)
    assert headers == [("Content-Type", "text/plain"), ("X-Trace-Key", GIVEN)]


def failure(run: Callable[[], Any]) -> None:
    try:
        run()
    except LookupError:
        logging.getLogger("server").exception("Failed")


@pytest.mark.parametrize(
    ("given", "body", "shown"),
    [(GIVEN, b"", GIVEN), ("471147", b"nothing", "471147"), ("471147", b"my account is 471147", None)],
    ids=["long", "short", "quoted"],
)
def test_what_a_request_failed_with_has_its_id_after_it(given: str, body: bytes, shown: str | None) -> None:
    """Servers log it when the request is over; an id that its texts had is left out as it was meanwhile."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await receive()
        raise LookupError(ASKED)

    def answer(environ: Any, start_response: Any) -> Any:
        environ["wsgi.input"].read()
        yield b"ok"
        raise LookupError(ASKED)

    def nothing(environ: Any, start_response: Any) -> Any:
        environ["wsgi.input"].read()
        raise LookupError(ASKED)

    def served(application: Any) -> None:
        came = WsgiMiddleware(application)(environ(body=body, HTTP_X_REQUEST_ID=given), Started())
        try:
            list(came)
        finally:
            came.close()  # type: ignore[attr-defined]  # a generator's has it

    lines = logged(
        lambda: (
            failure(lambda: asgi(ContentMiddleware(ContentMiddleware(app)), http(x_request_id=given), chunks(body))),
            failure(lambda: served(nothing)),
            failure(lambda: served(answer)),
        )
    )

    assert [(one["exception_type"], one.get("request_id")) for one in lines] == [("LookupError", shown)] * 3


def test_only_frames_of_the_middleware_itself_tell_of_a_request() -> None:
    """A function of the program may be called the same, and have what it likes under the same name."""
    app = ContentMiddleware(answered())
    code = type(app).__call__.__code__
    known = SimpleNamespace(failed_id=ASKED)

    def same(request: Any) -> None:
        raise LookupError(ASKED)

    same.__code__ = same.__code__.replace(co_name=code.co_name, co_filename=code.co_filename)

    assert [one.get("request_id") for one in logged(lambda: failure(lambda: same(known)))] == [None]


def test_event_dicts_of_structlog_and_foreign_handlers_have_it_too() -> None:
    """Whatever way a record goes."""
    shown: list[tuple[Any, Any]] = []

    class Foreign(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            shown.append((record.getMessage(), record.__dict__.get("request_id")))

    async def app(scope: Any, receive: Any, send: Any) -> None:
        structlog.get_logger().info("Asked", shard=3)
        log.info("Asked")

    log.addHandler(handler := Foreign())
    discreet.install()
    keeper = sealing()
    try:
        logged(lambda: asgi(ContentMiddleware(app), http(x_request_id=GIVEN)))
    finally:
        log.removeHandler(handler)
        structlog.reset_defaults()

    assert [event["request_id"] for event in keeper.take()] == [GIVEN]
    assert shown == [("Asked", GIVEN)]


@pytest.mark.parametrize("header", ["X Request", "", "X-Request-ID\r\nSet-Cookie: a", 7])
@pytest.mark.parametrize("middleware", [ContentMiddleware, WsgiMiddleware])
def test_a_header_that_is_none_is_refused(middleware: Any, header: Any) -> None:
    """At once, not at the first request."""
    with pytest.raises(ConfigurationError) as caught:
        middleware(answered(), request_id_header=header)
    assert caught.value.place == "request_id_header"


@pytest.mark.parametrize("options", [{"max_body_bytes": -1}, {"max_body_bytes": True}, {"public": "body.model"}])
def test_other_wrong_options_are_refused(options: dict[str, Any]) -> None:
    """The error names the option."""
    with pytest.raises(ConfigurationError) as caught:
        ContentMiddleware(answered(), **options)
    assert caught.value.place == next(iter(options))
