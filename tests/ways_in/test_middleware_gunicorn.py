"""gunicorn with Flask and Django around verbatim-core, and the middleware: no question is in the output."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.llm import serving
from tests.ways_in.running import DEADLINE_S, Program, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

API = "ragservice.api"
WAYS = [
    ("rag_flask:app", ()),
    ("rag_flask:app", ("--threads", "4")),
    ("rag_django:app", ("--threads", "4", "--preload")),
]


class Service:
    """A running service, and the lines that each request left."""

    def __init__(self, folder: Path, app: str, options: tuple[str, ...], url: str) -> None:
        text = printed("gunicorn")
        guard = '"streams": True,'
        assert guard in text
        (folder / "gunicorn.conf.py").write_text(text.replace(guard, f'{guard} "match": ["ragservice"],'), "ascii")
        command = ["-m", "gunicorn", "--config", "gunicorn.conf.py", "--bind", "127.0.0.1:0", "--worker-tmp-dir", "."]
        self.program = Program(folder, *command, *options, app, XDG_RUNTIME_DIR=str(folder), LLM_URL=url)
        self.app = app
        port = self.program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1]
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=DEADLINE_S)

    def told(self, answer: httpx.Response) -> list[str]:
        key = answer.headers["X-Request-ID"]
        return [one["message"] for one in self.program.lines if one.get("request_id") == key and one["logger"] == API]

    def failures(self) -> list[dict[str, Any]]:
        return [steady(one) for one in self.program.lines if "exception_type" in one]


@pytest.fixture(scope="module", params=WAYS, ids=["flask", "flask in threads", "django"])
def service(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving() as url:
        running = Service(tmp_path_factory.mktemp("served"), *request.param, url)
        with running.program as program, running.client:
            yield running
            assert program.stop() == 0
            assert found_in(program.stdout, program.stderr) == []
            assert program.stderr == ""


def test_a_question_is_answered_and_its_lines_say_everything_but_the_question(service: Service) -> None:
    """By verbatim-core; every line has the id that is in the answer's header."""
    answer = service.client.post("/api/query", json={"question": SENTENCES[0]})

    assert answer.status_code == 200
    assert "brass key" in answer.json()["answer"]
    assert service.told(answer) == [
        "Received query: <body.question 16-63>",
        "Searching index bees",
        "Answered query '<body.question 16-63>' with 2 quotes",
    ]


def test_query_strings_paths_and_forms(service: Service) -> None:
    """Each at its place."""
    first = service.client.get("/api/search/Marguerite", params={"q": SENTENCES[1]})
    second = service.client.post(
        "/api/form", data={"text": SENTENCES[2]}, files={"document": ("ointment.txt", SENTENCES[3].encode())}
    )

    assert (first.status_code, second.status_code) == (200, 200)
    assert service.told(first) == ["Topic: <path[2] 1-15>", "Query: <query.q 64-255>"]
    assert service.told(second) == ["Form: <form.text 64-255>", "File: <form.document 64-255>"]


def test_a_stream_and_what_comes_after_it(service: Service) -> None:
    """The texts last until the answer is closed."""
    answer = service.client.post("/api/stream", json={"question": SENTENCES[0]})
    service.program.wait_for_lines(1, logger=API, message="Afterwards: <body.question 16-63>")

    assert answer.text == "Maymynephew"
    assert service.told(answer) == [
        *["Sending a word of <body.question 16-63>"] * 3,
        "Afterwards: <body.question 16-63>",
    ]


def test_a_body_that_comes_in_pieces(service: Service) -> None:
    """Of no length that would be known before."""
    body = b'{"question": "' + SENTENCES[0].encode() + b'"}'
    answer = service.client.post(
        "/api/query",
        content=(body[at : at + 9] for at in range(0, len(body), 9)),
        headers={"Content-Type": "application/json"},
    )

    if service.app.startswith("rag_django"):
        # Django reads as many bytes as the length says, and none without one.
        assert (answer.status_code, service.told(answer)) == (500, [])
    else:
        assert answer.status_code == 200
        assert service.told(answer)[0] == "Received query: <body.question 16-63>"


def test_an_error_with_the_question_in_it(service: Service) -> None:
    """The line of the framework has type, place and id."""
    before = len(service.failures())
    answer = service.client.post("/api/fail", json={"question": SENTENCES[3]})

    failed = service.failures()[before:]
    assert answer.status_code == 500
    assert [(one["exception_type"], one["request_id"]) for one in failed] == [
        ("LookupError", answer.headers["X-Request-ID"])
    ]


@pytest.mark.parametrize("options", [(), ("--threads", "4")], ids=["sync", "threads"])
def test_what_an_application_lets_through_has_the_id_of_its_request(options: tuple[str, ...], tmp_path: Path) -> None:
    """gunicorn logs it after the request, whether it failed before its answer or with it."""
    given = [f"0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a{number}" for number in (31, 32)]
    running = Service(tmp_path, "failing_wsgi:app", options, "")
    with running.program as program, running.client as client:
        for key, path in zip(given, ("/at/once", "/later"), strict=True):
            with suppress(httpx.RemoteProtocolError):
                client.post(path, content=SENTENCES[0], headers={"X-Request-ID": key})
        program.wait_for_lines(2, exception_type="LookupError")
        program.stop()

    assert [one["request_id"] for one in running.failures()] == given
    assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")


def test_requests_at_once_have_their_own_texts(service: Service) -> None:
    """One after the other in each thread of the server."""
    asked = [f"Is lot {number} of the {word} sold?" for number, word in enumerate(("oats", "wool", "clay", "tin"))] * 3
    told: list[list[str]] = []

    def ask(question: str) -> None:
        with httpx.Client(base_url=service.client.base_url, timeout=DEADLINE_S) as client:
            told.append(service.told(client.get("/api/search/garden", params={"q": question})))

    threads = [threading.Thread(target=ask, args=(question,)) for question in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert told == [["Topic: <path[2] 1-15>", "Query: <query.q 16-63>"]] * 12
