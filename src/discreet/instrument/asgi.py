"""An ASGI middleware: what a request carries is registered as customer text for as long as it runs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from typing import Any, Final

from discreet.instrument.options import Options
from discreet.instrument.requests import Request, failed, runs_a_request
from discreet.instrument.routers import learn_routes

__all__ = ["ContentMiddleware"]

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_KINDS: Final = frozenset({"http", "websocket"})
_ANSWERS: Final = frozenset({"http.response.start", "websocket.accept", "websocket.http.response.start"})
_CHUNK: Final = "http.request"
_MESSAGE: Final = "websocket.receive"


class ContentMiddleware:
    """Wraps an ASGI application; see ``docs/middleware.md``.

    The body is registered while it goes to the application, which gets every message as the server sent it. What fails
    here is counted in the ledger as ``middleware`` and never raised.

    Args:
        app: The application.
        max_body_bytes: How much of a body, or of all messages of a websocket, is kept, in bytes. A request with more
            is treated as one whose texts aren't known: match mode lets nothing through.
        request_id_header: The header that an id is taken from, if it is of the type `id`, and sent back in; None for
            no ids.
        public: Places whose values aren't customer text, such as ``body.model`` or ``query.page``.
        routes: Whether the routes of the application's router are registered, so that access lines show them.

    Raises:
        ConfigurationError: An option is wrong.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        app: Application,
        *,
        max_body_bytes: int = 1_048_576,
        request_id_header: str | None = "X-Request-ID",
        public: Collection[str] = (),
        routes: bool = True,
    ) -> None:
        self.app = app
        self._options = Options.checked(max_body_bytes, request_id_header, public)
        header = self._options.header
        self._header = header.lower().encode("ascii") if header is not None else None
        self._learn = routes

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Run the application for one connection.

        Args:
            scope: What the server says of the connection.
            receive: Gives the messages of the client.
            send: Takes those of the application.
        """
        request = self._begun(scope) if scope.get("type") in _KINDS else None
        if request is None:
            await self.app(scope, receive, send)
            return
        with request.entered():
            try:
                await self.app(scope, _receiving(request, receive), self._sending(request, send))
            except BaseException:
                request.fail()
                raise
            finally:
                request.end()

    def _begun(self, scope: MutableMapping[str, Any]) -> Request | None:
        try:
            if self._learn:
                self._learn = False
                learn_routes(scope.get("app"), self.app)
            headers = scope.get("headers")
            if not isinstance(headers, list | tuple):
                # What can be read only once is the application's.
                headers = ()
            request = self._options.request(_header(headers, self._header))
            request.headers(_header(headers, b"content-type") or "", _header(headers, b"content-encoding") or "")
            path = scope.get("path") or ""
            request.target(path.removeprefix(scope.get("root_path") or ""), scope.get("query_string") or b"")
            return request
        except Exception as error:
            # The application has its request; what its customer wrote isn't known then.
            failed(error)
            return None

    def _sending(self, request: Request, send: Send) -> Send:
        name, value = self._header, request.id
        if name is None or value is None:
            return send

        async def sent(message: Message) -> None:
            await send(_with_header(message, name, value) if message.get("type") in _ANSWERS else message)

        return sent


runs_a_request(ContentMiddleware.__call__.__code__)


def _receiving(request: Request, receive: Receive) -> Receive:
    async def received() -> Message:
        message = await receive()
        try:
            _take(request, message)
        except Exception as error:
            # The application gets its message all the same.
            failed(error)
            request.unknown()
        return message

    return received


def _take(request: Request, message: Message) -> None:
    kind = message["type"]
    if kind == _CHUNK:
        request.chunk(message.get("body", b""), last=not message.get("more_body", False))
    elif kind == _MESSAGE:
        text = message.get("text")
        request.message(text if text is not None else message.get("bytes") or b"")


def _with_header(message: Message, name: bytes, value: str) -> Message:
    try:
        given = message.get("headers") or ()
        headers = list(given)
        if not any(bytes(one).lower() == name for one, _ in headers):
            return {**message, "headers": [*headers, (name, value.encode("ascii"))]}
        # What could be read only once was read just now.
        return message if isinstance(given, list | tuple) else {**message, "headers": headers}
    except Exception as error:
        # Headers of a wrong form: the server says so to the application.
        failed(error)
        return message


def _header(headers: Iterable[tuple[bytes, bytes]], name: bytes | None) -> str | None:
    """Return the value of a header, None if there is none; of several, all of them, which is no id."""
    found = [value for one, value in headers if one.lower() == name]
    return b", ".join(found).decode("latin-1") if found else None
