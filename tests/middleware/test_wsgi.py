"""The WSGI middleware: a body is known as the application reads it, and the answer is handed on as it is."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any
from wsgiref.util import FileWrapper
from wsgiref.validate import validator

import pytest

from discreet.export.ledger import LEDGER
from discreet.instrument.requests import COUNTS, Request
from discreet.instrument.wsgi import ContentMiddleware
from discreet.scope import current
from tests.middleware.driving import ASKED, OTHER, Started, environ, logged, note, told

JSON = json.dumps({"question": ASKED}).encode()
Read = Callable[[Any], object]


def into(source: Any) -> None:
    buffer = bytearray(4096)
    while source.readinto(buffer):
        pass


def by_chunks(source: Any) -> None:
    while source.read(7):
        pass


def by_lines(source: Any) -> None:
    while source.readline():
        pass


def by_next(source: Any) -> list[bytes]:
    lines = []
    while (line := next(source, None)) is not None:
        lines.append(line)
    return lines


def in_a_block(source: Any) -> bytes:
    with source as inner:
        return bytes(inner.read())


READERS: dict[str, Read] = {
    "all": lambda source: source.read(),
    "all by a number": lambda source: source.read(-1),
    "its length": lambda source: source.read(len(JSON)),
    "chunks": by_chunks,
    "line": by_lines,
    "lines": lambda source: source.readlines(),
    "iteration": list,
    "next": by_next,
    "with": in_a_block,
    "into a buffer": into,
    "text": lambda source: io.TextIOWrapper(io.BufferedReader(source)).read(),
}


@pytest.mark.parametrize("length", ["as it is", None, "wrong"])
@pytest.mark.parametrize("reader", READERS)
def test_a_body_is_known_however_it_is_read(reader: str, length: str | None) -> None:
    """By the content type, once all of it has been read; the application gets what it would have got."""

    def app(environ: Any, start_response: Any) -> list[bytes]:
        READERS[reader](environ["wsgi.input"])
        note(ASKED)
        note("a quiet word")
        return []

    said = environ(body=JSON, CONTENT_TYPE="application/json")
    if length != "as it is":
        said["CONTENT_LENGTH"] = length
    found = told(lambda: ContentMiddleware(app)(said, Started()))

    # Without a length, somebody who reads as many bytes as there are may go on reading.
    unsure = reader == "its length" and length != "as it is"
    assert found == ["<body 64-255>" if unsure else "<body.question 64-255>", "a quiet word"]


@pytest.mark.parametrize("reader", [name for name in READERS if name != "text"])
def test_the_application_reads_what_it_would_read(reader: str) -> None:
    """With the same values and the same ends."""
    read: list[object] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        read.append(READERS[reader](environ["wsgi.input"]))
        return []

    body = b"one\ntwo\n\nthree"
    ContentMiddleware(app)(environ(body=body), Started())

    assert read == [READERS[reader](io.BytesIO(body))]


class Named:
    """As gunicorn's: its arguments have names."""

    def __init__(self, body: bytes) -> None:
        self._body = io.BytesIO(body)

    def read(self, size: int | None = None) -> bytes:
        return self._body.read(size)

    def readline(self, size: int | None = None) -> bytes:
        return self._body.readline(size)

    def readlines(self, size: int | None = None) -> list[bytes]:
        return self._body.readlines(size)


@pytest.mark.parametrize("way", ["read", "readline", "readlines"])
def test_arguments_may_have_names_as_a_servers_have(way: str) -> None:
    """And an input that is no iterator is none here either."""
    read: list[object] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        source = environ["wsgi.input"]
        read.append(getattr(source, way)(size=11))
        with pytest.raises(TypeError):
            next(source)
        note("Rosalind")
        note("a quiet word")
        return []

    body = b"of Rosalind\nand others"
    found = told(
        lambda: ContentMiddleware(app)({**environ(query="q=x", body=body), "wsgi.input": Named(body)}, Started())
    )

    assert read == [getattr(Named(body), way)(size=11)]
    assert found == ["<body 1-15>", "a quiet word"]


def test_ways_to_read_that_are_not_wsgis_let_nothing_through() -> None:
    """What comes by them isn't seen, so the texts aren't known."""

    def app(environ: Any, start_response: Any) -> list[bytes]:
        assert environ["wsgi.input"].read1(4) == JSON[:4]
        note("a quiet word")
        return []

    said = environ(query="q=trombone", body=JSON)

    assert told(lambda: ContentMiddleware(app)(said, Started())) == ["{value}"]
    assert COUNTS.incomplete == 1


def test_query_and_path_are_decoded() -> None:
    """From what PEP 3333 makes of them."""

    def app(environ: Any, start_response: Any) -> list[bytes]:
        for value in ("Zoë's trombone", "Großmutters Gartenhaus", "a quiet word"):
            note(value)
        return []

    said = environ("/people/Großmutters Gartenhaus", "q=Zo%C3%AB%27s+trombone")

    assert told(lambda: ContentMiddleware(app)(said, Started())) == [
        "<query.q 1-15>",
        "<path[1] 16-63>",
        "a quiet word",
    ]


def test_the_texts_last_until_the_answer_is_closed() -> None:
    """While each piece is made and while it is closed; between the pieces the server has no scope."""
    closed: list[bool] = []

    class Pieces:
        def __init__(self) -> None:
            self.left = 2

        def __iter__(self) -> Iterator[bytes]:
            return self

        def __next__(self) -> bytes:
            note(ASKED)
            self.left -= 1
            if self.left < 0:
                raise StopIteration
            return b"x"

        def close(self) -> None:
            note(ASKED)
            closed.append(True)

    def app(environ: Any, start_response: Any) -> Pieces:
        environ["wsgi.input"].read()
        note(ASKED)
        return Pieces()

    outside: list[object] = []

    def run() -> None:
        answer: Any = ContentMiddleware(app)(environ(body=JSON, CONTENT_TYPE="application/json"), Started())
        outside.append(current())
        for _ in answer:
            outside.append(current())
        answer.close()
        note(ASKED)

    assert told(run) == [*["<body.question 64-255>"] * 5, "{value}"]
    assert (outside, closed) == ([None] * 3, [True])


def test_an_application_that_is_a_generator_has_its_texts() -> None:
    """Nothing of it runs before the server asks for the first piece."""

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        environ["wsgi.input"].read()
        start_response("200 OK", [])
        note(ASKED)
        yield b"x"

    started = Started()

    def run() -> None:
        answer: Any = ContentMiddleware(app)(environ(body=JSON, CONTENT_TYPE="application/json"), started)
        assert list(answer) == [b"x"]
        answer.close()

    assert told(run) == ["<body.question 64-255>"]
    assert [name for name, _ in started.calls[0][1]] == ["X-Request-ID"]


@pytest.mark.parametrize("kind", ["list", "tuple", "file"])
def test_answers_that_run_no_code_are_handed_on_as_they_are(kind: str) -> None:
    """So that a server can count them, or send a file as one."""
    answers = {"list": [b"x"], "tuple": (b"x",), "file": FileWrapper(io.BytesIO(b"x"))}
    scopes: list[Any] = []

    def app(environ: Any, start_response: Any) -> Any:
        scopes.append(current())
        return answers[kind]

    said = environ(**{"wsgi.file_wrapper": FileWrapper})

    assert ContentMiddleware(app)(said, Started()) is answers[kind]
    assert (scopes[0].closed, current()) == (True, None)


@pytest.mark.parametrize("when", ["call", "piece", "close"])
def test_what_the_application_raises_is_raised(when: str) -> None:
    """Its exception is the same object, and the texts are forgotten in the end."""
    error = LookupError(ASKED)
    scopes: list[Any] = []

    class Broken:
        def __iter__(self) -> Iterator[bytes]:
            if when == "piece":
                raise error
            return iter([b"x"])

        def close(self) -> None:
            if when == "close":
                raise error

    def app(environ: Any, start_response: Any) -> Broken:
        scopes.append(current())
        if when == "call":
            raise error
        return Broken()

    def serve() -> None:
        answer: Any = ContentMiddleware(app)(environ(), Started())
        try:
            list(answer)
        finally:
            answer.close()

    with pytest.raises(LookupError) as caught:
        serve()

    assert caught.value is error
    assert (scopes[0].closed, current()) == (True, None)


@pytest.mark.parametrize("broken", ["target", "chunk"])
def test_failures_of_its_own_are_counted(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application has its request and its answer, and nothing is let through."""

    def fail(*arguments: Any, **options: Any) -> None:
        raise RuntimeError(ASKED)

    monkeypatch.setattr(Request, broken, fail)

    def app(environ: Any, start_response: Any) -> list[bytes]:
        assert environ["wsgi.input"].read() == JSON
        note("a quiet word")
        return [b"x"]

    answers: list[Any] = []
    found = told(lambda: answers.append(ContentMiddleware(app)(environ(query="q=trombone", body=JSON), Started())))

    assert (found, answers) == (["{value}"], [[b"x"]])
    assert LEDGER.failures == {("middleware", "RuntimeError"): 1}


def test_an_environment_of_a_wrong_form_reaches_the_application() -> None:
    """It is the application's business."""
    seen: list[Any] = []

    def app(environ: Any, start_response: Any) -> list[bytes]:
        seen.append(environ)
        return []

    for said in ({}, {"QUERY_STRING": 7}, {"PATH_INFO": None}):
        ContentMiddleware(app)(said, Started())

    assert seen == [{}, {"QUERY_STRING": 7}, {"PATH_INFO": None}]
    assert sum(LEDGER.failures.values()) == 2


def test_threads_with_requests_at_once_know_their_own_texts_only() -> None:
    """A thread of a server serves one request after the other."""

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        text = environ["wsgi.input"].read().decode()
        yield b"x"
        note(text)
        note(OTHER if text == ASKED else ASKED)

    def run() -> None:
        wrapped = ContentMiddleware(app, request_id_header=None)
        answers: list[Any] = [
            wrapped(environ(body=text.encode(), CONTENT_TYPE="text/plain"), Started()) for text in (ASKED, OTHER)
        ]
        running = [iter(answer) for answer in answers]
        for _ in range(2):
            for one in running:
                next(one, None)
        for answer in answers:
            answer.close()

    assert told(run) == ["<body 64-255>", OTHER, "<body 16-63>", ASKED]


def test_the_middleware_speaks_wsgi() -> None:
    """As the standard library's validator sees it, from both sides."""

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        environ["wsgi.input"].read(5)
        start_response("200 OK", [("Content-Type", "text/plain")])
        return iter([b"x"])

    said = {
        **environ(body=JSON),
        "REQUEST_METHOD": "POST",
        "SCRIPT_NAME": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": False,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }

    def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        return lambda data: None

    answer: Any = validator(ContentMiddleware(validator(app)))(said, start)
    assert list(answer) == [b"x"]
    answer.close()
    assert logged(lambda: None) == []
