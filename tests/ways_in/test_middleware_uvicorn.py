"""uvicorn and a service around verbatim-core with the middleware: no question is in its output, whatever the way."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.llm import serving
from tests.ways_in.running import DEADLINE_S, Program, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

ID = "0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a11"
UUID4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
API = "ragservice.api"


class Service:
    """A running service, and the lines that each request left."""

    def __init__(self, folder: Path, *options: str, **settings: str) -> None:
        config = json.loads(printed("uvicorn"))
        config["filters"]["guard"]["match"] = ["ragservice"]
        (folder / "logging.json").write_text(json.dumps(config), encoding="ascii")
        command = ["-m", "uvicorn", "--port", "0", "--log-config", "logging.json", *options, "rag_asgi:app"]
        self.program = Program(folder, *command, **settings)
        self.port = int(self.program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=DEADLINE_S)

    def lines_of(self, answer: httpx.Response | str) -> list[dict[str, Any]]:
        """Return the service's own lines of one request, by its id."""
        key = answer if isinstance(answer, str) else answer.headers["X-Request-ID"]
        return [one for one in self.program.lines if one.get("request_id") == key]

    def told(self, answer: httpx.Response | str) -> list[str]:
        return [one["message"] for one in self.lines_of(answer) if one["logger"] == API]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving() as url:
        running = Service(tmp_path_factory.mktemp("served"), "--ws", "websockets-sansio", LLM_URL=url)
        with running.program as program, running.client:
            yield running
            program.stop()
            assert found_in(program.stdout, program.stderr) == []
            assert program.stderr == ""


def test_a_question_is_answered_and_its_lines_say_everything_but_the_question(service: Service) -> None:
    """By verbatim-core, in a thread; the id that the client sent is on every line, and in the answer."""
    answer = service.client.post("/api/query", json={"question": SENTENCES[0]}, headers={"X-Request-ID": ID})

    assert answer.status_code == 200
    assert "brass key" in answer.json()["answer"]
    assert answer.headers["X-Request-ID"] == ID
    service.program.wait_for_lines(1, logger="uvicorn.access", request_id=ID)
    assert service.told(ID) == [
        "Asked of index garden",
        "Received query: <body.question 16-63>",
        "Searching index bees",
        "Answered query '<body.question 16-63>' with 2 quotes",
    ]
    others = [(one["logger"], steady(one)["message"]) for one in service.lines_of(ID) if one["logger"] != API]
    assert others[-1] == ("uvicorn.access", '<str 1-15> - "POST /api/query HTTP/1.1" 200')
    assert {name for name, _ in others} <= {"httpx", "httpx2", "uvicorn.access", "verbatim_core.extractors"}


def test_an_id_that_is_none_is_replaced(service: Service) -> None:
    """A sentence in the header is in no line."""
    answer = service.client.get("/api/search/bees", params={"q": SENTENCES[1]}, headers={"X-Request-ID": SENTENCES[2]})

    assert UUID4.fullmatch(answer.headers["X-Request-ID"])
    assert service.told(answer)[1:] == ["Query: <query.q 64-255>"]


def test_an_llm_that_fails_and_quotes_the_question(service: Service) -> None:
    """The library goes on without, as it does; of the question nothing is in its lines either."""
    answer = service.client.post("/api/query", json={"question": f"{SENTENCES[3]} overloaded"})

    assert answer.status_code in (200, 500)
    assert "Received query: <body.question 64-255>" in service.told(answer)


def test_query_strings_paths_and_forms(service: Service) -> None:
    """Each at its place; the route of the access line comes from the application's router."""
    first = service.client.get("/api/search/Marguerite", params={"q": SENTENCES[1]})
    second = service.client.post(
        "/api/form", data={"text": SENTENCES[2]}, files={"document": ("ointment.txt", SENTENCES[3].encode())}
    )

    assert (first.status_code, second.status_code) == (200, 200)
    assert service.told(first) == ["Topic: <path[2] 1-15>", "Query: <query.q 64-255>"]
    assert service.told(second) == [
        "Form: <form.text 64-255>",
        "File <form.document 1-15>: <form.document 64-255>",
    ]
    service.program.wait_for_lines(1, logger="uvicorn.access", request_id=first.headers["X-Request-ID"])
    access = [one for one in service.lines_of(first) if one["logger"] == "uvicorn.access"]
    assert [(one["route"], one["status"]) for one in access] == [("/api/search/{topic}?…", 200)]


def test_a_stream_and_the_work_after_it(service: Service) -> None:
    """The texts last to the end of both."""
    with service.client.stream("POST", "/api/stream", json={"question": SENTENCES[0]}) as answer:
        assert answer.read().decode() == "Maymynephew"
    service.program.wait_for_lines(1, logger=API, message="Afterwards: <body.question 16-63>")

    assert service.told(answer) == [
        *["Sending a word of <body.question 16-63>"] * 3,
        "Afterwards: <body.question 16-63>",
    ]


def test_a_body_that_comes_in_pieces(service: Service) -> None:
    """Each piece is known when the application has it."""
    pieces = [SENTENCES[0][:40], SENTENCES[0][40:]]
    answer = service.client.post(
        "/api/upload", content=(piece.encode() for piece in pieces), headers={"Content-Type": "text/plain"}
    )

    assert answer.json() == len(SENTENCES[0])
    told = service.told(answer)
    assert told[-1] == "Index garden"
    assert set(told[:-1]) <= {"Piece: <body 16-63>"}
    assert told[:-1]


def test_a_body_beyond_the_bound(service: Service) -> None:
    """Then no string of the request is let through."""
    answer = service.client.post("/api/upload", content=(SENTENCES[0] * 100).encode())

    assert answer.json() == 100 * len(SENTENCES[0])
    told = service.told(answer)
    assert told[-1] == "Index {'garden'}"
    assert set(told[:-1]) == {"Piece: {piece.decode()}"}


def test_a_client_that_goes_away(service: Service) -> None:
    """What is logged when its stream is closed has its texts."""
    with service.client.stream("POST", "/api/endless", json={"question": SENTENCES[2]}) as answer:
        next(answer.iter_raw())
    service.program.wait_for_lines(1, logger=API, message="Given up: <body.question 64-255>")

    assert service.told(answer) == ["Given up: <body.question 64-255>"]


def test_an_error_with_the_question_in_it(service: Service) -> None:
    """The line of the server has type and place, and the id of the request that is over by then."""
    given = "0192d1b4-7c1c-7d55-9d6c-0d9f7c6e2a77"
    answer = service.client.post("/api/fail", json={"question": SENTENCES[3]}, headers={"X-Request-ID": given})
    service.program.wait_for_lines(1, logger="uvicorn.error", level="ERROR")

    assert answer.status_code == 500
    failed = [
        steady(one) for one in service.program.lines if one["level"] == "ERROR" and one["logger"] == "uvicorn.error"
    ]
    assert (failed[0]["exception_type"], failed[0]["exception_frames"]) == ("LookupError", "rag_asgi.py:fail")
    assert failed[0]["request_id"] == given


def test_requests_at_once_know_their_own_texts(service: Service) -> None:
    """Four that wait for one another: each finds its own question and no other one's."""
    harmless = [f"Is lot {number} of the {word} sold?" for number, word in enumerate(("oats", "wool", "clay", "tin"))]
    answers: dict[int, httpx.Response] = {}

    def ask(number: int) -> None:
        with httpx.Client(base_url=service.client.base_url, timeout=DEADLINE_S) as client:
            answers[number] = client.post("/api/meet", json={"question": harmless[number]})

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [answers[number].status_code for number in range(4)] == [200] * 4
    told = [service.told(answers[number]) for number in range(4)]
    assert [own for own, _ in told] == ["Met: <body.question 16-63>"] * 4
    # No scope has the text of another request: as if it came from somewhere else, it is let through.
    assert {other.removeprefix("Seat: ") for _, other in told} == set(harmless)
    assert len({answers[number].headers["X-Request-ID"] for number in range(4)}) == 4


@pytest.mark.parametrize("library", ["websockets-sansio", "wsproto"])
def test_messages_of_a_websocket(library: str, service: Service, tmp_path: Path) -> None:
    """With both libraries that uvicorn takes."""
    if library == "websockets-sansio":
        talk(service)
        return
    with serving() as url:
        other = Service(tmp_path, "--ws", library, LLM_URL=url)
        with other.program as program, other.client:
            talk(other)
            program.stop()
            assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")


def talk(service: Service) -> None:
    with connect(f"ws://127.0.0.1:{service.port}/talk/garden") as socket:
        assert socket.response is not None
        key = socket.response.headers["X-Request-ID"]
        for text in (SENTENCES[0], json.dumps({"question": SENTENCES[1]})):
            socket.send(text)
            assert socket.recv(timeout=DEADLINE_S) == "ok"
        socket.send("bye")

    room = "Room: <path[1] 1-15>"
    assert service.told(key) == ["Message: <message 16-63>", room, "Message: <message.question 64-255>", room]
