"""verbatim 0.2.8: each error of its contract as it comes about there, with the whole records and spans of its calls."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, NamedTuple

import openai
import pytest

from tests.calls.seen import Seen
from tests.instrument.models import HANG_UP, NEVER, Models, Step
from tests.instrument.verbatim_calls import _served, _service, client, transform  # noqa: F401
from tests.instrument.verbatim_texts import CHUNK, QUESTION, REFUSAL, refused
from tests.instrument.whole import Ended, call, ended, inside

pytestmark = pytest.mark.integration


class Row(NamedTuple):
    """What the service does, and what the calls say then."""

    code: str
    step: Step
    exception: str
    facts: dict[str, Any] = {}
    error_class: str = "upstream"
    chain: tuple[str, ...] = ()
    asked: str = "error"
    """How the request itself ended: `ok` if the reply came, and had to be read by whoever asked."""

    heard: str = "verbatim_core.extractors"
    """The logger that the library tells of it on."""


RETRYABLE = {"retryable": True}
SERVICE = [
    Row("authentication_failed", refused(401), "openai.AuthenticationError", {"status": 401}, "configuration"),
    Row("permission_denied", refused(403), "openai.PermissionDeniedError", {"status": 403}, "configuration"),
    Row("model_not_found", refused(404), "openai.NotFoundError", {"status": 404}, "configuration"),
    Row(
        "quota_exceeded",
        refused(429, code="insufficient_quota"),
        "openai.RateLimitError",
        {"status": 429, "provider_code": "insufficient_quota"},
        "configuration",
    ),
    Row(
        "rate_limited",
        refused(429, code="rate_limit_exceeded", headers={"retry-after": "2"}),
        "openai.RateLimitError",
        {"status": 429, "provider_code": "rate_limit_exceeded", "retry_after": 2.0, **RETRYABLE},
    ),
    Row("rate_limited", refused(429), "openai.RateLimitError", {"status": 429, **RETRYABLE}),
    Row("server_error", refused(500), "openai.InternalServerError", {"status": 500, **RETRYABLE}),
    Row("server_error", refused(503), "openai.InternalServerError", {"status": 503, **RETRYABLE}),
    Row("request_rejected", refused(400), "openai.BadRequestError", {"status": 400}),
    Row("request_rejected", refused(408), "openai.APIStatusError", {"status": 408}),
    Row("request_rejected", refused(422), "openai.UnprocessableEntityError", {"status": 422}),
    Row("timeout", NEVER, "openai.APITimeoutError", RETRYABLE, chain=("httpx2.ReadTimeout", "httpcore2.ReadTimeout")),
    Row(
        "connection_failed",
        HANG_UP,
        "openai.APIConnectionError",
        RETRYABLE,
        chain=("httpx2.RemoteProtocolError", "httpcore2.RemoteProtocolError"),
    ),
    Row(
        "invalid_reply",
        REFUSAL.encode(),
        "json.decoder.JSONDecodeError",
        {"json_line": 1, "json_column": 1, **RETRYABLE},
        heard="verbatim_core.llm_client",
    ),
    Row("invalid_reply", b'{"Eilif": 1}', "TypeError"),
    Row(
        "invalid_reply",
        REFUSAL,
        "json.decoder.JSONDecodeError",
        {"json_line": 1, "json_column": 1, **RETRYABLE},
        asked="ok",
        heard="verbatim_core.llm_client",
    ),
    Row("invalid_reply", '["Eilif"]', "AttributeError", asked="ok"),
    Row(
        "empty_reply",
        "",
        "json.decoder.JSONDecodeError",
        {"json_line": 1, "json_column": 1},
        heard="verbatim_core.llm_client",
    ),
    Row("empty_reply", None, "TypeError"),
]


def facts_of(row: Row) -> dict[str, Any]:
    chain = {"exception_chain": " < ".join((row.exception, *row.chain))} if row.chain else {}
    return {
        "error_code": row.code,
        "error_class": row.error_class,
        "exception_type": row.exception,
        "exception_code": row.code,
        **row.facts,
        **chain,
    }


def expected(row: Row) -> list[Ended]:
    facts = facts_of(row)
    if row.code == "empty_reply":
        request = call(
            "verbatim.complete",
            "error",
            parent="verbatim.extract",
            error_code=row.code,
            error_class=row.error_class,
        )
    elif row.asked == "ok":
        request = call("verbatim.complete", parent="verbatim.extract")
    else:
        request = call("verbatim.complete", "error", parent="verbatim.extract", **facts)
    extract = call("verbatim.extract", "error", parent="verbatim.transform", items=1, items_failed=1, **facts)
    level = "WARNING" if row.heard.endswith("llm_client") else "ERROR"
    # The library's own record knows of an exception only what a contract says of it.
    by_contract = {"error_code": row.code, "error_class": row.error_class, **row.facts}
    known = {} if row.exception in {"TypeError", "AttributeError", "RuntimeError"} else by_contract
    extract.span["events"].append(inside("item_failed", row.heard, level, **known))
    if row.error_class == "configuration":
        violation = {"count": 1, "error_code": row.code, "error_class": row.error_class}
        extract.span["events"].append(inside("contract_violated", "discreet", "WARNING", **violation))
    return [request, extract, call("verbatim.transform", "error", **facts)]


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
@pytest.mark.parametrize("row", SERVICE, ids=lambda row: f"{row.code}-{str(row.step)[:14]}")
def test_what_the_service_does_is_in_each_call_around_it(row: Row, soon: bool, served: Models, sinks: Seen) -> None:
    """0.2.8 returns an empty answer for all of them."""
    served.steps = [row.step]
    transform(client(served, timeout=0.05 if row.step == NEVER else 5), soon=soon)
    assert ended(sinks) == expected(row)


class OldClient:
    """A client of an application's own, with exceptions of its own."""

    model = "old"

    def extract_relevant_spans(self, question: str, document_text: str) -> list[str]:
        raise RuntimeError(f"{question} {document_text}")


def nobody_listens(served: Models) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        transform(client(served, f"http://127.0.0.1:{free.getsockname()[1]}/v1"))


def own_client(served: Models) -> None:
    transform(OldClient())


NO_SERVICE: list[tuple[Callable[[Models], None], Row, int]] = [
    (
        nobody_listens,
        Row(
            "connection_failed",
            None,
            "openai.APIConnectionError",
            RETRYABLE,
            chain=("httpx2.ConnectError", "httpcore2.ConnectError"),
        ),
        0,
    ),
    (own_client, Row("client_failed", None, "RuntimeError"), 1),
]


@pytest.mark.parametrize(("act", "row", "unseen"), NO_SERVICE, ids=lambda value: getattr(value, "__name__", ""))
def test_so_is_that_there_is_no_service(
    act: Callable[[Models], None], row: Row, unseen: int, served: Models, sinks: Seen
) -> None:
    """Nobody listens; or the client is somebody's own, whose requests aren't seen."""
    act(served)
    assert ended(sinks) == expected(row)[unseen:]


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
def test_a_request_of_the_applications_own_is_a_call(soon: bool, served: Models, sinks: Seen) -> None:
    """It raises what openai's client raises, and returns the reply that isn't one."""
    asked = client(served)

    async def complete_soon() -> list[Any]:
        async with asked.async_client:
            return [await asked.complete_async(QUESTION) for _ in range(2)]

    def complete() -> list[Any]:
        return asyncio.run(complete_soon()) if soon else [asked.complete(QUESTION) for _ in range(2)]

    served.steps = [CHUNK, ""]
    assert complete() == [CHUNK, ""]
    empty = {"error_code": "empty_reply", "error_class": "upstream"}
    assert ended(sinks) == [call("verbatim.complete"), call("verbatim.complete", "error", **empty)]
    row = SERVICE[0]
    served.steps, asked = [row.step], client(served)
    with pytest.raises(openai.AuthenticationError, match="Eilif"):
        complete()
    assert ended(sinks)[2:] == [call("verbatim.complete", "error", **facts_of(row))]


@pytest.mark.parametrize("soon", [False, True], ids=["sync", "async"])
def test_a_structured_extraction_is_a_call(soon: bool, served: Models, sinks: Seen) -> None:
    """All its documents have failed if its reply can't be read, although it returns; what openai raises, it raises."""
    asked = client(served)

    async def extract_soon() -> None:
        async with asked.async_client:
            await asked.extract_structured_async(QUESTION, "[WHO]", {"WHO": "who"}, [CHUNK, CHUNK])

    def extract() -> None:
        if soon:
            asyncio.run(extract_soon())
        else:
            asked.extract_structured(QUESTION, "[WHO]", {"WHO": "who"}, [CHUNK, CHUNK])

    unread = next(row for row in SERVICE if row.step == REFUSAL)
    served.steps = [unread.step]
    extract()
    failed = call("verbatim.extract", "error", items=2, items_failed=2, **facts_of(unread))
    told = {"error_code": unread.code, "error_class": unread.error_class, **unread.facts}
    failed.span["events"].append(inside("item_failed", "verbatim_core.llm_client", "WARNING", **told))
    assert ended(sinks) == [call("verbatim.complete", parent="verbatim.extract"), failed]
    down = next(row for row in SERVICE if row.code == "server_error")
    served.steps, asked = [down.step], client(served)
    with pytest.raises(openai.InternalServerError):
        extract()
    assert ended(sinks)[2:] == [
        call("verbatim.complete", "error", parent="verbatim.extract", **facts_of(down)),
        call("verbatim.extract", "error", **facts_of(down)),
    ]
