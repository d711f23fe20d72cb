"""A WSGI middleware: what a request carries is registered as customer text for as long as it runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

from discreet.instrument.options import Options
from discreet.instrument.requests import Request, failed, runs_a_request
from discreet.instrument.routers import learn_routes
from discreet.instrument.wsgi_input import Input

__all__ = ["ContentMiddleware"]

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]


class ContentMiddleware:
    """Wraps a WSGI application; see ``docs/middleware.md``.

    The body is registered while the application reads it from ``wsgi.input``. What fails here is counted in the ledger
    as ``middleware`` and never raised.

    Args:
        app: The application.
        max_body_bytes: How much of a body is kept, in bytes. A request with more is treated as one whose texts aren't
            known: match mode lets nothing through.
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
        self._key = None if header is None else "HTTP_" + header.upper().replace("-", "_")
        self._learn = routes

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        """Run the application for one request.

        Args:
            environ: What the server says of the request.
            start_response: Takes the status and headers of the answer.
        """
        request = self._begun(environ)
        if request is None:
            return self.app(environ, start_response)
        try:
            with request.entered():
                answer = self.app(environ, self._starting(request, start_response))
        except BaseException:
            request.fail()
            request.end()
            raise
        if type(answer) in (list, tuple) or _is_file(environ, answer):
            # Nothing of the application runs any more, and a server looks at what it was given: sends a file as a
            # file, and counts the length of a list.
            request.end()
            return answer
        return _Answer(answer, request)

    def _begun(self, environ: Environ) -> Request | None:
        try:
            if self._learn:
                self._learn = False
                learn_routes(self.app)
            request = self._options.request(environ.get(self._key) if self._key is not None else None)
            request.headers(environ.get("CONTENT_TYPE") or "", environ.get("HTTP_CONTENT_ENCODING") or "")
            # Servers decode what they got as Latin-1, whatever it was (PEP 3333).
            path = environ.get("PATH_INFO", "").encode("latin-1", "replace").decode("utf-8", "replace")
            request.target(path, environ.get("QUERY_STRING", "").encode("latin-1", "replace"))
            source = environ.get("wsgi.input")
            if source is not None:
                environ["wsgi.input"] = Input(source, request, environ.get("CONTENT_LENGTH"))
            return request
        except Exception as error:
            # The application has its request; what its customer wrote isn't known then.
            failed(error)
            return None

    def _starting(self, request: Request, start_response: StartResponse) -> StartResponse:
        name, value = self._options.header, request.id
        if name is None or value is None:
            return start_response

        def started(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            return start_response(status, _with_header(headers, name, value), *more)

        return started


class _Answer:
    """The application's answer: its pieces are made, and it is closed, while the texts are those of the running call.

    Args:
        answer: What the application returned.
        request: The request that it answers.
    """

    __slots__ = ("_answer", "_pieces", "_request")

    def __init__(self, answer: Iterable[bytes], request: Request) -> None:
        self._answer = answer
        self._request = request
        self._pieces: Iterator[bytes] | None = None

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        request = self._request
        try:
            with request.entered():
                if self._pieces is None:
                    self._pieces = iter(self._answer)
                return next(self._pieces)
        except StopIteration:
            raise
        except BaseException:
            request.fail()
            raise

    def close(self) -> None:
        """Close the application's answer, and forget the texts."""
        try:
            close = getattr(self._answer, "close", None)
            if close is not None:
                with self._request.entered():
                    close()
        finally:
            self._request.end()


runs_a_request(ContentMiddleware.__call__.__code__)
runs_a_request(_Answer.__next__.__code__)


def _is_file(environ: Environ, answer: object) -> bool:
    wrapper = environ.get("wsgi.file_wrapper")
    return isinstance(wrapper, type) and isinstance(answer, wrapper)


def _with_header(headers: list[tuple[str, str]], name: str, value: str) -> list[tuple[str, str]]:
    try:
        if any(one.lower() == name.lower() for one, _ in headers):
            return headers
        return [*headers, (name, value)]
    except Exception as error:
        # Headers of a wrong form: the server says so to the application.
        failed(error)
        return headers
