"""One request: its texts as they come, its id, and the counts of all of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from types import CodeType, TracebackType
from typing import Any, Final

from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.instrument.bodies import Body, read_body, read_message, read_piece, read_together
from discreet.instrument.fields import Texts, is_long_id, pairs, path_texts
from discreet.instrument.request_ids import new_id, safe_id
from discreet.look import Look
from discreet.matching import Text
from discreet.matching.growing import Growing, Source
from discreet.scope import Entered, current, opened
from discreet.scoped import REQUESTS, request_id
from discreet.seal.types.routes import Route

__all__ = ["COUNTS", "FAILED", "Request", "RequestCounts", "failed", "request_id", "runs_a_request"]

FAILED: Final = "middleware"
"""Where the ledger counts failures of a middleware."""

_TOGETHER: Final = 32
"""Messages of a websocket that are looked for together: a text may come word by word."""

_TOGETHER_CHARACTERS: Final = 4096
"""How many characters these have, without the first."""

_FRAMES: Final = 256
"""How far from its outermost frame a traceback is looked through: a server stands near, and so does a middleware."""

_RUNNING_ONE: Final[list[CodeType]] = []
_ROUTE: Final = Route()


class RequestCounts:
    """How many requests a middleware saw, and of how many it doesn't know all texts.

    .. versionadded:: 0.1.0
    """

    def __init__(self) -> None:
        self._lock = ForkSafeLock()
        self.clear()

    def clear(self) -> None:
        """Set all counts to 0."""
        self.requests = 0
        self.incomplete = 0
        self.beyond_bytes = 0
        self.ids_replaced = 0

    def add(self, *, requests: int = 0, incomplete: int = 0, beyond_bytes: int = 0, ids_replaced: int = 0) -> None:
        """Count.

        Args:
            requests: requests and connections of websockets that began.
            incomplete: those of which not all texts are known.
            beyond_bytes: bytes beyond the bound.
            ids_replaced: ids of clients that were not safe.
        """
        with self._lock:
            self.requests += requests
            self.incomplete += incomplete
            self.beyond_bytes += beyond_bytes
            self.ids_replaced += ids_replaced

    def as_dict(self) -> dict[str, int]:
        """Return the counts as plain values, taken at one moment."""
        with self._lock:
            return {
                "requests": self.requests,
                "incomplete": self.incomplete,
                "beyond_bytes": self.beyond_bytes,
                "ids_replaced": self.ids_replaced,
            }


COUNTS: Final = RequestCounts()
"""The counts of this process.

.. versionadded:: 0.1.0
"""


def failed(error: BaseException) -> None:
    """Count a failure of a middleware. The request goes on without what failed.

    Args:
        error: What was raised.

    .. versionadded:: 0.1.0
    """
    LEDGER.failure(FAILED, error)


class Request:
    """A running request: the scope of its texts, which grows while its body comes, and its id.

    Args:
        bound: How many bytes of its body, or of all messages of a websocket, are kept.
        public: Places whose values aren't customer text, by their keys.
        client_id: The id that its client sent, None if it sent none.
        has_id: Whether it is to have an id.

    .. versionadded:: 0.1.0
    """

    __slots__ = (
        "_beyond",
        "_body",
        "_bound",
        "_found",
        "_growing",
        "_headers",
        "_kept",
        "_public",
        "_recent",
        "_whole",
        "failed_id",
        "foreign_id",
        "has_long_id",
        "id",
        "scope",
    )

    def __init__(self, *, bound: int, public: Collection[str], client_id: str | None, has_id: bool) -> None:
        if not REQUESTS:
            REQUESTS.append(_running_id)
        outer = _running()
        self.scope = opened({}, owner=self)
        self._growing = Growing()
        self.scope._index = self._growing  # noqa: SLF001 -- a scope that grows differs by this alone
        self._bound = bound
        self._public = public
        self._body = bytearray()
        self._kept = 0
        self._beyond = 0
        self._whole = False
        self._found = False
        self._headers = ("", "")
        self._recent: tuple[str | bytes, ...] = ()
        self.foreign_id = self.has_long_id = False
        self.id: str | None = None
        self.failed_id: str | None = None
        if has_id:
            self._name(client_id, outer)
        COUNTS.add(requests=1)

    def _name(self, client_id: str | None, outer: Request | None) -> None:
        if outer is not None and outer.id is not None:
            # A middleware inside another one, or a call of the program to itself.
            self.id, self.foreign_id, self.has_long_id = outer.id, outer.foreign_id, outer.has_long_id
            return
        self.id = safe_id(client_id)
        if self.id is not None:
            self.foreign_id, self.has_long_id = True, is_long_id(self.id)
            return
        self.id = new_id()
        if client_id is not None:
            COUNTS.add(ids_replaced=1)

    def target(self, path: str, query: bytes) -> None:
        """Take the path and the query string.

        Args:
            path: The path, decoded.
            query: The query string as it stands in the address.
        """
        # Frameworks read what isn't ASCII, which no browser sends, as one or the other.
        written = tuple(dict.fromkeys((query.decode("latin-1"), query.decode("utf-8", "replace"))))

        def read(found: Texts) -> None:
            for text in written:
                pairs(text, "query", found)

        def read_path(found: Texts) -> None:
            route = _ROUTE.of_path(path)
            path_texts(path, route if isinstance(route, str) else "", found)

        if query:
            self._growing.add(self._source(read, written[0]), len(query))
        # A path alone doesn't make it known what the customer wrote: most requests have one.
        self._growing.add(self._source(read_path, path, counts=False), len(path))
        if query:
            self._has_text()

    def headers(self, content_type: str, content_encoding: str) -> None:
        """Take the headers that say how the body is to be read.

        Args:
            content_type: Of the body.
            content_encoding: The same.
        """
        self._headers = (content_type, content_encoding)

    def chunk(self, data: bytes | bytearray | memoryview, *, last: bool = False) -> None:
        """Take a piece of the body, as the application gets it.

        Args:
            data: The piece.
            last: Whether the whole body has come: from here on it is read by its content type.
        """
        if self.scope.closed:
            return
        kept = self._bounded(bytes(data))
        self._body += kept
        ended = last and not self._whole
        self._whole = self._whole or last
        if kept or (ended and self._body):
            self._renew()

    def message(self, data: str | bytes) -> None:
        """Take a message of a websocket.

        Args:
            data: The message.
        """
        if not data or self.scope.closed:
            return
        kept = data if self._beyond == 0 and len(data) <= self._bound - self._kept else None
        if kept is None:
            self._lost(len(data))
            return
        self._kept += len(kept)
        together = (*self._recent[1 - _TOGETHER :], kept)
        while len(together) > 1 and sum(map(len, together[1:])) > _TOGETHER_CHARACTERS:
            together = together[1:]
        self._recent = together

        def read(found: Texts) -> None:
            read_message(kept, found)
            if len(together) > 1:
                read_together(together, found)

        self._growing.add(self._source(read, kept), len(kept))
        self._has_text()

    def unknown(self) -> None:
        """Take it that the request has texts that aren't seen here."""
        if not self._growing.partial:
            self._growing.partial = True
            self.scope._look = None  # noqa: SLF001 -- as above
            COUNTS.add(incomplete=1)

    def _bounded(self, data: bytes) -> bytes:
        room = self._bound - self._kept
        if len(data) > room:
            self._lost(len(data) - room)
            data = data[:room]
        self._kept += len(data)
        return data

    def _lost(self, count: int) -> None:
        self._beyond += count
        COUNTS.add(beyond_bytes=count)
        self.unknown()

    def _renew(self) -> None:
        body, size, whole = self._body, len(self._body), self._whole and not self._beyond
        headers, bound = self._headers, self._bound

        def read(found: Texts) -> None:
            # What comes later is for the next search.
            came = Body(bytes(body[:size]), *headers)
            if not whole:
                read_piece(came, found)
                return
            read_body(came, found, bound)
            if found.incomplete and not found.found:
                found.found.append(("body", came.data))

        self._growing.put(self._source(read, body))
        self._has_text()

    def _source(self, read: Callable[[Texts], None], raw: str | bytes | bytearray, *, counts: bool = True) -> Source:
        """Return what reads texts when they are first needed.

        Args:
            read: Reads them.
            raw: What they are read from, which is looked for itself if that fails.
            counts: Whether they make it known what the customer wrote.
        """

        def texts() -> list[Text]:
            found = Texts(self._public)
            try:
                read(found)
            except Exception as error:
                # The record goes out without what depends on these texts.
                failed(error)
                found.incomplete = True
                found.found.append(("body", raw if isinstance(raw, str) else bytes(raw)))
            if found.incomplete:
                self.unknown()
            if counts:
                self._found = self._found or bool(found.found)
                # As with any scope, having found nothing in none is no reason to let anything through.
                self._growing.blank = not self._found
            return found.found

        return texts

    def _has_text(self) -> None:
        scope = self.scope
        self._growing.blank = False
        if scope._outer is None and not self._growing.partial and scope._look is None:  # noqa: SLF001 -- as above
            scope._look = Look((scope,))  # noqa: SLF001 -- the same
        if scope.closed:
            # Ended meanwhile in another thread.
            self.end()

    def entered(self) -> Entered:
        """Return a context manager that makes its texts those of the running call."""
        return Entered(self.scope)

    def fail(self) -> None:
        """Keep the id as it may go out once the texts are forgotten: servers log a failure after that."""
        try:
            with self.entered():
                self.failed_id = _shown_id(self)
        except Exception as error:
            # The application's own exception is on its way.
            failed(error)

    def end(self) -> None:
        """Forget the texts."""
        self.scope.close()
        self._body, self._recent = bytearray(), ()


def _running() -> Request | None:
    scope: Any = current()
    while scope is not None:
        owner = scope._owner  # noqa: SLF001 -- as above
        if isinstance(owner, Request):
            return owner
        scope = scope._outer  # noqa: SLF001 -- the same
    return None


def runs_a_request(code: CodeType) -> None:
    """Say that a function runs an application for a request.

    Args:
        code: Its code. It has the request as ``request``, and says :meth:`Request.fail` of what it lets through.

    .. versionadded:: 0.1.0
    """
    _RUNNING_ONE.append(code)


def _running_id(traceback: TracebackType | None) -> str | None:
    request = _running()
    if request is not None:
        return _shown_id(request)
    for _ in range(_FRAMES):
        if traceback is None:
            break
        frame = traceback.tb_frame
        # Codes of a program may be equal to ours.
        if any(frame.f_code is one for one in _RUNNING_ONE):
            request = frame.f_locals.get("request")
            if isinstance(request, Request):
                return request.failed_id
        traceback = traceback.tb_next
    return None


def _shown_id(request: Request) -> str | None:
    # A client's own may be a piece of what it sent, such as a number.
    return safe_id(request.id) if request.foreign_id and not request.has_long_id else request.id


if hasattr(os, "register_at_fork"):
    # After the hook of discreet.forks, so that every lock can be taken.
    os.register_at_fork(after_in_child=COUNTS.clear)
