"""What records of servers, clients and frameworks show under the shipped vocabulary, when no frame proves anything."""

from __future__ import annotations

import json
import logging

import pytest

from discreet.contract.source import load_shipped, shipped
from discreet.seal import Sealed, seal
from discreet.seal.types import WITHHELD, forget_routes, register_routes

TASK = {"name": "json.dumps", "id": "8b1b7f0e-46a8-4a6f-8f0e-0d5b7e6f9a11", "runtime": 0.5, "exc": "KeyError('knee')"}
NAMED = {"task": "json.dumps", "task_id": TASK["id"]}
ACCESS = {
    "h": "10.0.0.9",
    "l": "-",
    "u": "-",
    "t": "[10/Oct/2000:13:55:36 +0000]",
    "r": "GET /items/4?q=knee HTTP/1.1",
    "s": "200",
    "b": "12",
    "f": "-",
    "a": "curl/8",
    "m": "GET",
    "{raw_uri}e": "/items/4?q=knee",
    "H": "HTTP/1.1",
    "L": "0.250000",
}

# Logger, template, arguments; then the message and the attributes that are exported.
TEMPLATES = [
    (
        ("uvicorn.access", '%s - "%s %s HTTP/%s" %d', "10.0.0.9:5000", "GET", "/items/4?q=knee", "1.1", 200),
        '<str 1-15> - "GET /items/{item_id}?… HTTP/1.1" 200',
        {"method": "GET", "route": "/items/{item_id}?…", "status": 200},
    ),
    (
        ("uvicorn.error", "Uvicorn running on %s://%s:%d (Press CTRL+C to quit)", "http", "127.0.0.1", 8000),
        "Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)",
        {},
    ),
    (("uvicorn.error", "Started server process [%d]", 4711), "Started server process [4711]", {}),
    (
        ("gunicorn.access", '%(h)s %(l)s %(u)s %(t)s "%(r)s" %(s)s %(b)s "%(f)s" "%(a)s"', ACCESS),
        '<str 1-15> - - 2000-10-10T13:55:36+00:00 "GET /items/{item_id}?… HTTP/1.1" 200 12 "-" "<str 1-15>"',
        {"status": 200},
    ),
    (
        ("gunicorn.access", '%(h)s "%(m)s %({raw_uri}e)s %(H)s" %(s)s %(b)s %(L)s', ACCESS),
        '<str 1-15> "GET /items/{item_id}?… HTTP/1.1" 200 12 0.25',
        {"method": "GET", "route": "/items/{item_id}?…", "status": 200, "duration_s": 0.25},
    ),
    (
        ("gunicorn.error", "Error handling request %s %s", "POST", "/items/4?q=knee"),
        "Error handling request POST /items/{item_id}?…",
        {"method": "POST", "route": "/items/{item_id}?…"},
    ),
    (("gunicorn.error", "Shutting down: %s", "Master"), "Shutting down: Master", {}),
    (("gunicorn.error", "Starting gunicorn %s", "27.0.1"), "Starting gunicorn 27.0.1", {}),
    (
        ("gunicorn.error", "Listening at: %s (%s)", "http://127.0.0.1:8000", 99),
        "Listening at: http://127.0.0.1:8000 (99)",
        {"origin": "http://127.0.0.1:8000"},
    ),
    (("gunicorn.error", "Handling signal: %s", "term"), "Handling signal: term", {}),
    (
        ("gunicorn.error", "Worker (pid:%s) was sent %s! Perhaps out of memory?", 99, "SIGKILL"),
        "Worker (pid:99) was sent SIGKILL! Perhaps out of memory?",
        {},
    ),
    (
        ("httpx", 'HTTP Request: %s %s "%s %d %s"', "POST", "https://api.openai.com/ask?q=knee", "HTTP/1.1", 200, "OK"),
        'HTTP Request: POST https://api.openai.com "HTTP/1.1 200 OK"',
        {"method": "POST", "origin": "https://api.openai.com", "status": 200},
    ),
    (
        ("urllib3.connectionpool", '%s://%s:%s "%s %s %s" %s %s', "http", "db", 80, "GET", "/knee", "HTTP/1.1", 200, 5),
        'http://db:80 "GET /… HTTP/1.1" 200 5',
        {"method": "GET", "status": 200},
    ),
    (
        ("openai._base_client", "HTTP Response: %s %i", "post", 200),
        "HTTP Response: POST 200",
        {"method": "POST", "status": 200},
    ),
    (
        ("openai._base_client", "Retrying request in %f seconds (retry %i of %s)", 0.5, 1, 2),
        "Retrying request in 0.500000 seconds (retry 1 of 2)",
        {"duration_s": 0.5},
    ),
    (
        ("sqlalchemy.engine.Engine", "[%s] %r", "cached since 0.12s ago", ("knee",)),
        "[cached since 0.12s ago] <tuple>",
        {},
    ),
    (("sqlalchemy.engine.Engine", "BEGIN (implicit)"), "BEGIN (implicit)", {}),
    (
        ("django.server", '"%s" %s %s', "GET /items/4 HTTP/1.1", "200", "1234"),
        '"GET /items/{item_id} HTTP/1.1" 200 1234',
        {"status": 200},
    ),
    (("django.request", "%s: %s", "Not Found", "/knee"), "Not Found: /…", {"route": "/…"}),
    (
        ("django.security.csrf", "Forbidden (%s): %s", "CSRF cookie not set.", "/items/4"),
        "Forbidden (CSRF cookie not set.): /items/{item_id}",
        {"route": "/items/{item_id}"},
    ),
    (
        ("django.db.backends", "(%.3f) %s; args=%s; alias=%s", 0.001, "SELECT 'knee'", ("knee",), "default"),
        "(0.001) SELECT; args=<tuple>; alias=default",
        {"duration_s": 0.001, "sql_verb": "SELECT"},
    ),
    (
        ("celery.app.trace", "Task %(name)s[%(id)s] succeeded in %(runtime)ss: %(exc)s", TASK),
        f"Task json.dumps[{TASK['id']}] succeeded in 0.5s: <str 16-63>",
        {**NAMED, "duration_s": 0.5},
    ),
    (
        ("celery.worker.strategy", "Task %(name)s[%(id)s] received", TASK),
        f"Task json.dumps[{TASK['id']}] received",
        NAMED,
    ),
    (("asyncio", "Using selector: %s", "EpollSelector"), "Using selector: EpollSelector", {}),
]

# Logger and finished message; then the message that is shown and the attributes.
PATTERNS = [
    (
        "uvicorn.error",
        "Started reloader process [12] using StatReload",
        "Started reloader process [12] using StatReload",
        {},
    ),
    ("uvicorn.error", "Stopping parent process [12]", "Stopping parent process [12]", {}),
    (
        "gunicorn.error",
        "Worker (pid:9) was sent SIGKILL! Perhaps out of memory?",
        "Worker (pid:9) was sent SIGKILL!",
        {},
    ),
    (
        "httpcore.http11",
        "receive_response_headers.complete return_value=(b'HTTP/1.1', 200, b'OK', [(b'x-asked', b'knee')])",
        "receive_response_headers.complete 200",
        {"status": 200},
    ),
    (
        "httpcore2.http2",
        "receive_response_headers.complete return_value=(429, [])",
        "receive_response_headers.complete 429",
        {"status": 429},
    ),
    (
        "httpcore2.http11",
        "send_request_headers.started request=<Request [b'POST']>",
        "send_request_headers.started POST",
        {},
    ),
    (
        "httpcore.connection",
        "connect_tcp.started host='127.0.0.1' port=8080 local_address=None timeout=5",
        "connect_tcp.started 127.0.0.1:8080",
        {},
    ),
    (
        "httpcore2.connection",
        "connect_tcp.failed exception=ConnectError('knee')",
        "connect_tcp.failed ConnectError",
        {},
    ),
    ("httpcore.connection", "close.complete", "close.complete", {}),
    ("sqlalchemy.engine.Engine", "SELECT text\nFROM notes WHERE text = 'knee'", "SELECT ...", {"sql_verb": "SELECT"}),
    ("sqlalchemy.engine.Engine.app", "\nCREATE TABLE notes (\n)", "CREATE ...", {"sql_verb": "CREATE"}),
    ("asyncio", "Task exception was never retrieved\nfuture: <Task 'knee'>", "Task exception was never retrieved", {}),
    ("asyncio", "Exception in callback ask('knee')\nhandle: <Handle>", "Exception in callback ...", {}),
    ("asyncio", "Getting address info knee took 312.500ms: []", "Getting address info took 312.5ms", {}),
    (
        "py.warnings",
        f"{json.__file__}:12: DeprecationWarning: knee\n  ask()\n",
        "DeprecationWarning in json, line 12",
        {},
    ),
    ("py.warnings", "/srv/knee.py:7: UserWarning: knee\n", "UserWarning in <str 1-15>, line 7", {}),
]

SENTENCE = "my left knee hurts since Tuesday"


@pytest.fixture(autouse=True)
def _routes():
    register_routes(["/items/{item_id}"])
    yield
    forget_routes()


def _sealed(logger: str, msg: str, *args: object) -> Sealed:
    return seal(logging.LogRecord(logger, logging.INFO, "elsewhere.py", 1, msg, args, None))


@pytest.mark.parametrize(("record", "message", "attributes"), TEMPLATES, ids=[case[1][:40] for case in TEMPLATES])
def test_declared_arguments_show_in_their_closed_types(record, message, attributes):
    """An operator reads who was asked what and how it went, and nothing that somebody wrote."""
    sealed = _sealed(*record)
    assert (sealed.message, sealed.attributes, sealed.event) == (message, attributes, None)


@pytest.mark.parametrize(("logger", "msg", "message", "attributes"), PATTERNS, ids=[case[2][:40] for case in PATTERNS])
def test_computed_messages_show_the_part_that_the_library_computed(logger, msg, message, attributes):
    """A finished message is known by its shape; what stands between the known parts stays out."""
    sealed = _sealed(logger, msg)
    assert (sealed.message, sealed.attributes, sealed.event) == (message, attributes, None)


@pytest.mark.parametrize(
    "logger", ["uvicorn.error", "sqlalchemy.engine.Engine", "asyncio", "py.warnings", "httpcore.http11"]
)
def test_a_message_of_another_shape_stays_withheld(logger):
    """Somebody else's message on a known logger is nobody's shape."""
    assert SENTENCE not in _sealed(logger, f"please note: {SENTENCE}").message


@pytest.mark.parametrize("name", shipped())
def test_no_declared_argument_lets_a_sentence_through(name):
    """Whatever a row's types are, a sentence in each of its slots stays out of message and attributes."""
    leaked = []
    for row in load_shipped(name).records:
        template = "%s".join(literal.replace("%", "%%") for literal in row.literals)
        sealed = _sealed(row.logger or "anywhere", template, *[SENTENCE] * len(row.args))
        if SENTENCE in sealed.message or SENTENCE in sealed.attributes.values():
            leaked.append(row.key)
    assert leaked == []


@pytest.mark.parametrize("name", shipped())
def test_no_declared_attribute_lets_a_sentence_through(name):
    """An extra of a declared name is no way out either."""
    attributes = load_shipped(name).attributes
    assert {key: kind.safe(SENTENCE) for key, kind in attributes.items()} == dict.fromkeys(attributes, WITHHELD)
