"""A small real service at INFO with a printed configuration: useful lines, and nothing of what its customers wrote."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.service.customers import FAILING, TELLING, Asked, found_in, requests
from tests.ways_in.running import Program, ask, printed, steady

pytestmark = pytest.mark.integration

APP = str(Path(__file__).parent / "app")
SERVE = ("-m", "uvicorn", "--app-dir", APP, "--port", "0")
MAX_WITHHELD = 0.05
# A message of which nothing was shown: only what stands for it.
WHOLE = re.compile(r"<[\w.+]+(?: [\d+-]+)?>")
# The templates of the application's router, by how their paths begin.
ROUTES = {
    "questions": "/questions",
    "questions/": "/questions/{question_id}",
    "search": "/search",
    "rank": "/rank",
    "answers/": "/answers/{topic}",
    "people/": "/people/{name}",
    "count": "/count",
}


@dataclass(frozen=True)
class Served:
    """What one run of the service left behind; `failing` are the lines of the one request that fails."""

    statuses: list[int]
    lines: list[dict[str, Any]]
    failing: list[dict[str, Any]]
    stdout: str
    stderr: str


def send(port: int, asked: Asked) -> int:
    method, target, body = asked
    text = "" if body is None else json.dumps(body)
    return ask(port, method, target, text, **{"Content-Type": "application/json"})


def serve(folder: Path) -> Served:
    with Program(folder, *SERVE, "--log-config", "logging.json", "helpdesk:app") as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        statuses = [send(port, asked) for asked in requests()]
        # uvicorn logs an access line before its answer goes, and an exception after that.
        program.wait_for_lines(statuses.count(500), logger="uvicorn.error", level="ERROR")
        before = len(program.lines)
        statuses.append(send(port, FAILING))
        failing = program.lines[before:]
        program.stop()
    return Served(statuses, program.lines, failing, program.stdout, program.stderr)


def configure(folder: Path, level: str) -> None:
    """Write the printed configuration with the application's routes and one more handler, as an operator may add."""
    config = json.loads(printed("uvicorn", "--service", "helpdesk", "--level", level))
    config["filters"]["guard"]["routes"] = list(ROUTES.values())
    config["formatters"] = {"plain": {"format": "> %(levelname)s %(name)s %(message)s"}}
    config["handlers"]["plain"] = {"class": "logging.StreamHandler", "formatter": "plain"}
    config["root"]["handlers"].append("plain")
    if level == "DEBUG":
        # SQLAlchemy sets a level for itself when nobody has.
        config["loggers"]["sqlalchemy"] = {"level": "DEBUG"}
    (folder / "logging.json").write_text(json.dumps(config), encoding="ascii")


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    folder = tmp_path_factory.mktemp("service")
    configure(folder, "INFO")
    return serve(folder)


def test_the_service_answered_as_it_should(served: Served) -> None:
    """Sixty requests of every kind, and the one that fails."""
    assert len(served.statuses) == 61
    assert Counter(served.statuses) == {200: 25, 201: 6, 404: 11, 409: 6, 422: 5, 500: 5, 502: 3}


def test_at_most_one_message_in_twenty_is_withheld_whole(served: Served, record_property: Any) -> None:
    """All messages count: those of uvicorn, SQLAlchemy and httpx as well as the service's own."""
    whole = [line for line in served.lines if WHOLE.fullmatch(line["message"])]
    share = len(whole) / len(served.lines)
    record_property("withheld whole", f"{len(whole)} of {len(served.lines)}")
    assert len(served.lines) > 400
    assert {line["logger"].partition(".")[0] for line in served.lines} == {"helpdesk", "httpx", "sqlalchemy", "uvicorn"}
    assert share <= MAX_WITHHELD
    # Only the message that the program made of an exception's text, whose place is told instead.
    assert {line["code_function"] for line in whole} == {"helpdesk.search"}


def expected_access(asked: Asked, status: int) -> tuple[str, str, int]:
    """Return method, route and status of a request's access line."""
    path, mark, _ = asked[1].partition("?")
    first, slash, _ = path[1:].partition("/")
    route = ROUTES.get(first + slash, "/…")
    return asked[0], route + ("?…" if mark else ""), status


def test_access_lines_keep_method_route_version_and_status(served: Served) -> None:
    """Each request has its own, in fields and in the message; a path that no route has is no text of ours."""
    access = [line for line in served.lines if line["logger"] == "uvicorn.access"]
    found = Counter((line["method"], line["route"], line["status"]) for line in access)
    asked = zip([*requests(), FAILING], served.statuses, strict=True)
    ranked = Counter({("POST", "/rank?…", 200): 9, ("POST", "/rank?…", 503): 3})
    assert found == Counter(expected_access(*one) for one in asked) + ranked
    for line in access:
        request = f'"{line["method"]} {line["route"]} HTTP/1.1" {line["status"]}'
        assert line["message"] == f"<str 1-15> - {request}"


def test_a_person_can_tell_from_the_lines_what_happened(served: Served) -> None:
    """The second service answered a search with 503, so the first answered it with 502: the steps, and what failed."""
    told = [
        (line["logger"], line["level"], re.sub(r"\[\w+ .*s ago\]", "[cached]", line["message"]))
        for line in map(steady, served.failing)
    ]
    parameters = "<sqlalchemy.sql.util._repr_params>"
    assert told == [
        ("sqlalchemy.engine.Engine", "INFO", "BEGIN (implicit)"),
        ("sqlalchemy.engine.Engine", "INFO", "SELECT ..."),
        ("sqlalchemy.engine.Engine", "INFO", f"[cached] {parameters}"),
        ("sqlalchemy.engine.Engine", "INFO", "ROLLBACK"),
        ("helpdesk", "INFO", "Searching for <str 16-63> found 1"),
        ("helpdesk", "INFO", "Answering <starlette.datastructures.URL> with 503"),
        ("uvicorn.access", "INFO", '<str 1-15> - "POST /rank?… HTTP/1.1" 503'),
        ("httpx", "INFO", 'HTTP Request: POST http://127.0.0.1:PORT "HTTP/1.1 503 Service Unavailable"'),
        ("helpdesk", "ERROR", "Ranking of 1 questions for {q} failed"),
        ("helpdesk", "ERROR", "<str 64-255>"),
        ("helpdesk", "INFO", "Answering <starlette.datastructures.URL> with 502"),
        ("uvicorn.access", "INFO", '<str 1-15> - "GET /search?… HTTP/1.1" 502'),
    ]
    failure = next(line for line in map(steady, served.failing) if "exception_type" in line)
    del failure["exception_frames"]
    assert failure == {
        "level": "ERROR",
        "logger": "helpdesk",
        "message": "Ranking of 1 questions for {q} failed",
        "error_code": "server_error",
        "error_class": "upstream",
        "status": 503,
        "retryable": True,
        "exception_type": "httpx.HTTPStatusError",
        "exception_code": "server_error",
        "withheld": 1,
        "service": "helpdesk",
    }


def test_an_exception_that_nobody_catches_is_told_by_its_classes_and_places(served: Served) -> None:
    """uvicorn logs it for each of the five answers with 500; its text names a person and what they asked."""
    found = [line for line in served.lines if line["logger"] == "uvicorn.error" and line["level"] == "ERROR"]
    assert [line["message"] for line in found] == ["Exception in ASGI application\n"] * 5
    assert {line["exception_chain"] for line in found} == {"helpdesk.DeskError < KeyError"}
    assert {re.sub(r":\d+$", "", line["exception_frames"].rpartition(" > ")[2]) for line in found} == {
        "helpdesk.py:answer"
    }


def test_no_output_holds_a_word_of_a_customer(served: Served) -> None:
    """Neither the lines of JSON nor the operator's own handler, which has each record too."""
    assert found_in(served.stdout + served.stderr) == []
    rows = [row for row in served.stderr.splitlines() if row.startswith("> ")]
    assert Counter(row.split()[2] for row in rows) == Counter(line["logger"] for line in served.lines)


def test_with_everything_at_debug_no_output_holds_a_word_of_a_customer(tmp_path: Path) -> None:
    """The client's connections and the database's pool speak up too, and are as readable."""
    configure(tmp_path, "DEBUG")
    found = serve(tmp_path)
    whole = [line for line in found.lines if WHOLE.fullmatch(line["message"])]
    assert found_in(found.stdout + found.stderr) == []
    assert {"httpcore.http11", "sqlalchemy.pool.impl.StaticPool"} <= {line["logger"] for line in found.lines}
    assert len(whole) / len(found.lines) <= MAX_WITHHELD


def test_without_the_configuration_the_words_come_out(tmp_path: Path) -> None:
    """The control: plain logging at INFO prints all sentences and people, so the search above finds something."""
    config = {"version": 1, "handlers": {"h": {"class": "logging.StreamHandler"}}, "disable_existing_loggers": False}
    text = json.dumps({**config, "root": {"level": "INFO", "handlers": ["h"]}})
    (tmp_path / "logging.json").write_text(text, encoding="ascii")
    with Program(tmp_path, *SERVE, "--log-config", "logging.json", "helpdesk:app") as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        for asked in requests():
            send(port, asked)
        program.stop()

    assert found_in(program.stderr) == TELLING
