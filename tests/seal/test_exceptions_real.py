"""Exceptions of the libraries whose logs are read, raised by these libraries themselves."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import traceback as tracebacks
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest

from discreet.contract import active
from discreet.seal.exceptions import ExceptionFacts, describe
from discreet.seal.standin import stand_in

pytestmark = pytest.mark.integration

SENTENCE = "the scan of my left knee shows a torn meniscus"
NEEDS = "is in the dependency group `integration`"


class Service(BaseHTTPRequestHandler):
    """Answers with the status that is the path, and echoes a question in body and headers."""

    def do_POST(self) -> None:
        status = int(self.path.split("/")[1])
        body = json.dumps({"error": {"message": SENTENCE, "code": self.path.split("/")[2], "param": SENTENCE}}).encode()
        self.send_response(status, SENTENCE)
        self.send_header("Retry-After", "7")
        self.send_header("X-Question", SENTENCE)
        self.send_header("X-Request-Id", "req_0123456789abcdef")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST

    def log_message(self, *_args: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture(scope="module")
def service() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Service)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def caught(function: Callable[..., Any], *args: object, **options: object) -> BaseException:
    found = None
    try:
        function(*args, **options)
    except Exception as error:
        found = error
    assert found is not None
    return found


def facts(error: BaseException) -> ExceptionFacts:
    """Describe an exception, and see that no text of it is in the facts or the stand-in."""
    found = describe(error, error.__traceback__, active())
    printed = "".join(tracebacks.format_exception(*stand_in(error, error.__traceback__)))
    assert SENTENCE not in repr(found) + printed
    assert "knee" not in repr(found) + printed
    return found


def summary(error: BaseException) -> tuple[object, ...]:
    found = facts(error)
    return found.type, found.code, found.error_class, found.attributes


def ask(service: str, path: str) -> None:
    from openai import OpenAI

    with OpenAI(api_key="k", base_url=f"{service}/{path}", max_retries=0) as client:
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": SENTENCE}])


def test_errors_of_the_openai_client_have_codes_and_safe_values(service: str) -> None:
    """The provider's text, which quotes the question, is in its message, its body and its headers."""
    found = [summary(caught(ask, service, path)) for path in ("401/x", "403/x", "404/x", "418/x", "500/x")]
    shared = {"retry_after": 7, "request_id": "req_0123456789abcdef"}
    assert found == [
        ("openai.AuthenticationError", "authentication_failed", "configuration", {**shared, "status": 401}),
        ("openai.PermissionDeniedError", "permission_denied", "configuration", {**shared, "status": 403}),
        ("openai.NotFoundError", "model_not_found", "configuration", {**shared, "status": 404}),
        ("openai.APIStatusError", "request_rejected", "upstream", {**shared, "status": 418}),
        ("openai.InternalServerError", "server_error", "upstream", {**shared, "status": 500, "retryable": True}),
    ]
    assert [summary(caught(ask, service, path)) for path in ("429/x", "429/insufficient_quota")] == [
        ("openai.RateLimitError", "rate_limited", "upstream", {**shared, "status": 429, "retryable": True}),
        (
            "openai.RateLimitError",
            "quota_exceeded",
            "configuration",
            {**shared, "status": 429, "provider_code": "insufficient_quota"},
        ),
    ]


def test_an_error_of_the_openai_client_keeps_its_chain_and_its_frames() -> None:
    """From the client through its HTTP library to the operating system."""
    found = facts(caught(ask, "http://127.0.0.1:1", "v1"))
    assert (found.type, found.code, found.error_class) == ("openai.APIConnectionError", "connection_failed", "upstream")
    assert found.chain == ("openai.APIConnectionError", "httpx2.ConnectError", "httpcore2.ConnectError")
    assert found.codes == ("connection_failed",) * 3
    places = [text.rpartition(":")[0] for text in found.frames]
    assert places[0].endswith("test_exceptions_real.py:caught")
    assert places[-1] == "openai/_base_client.py:SyncAPIClient.request"


def test_errors_of_http_clients_have_codes_and_safe_values(service: str) -> None:
    """The address, with the question in its path, is in their messages."""
    httpx = pytest.importorskip("httpx", reason=NEEDS)
    requests = pytest.importorskip("requests", reason=NEEDS)

    def with_httpx(url: str) -> None:
        httpx.get(url).raise_for_status()

    def with_requests(url: str) -> None:
        requests.get(url).raise_for_status()

    def with_urllib(url: str) -> None:
        urllib.request.urlopen(url)

    busy, gone = f"{service}/429/{SENTENCE.replace(' ', '+')}", f"http://127.0.0.1:1/{SENTENCE.replace(' ', '+')}"
    safe = {"status": 429, "retry_after": 7, "retryable": True}
    assert [summary(caught(get, url)) for get in (with_httpx, with_requests) for url in (busy, gone)] == [
        ("httpx.HTTPStatusError", "rate_limited", "upstream", safe),
        ("httpx.ConnectError", "connection_failed", "upstream", {"retryable": True}),
        ("requests.exceptions.HTTPError", "rate_limited", "upstream", safe),
        ("requests.exceptions.ConnectionError", "connection_failed", "upstream", {"retryable": True}),
    ]
    refused = caught(with_urllib, busy)
    assert facts(refused).type == "urllib.error.HTTPError"
    refused.close()  # type: ignore[attr-defined]


def test_a_validation_error_shows_no_input() -> None:
    """The message quotes it; the class is compiled and is named by its real module."""
    pydantic = pytest.importorskip("pydantic", reason=NEEDS)
    model = pydantic.create_model("Patient", knee=(int, ...))
    found = facts(caught(model, knee=SENTENCE))
    assert (found.type, found.attributes) == ("pydantic_core._pydantic_core.ValidationError", {})
    assert found.frames[-1].startswith("pydantic/main.py:BaseModel.__init__:")


def test_an_error_of_json_shows_the_place_and_not_the_document() -> None:
    """The document is an attribute of it."""
    found = facts(caught(json.loads, f'{{"knee": {SENTENCE}'))
    assert (found.type, found.code, found.attributes) == (
        "json.decoder.JSONDecodeError",
        "invalid_reply",
        {"json_line": 1, "json_column": 10, "retryable": True},
    )


def test_an_error_of_a_database_shows_no_statement_and_no_parameters() -> None:
    """Both are in its message and its attributes."""
    sqlalchemy = pytest.importorskip("sqlalchemy", reason=NEEDS)
    engine = sqlalchemy.create_engine("sqlite://")
    with engine.connect() as connection:
        statement = sqlalchemy.text(f"select '{SENTENCE}' from patients where knee = :knee")
        found = facts(caught(connection.execute, statement, {"knee": SENTENCE}))
    engine.dispose()
    assert found.chain == ("sqlalchemy.exc.OperationalError", "sqlite3.OperationalError")
    assert found.frames[-1].startswith("sqlalchemy/engine/default.py:DefaultDialect.do_execute:")


def test_errors_of_the_system_show_their_numbers() -> None:
    """The name of a file and the command are in their messages."""
    found = [
        summary(caught(open, f"/{SENTENCE}")),
        summary(caught(subprocess.run, [sys.executable, "-c", f"raise SystemExit(3)  # {SENTENCE}"], check=True)),
    ]
    assert found == [
        ("FileNotFoundError", None, None, {"errno": 2}),
        ("subprocess.CalledProcessError", None, None, {"exit_code": 3}),
    ]


def test_the_errors_of_a_task_group_are_counted_by_type() -> None:
    """Each of them has a text of its own."""

    async def fail(error: Exception) -> None:
        raise error

    async def fan_out() -> None:
        async with asyncio.TaskGroup() as group:
            for error in (KeyError(SENTENCE), ValueError(SENTENCE), KeyError(SENTENCE)):
                group.create_task(fail(error))

    found = facts(caught(asyncio.run, fan_out()))
    assert (found.type, found.chain) == ("ExceptionGroup", ("ExceptionGroup(3: KeyError x2, ValueError)",))


def test_sentry_keeps_types_modules_chain_and_frames() -> None:
    """And has no value, no variables and no source."""
    sentry_sdk = pytest.importorskip("sentry_sdk", reason=NEEDS)
    events: list[Any] = []
    error = caught(ask, "http://127.0.0.1:1", "v1")
    client = sentry_sdk.Client(
        dsn="http://k@127.0.0.1/1",
        before_send=lambda event, hint: events.append(event),
        default_integrations=False,
    )
    with sentry_sdk.isolation_scope() as scope:
        scope.set_client(client)
        scope.capture_exception(error)
        scope.capture_exception(stand_in(error, error.__traceback__)[1])
    real, ours = (event["exception"]["values"] for event in events)

    def names(values: list[Any]) -> list[Any]:
        return [
            (
                *(one["type"], one["module"], one["mechanism"]["type"]),
                *((frame["function"], frame["module"], frame["lineno"]) for frame in one["stacktrace"]["frames"]),
            )
            for one in values
        ]

    assert [one["type"] for one in ours] == ["ConnectError", "ConnectError", "APIConnectionError"]
    assert names(ours) == names(real)
    assert [one["value"] for one in ours] == [""] * len(real)
    frames = [frame for one in ours for frame in one["stacktrace"]["frames"]]
    assert not any(
        frame.get(key) for frame in frames for key in ("vars", "context_line", "pre_context", "post_context")
    )
