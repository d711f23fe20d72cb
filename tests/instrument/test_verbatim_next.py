"""verbatim 0.3, by packages that stand in for it: each error and warning of its contract, whole records and spans."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.instrument.verbatim_texts import CANARIES
from tests.instrument.whole import Ended, call, inside

pytestmark = [pytest.mark.integration, pytest.mark.long]

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DEMO = ROOT / "docs" / "examples" / "demo" / "verbatim_standin" / "errors.py"


def build(folder: Path) -> None:
    """Put the stand-ins where they would be, if they were installed."""
    hidden = shutil.ignore_patterns("__pycache__")
    for package in ("verbatim_core", "verbatim_rag"):
        shutil.copytree(HERE / "standins" / f"{package}_next", folder / package, ignore=hidden)
        about = folder / f"{package}-0.3.0.dist-info"
        about.mkdir()
        text = f"Metadata-Version: 2.1\nName: {package.replace('_', '-')}\nVersion: 0.3.0\n"
        (about / "METADATA").write_text(text, "utf-8")
    shutil.copy(DEMO, folder / "verbatim_core")


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was raised in each way, and what its calls left behind."""
    folder = tmp_path_factory.mktemp("next")
    build(folder)
    path = [str(folder), str(ROOT / "src"), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = subprocess.run(
        [sys.executable, str(HERE / "programs" / "next_release.py")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path), "DISCREET_REPORT_EVERY": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [word for word in CANARIES if word in done.stdout] == []
    return {one["name"]: one for one in map(json.loads, done.stdout.splitlines())}


class Error(NamedTuple):
    """A way to fail: the calls that it is in, the innermost first, its message, and what was its cause."""

    way: str
    message: str | None
    operations: tuple[str, ...]
    cause: str = ""
    facts: dict[str, Any] = {}
    before: tuple[Ended, ...] = ()

    @property
    def kind(self) -> str:
        return self.way.split("/")[0]

    @property
    def code(self) -> str:
        return self.way.split("/")[1]


TRANSFORM = ("verbatim.transform",)
EXTRACT = ("verbatim.extract", *TRANSFORM)
ASK = ("verbatim.complete", *EXTRACT)
LOAD = ("verbatim.load_model",)
QUERY = ("verbatim.query",)
ASKED = call("verbatim.complete", parent="verbatim.extract")
EXTRACTED = call("verbatim.extract", parent="verbatim.transform", items=1)
INPUT, SETTING, UPSTREAM = "InvalidInputError", "ConfigurationError", "UpstreamError"
STATUS = "the LLM service answered with status {}".format
UNREAD = "the reply can't be read"
UNREACHED = "the LLM service could not be reached"
DECODING = "json.decoder.JSONDecodeError"
REFUSED = "openai.APIConnectionError < httpx2.ConnectError < httpcore2.ConnectError"
HUNG_UP = "openai.APIConnectionError < httpx2.RemoteProtocolError < httpcore2.RemoteProtocolError"
TIMED_OUT = "openai.APITimeoutError < httpx2.ReadTimeout < httpcore2.ReadTimeout"
TOO_MANY = "openai.RateLimitError"
# A message is shown once it was compared with the texts of its call: where there are none, as for a model, it isn't.
ERRORS = [
    Error(f"{INPUT}/invalid_value", "chunks[1] has the id of another", TRANSFORM, facts={"param": "chunks[1].id"}),
    Error(f"{INPUT}/invalid_value/kind", "chunks[0] is no mapping", TRANSFORM, facts={"param": "chunks[0]"}),
    Error(
        f"{INPUT}/invalid_value/structured",
        "a transformer has no structured templates",
        TRANSFORM,
        facts={"param": "template_mode"},
    ),
    Error(f"{INPUT}/invalid_value/quoting", None, TRANSFORM, facts={"param": "question"}),
    Error(f"{INPUT}/missing_field", "chunks[0] has no text", TRANSFORM, facts={"param": "chunks[0]"}),
    Error(f"{SETTING}/invalid_value", None, LOAD),
    Error(f"{SETTING}/missing_dependency", None, LOAD, "ModuleNotFoundError"),
    Error(f"{SETTING}/model_not_loaded", None, LOAD, "FileNotFoundError"),
    Error(
        f"{SETTING}/missing_embedder",
        "templates by question need an embedder",
        TRANSFORM,
        before=(ASKED, EXTRACTED),
    ),
    Error(f"{SETTING}/missing_llm_client", "structured templates need an LLM client", QUERY),
    Error(f"{SETTING}/authentication_failed", STATUS(401), ASK, "openai.AuthenticationError"),
    Error(f"{SETTING}/authentication_failed/reranker", "the reranker answered with status 401", QUERY),
    Error(
        f"{SETTING}/authentication_failed/template",
        STATUS(401),
        ("verbatim.complete", *TRANSFORM),
        "openai.AuthenticationError",
        before=(EXTRACTED,),
    ),
    Error(f"{SETTING}/permission_denied", STATUS(403), ASK, "openai.PermissionDeniedError"),
    Error(f"{SETTING}/model_not_found", STATUS(404), ASK, "openai.NotFoundError"),
    Error(f"{SETTING}/quota_exceeded", STATUS(429), ASK, TOO_MANY),
    Error(f"{UPSTREAM}/timeout", "the LLM service gave no answer in time", ASK, TIMED_OUT),
    Error(f"{UPSTREAM}/connection_failed", UNREACHED, ASK, REFUSED),
    Error(f"{UPSTREAM}/connection_failed/hang up", UNREACHED, ASK, HUNG_UP),
    Error(f"{UPSTREAM}/rate_limited", STATUS(429), ASK, TOO_MANY, {"retry_after": 2.0}),
    Error(f"{UPSTREAM}/rate_limited/soon", STATUS(429), ASK, TOO_MANY),
    Error(f"{UPSTREAM}/server_error", STATUS(500), ASK, "openai.InternalServerError"),
    Error(f"{UPSTREAM}/server_error/stream", STATUS(503), (*ASK, "verbatim.stream"), "openai.InternalServerError"),
    Error(f"{UPSTREAM}/request_rejected", STATUS(400), ASK, "openai.BadRequestError", {"retryable": False}),
    Error(f"{UPSTREAM}/invalid_reply", UNREAD, EXTRACT, DECODING, before=(ASKED,)),
    Error(f"{UPSTREAM}/invalid_reply/body", UNREAD, ASK, DECODING),
    Error(f"{UPSTREAM}/empty_reply", "the reply has no text", ASK, facts={"retryable": False}),
    Error(f"{UPSTREAM}/client_failed", "the LLM client failed", EXTRACT, "RuntimeError", {"retryable": False}),
    # Errors without a code of their own.
    Error("VerbatimError/verbatim_error", "something deliberate", TRANSFORM),
    Error(f"{INPUT}/invalid_input", "an argument is wrong", TRANSFORM, facts={"param": "question"}),
    Error(f"{SETTING}/configuration_error", "a setting is wrong", TRANSFORM),
    Error(f"{UPSTREAM}/upstream_error", "the service failed", TRANSFORM, facts={"retryable": False}),
]
CLASSES = {INPUT: "input", SETTING: "configuration", UPSTREAM: "upstream"}


@pytest.mark.parametrize("row", ERRORS, ids=lambda row: row.way)
def test_an_error_is_in_each_call_that_it_goes_through(row: Error, told: dict[str, Any]) -> None:
    """With its code, its class and what the contract types of it; its message, unless it quotes the customer."""
    one = told[row.way]
    kind = f"verbatim_core.errors.{row.kind}"
    facts = {
        "error_code": row.code,
        "exception_type": kind,
        "exception_code": row.code,
        **({"error_class": CLASSES[row.kind]} if row.kind in CLASSES else {}),
        **({"upstream_service": "llm", "retryable": True} if row.kind == UPSTREAM else {}),
        **({"exception_chain": f"{kind} < {row.cause}"} if row.cause else {}),
        **({"exception_message": row.message} if row.message else {}),
        **row.facts,
    }
    expected = [*row.before]
    for name, parent in zip(row.operations, (*row.operations[1:], None), strict=True):
        items = {"items": 1} if name == "verbatim.stream" else {}
        expected.append(call(name, "error", parent=parent, **facts, **items))
    assert one["raised"] == f"{row.kind}/{row.code}"
    assert [Ended(*found) for found in one["calls"]] == expected


def test_a_stream_that_ends_with_an_event_of_an_error_has_its_code(told: dict[str, Any]) -> None:
    """That for a bug: nobody could receive the exception, and its text, which quotes the customer, is in the event."""
    one = told[STREAM]
    code = {"error_code": "internal_error", "error_class": "internal"}
    assert one["raised"] is None
    assert [Ended(*found) for found in one["calls"]] == [call("verbatim.stream", "error", items=1, **code)]


STREAM = "VerbatimError/internal_error"


class Warned(NamedTuple):
    """A way to be degraded: how many warnings, the operations that it shows in, and what else was called."""

    code: str
    count: int
    operations: tuple[str, ...]
    before: tuple[Ended, ...] = ()
    items: int | None = None


SERVER_ERROR = {
    "error_code": "server_error",
    "error_class": "upstream",
    "upstream_service": "llm",
    "retryable": True,
    "exception_type": "verbatim_core.errors.UpstreamError",
    "exception_code": "server_error",
    "exception_chain": "verbatim_core.errors.UpstreamError < openai.InternalServerError",
    "exception_message": STATUS(503),
}
WARNINGS = [
    Warned("quote_not_found", 2, EXTRACT, (ASKED,), 1),
    Warned("span_text_not_found", 2, TRANSFORM),
    Warned("chunk_truncated", 1, EXTRACT, items=2),
    Warned(
        "template_fallback",
        1,
        TRANSFORM,
        (EXTRACTED, call("verbatim.complete", "error", parent="verbatim.transform", **SERVER_ERROR)),
    ),
    Warned("reranker_fallback", 1, QUERY, (EXTRACTED, call("verbatim.transform", parent="verbatim.query"))),
]


@pytest.mark.parametrize("row", WARNINGS, ids=lambda row: row.code)
def test_a_warning_makes_its_call_degraded_and_those_around_it(row: Warned, told: dict[str, Any]) -> None:
    """0.3 logs it by itself, once for each code: that record is the only one, in the call whose result it is of."""
    one = told[row.code]
    expected = [*row.before]
    for number, (name, parent) in enumerate(zip(row.operations, (*row.operations[1:], None), strict=True)):
        items = {} if row.items is None or number else {"items": row.items}
        facts = {"warning_code": row.code, "warnings": row.count, **items}
        degraded = call(name, "degraded", parent=parent, **facts)
        if not number:
            about = {"warning_code": row.code, "count": row.count}
            degraded.span["events"].append(inside("fallback_used", "verbatim_core.extractors", "WARNING", **about))
        expected.append(degraded)
    assert one["raised"] is None
    assert [Ended(*found) for found in one["calls"]] == expected
    lines = [line for line in map(json.loads, one["lines"]) if line.get("event") == "fallback_used"]
    assert [(line["logger"], line["warning_code"], line["count"]) for line in lines] == [
        ("verbatim_core.extractors", row.code, row.count)
    ]


@pytest.mark.parametrize(("name", "failed"), [("items failed", 2), ("an item failed", 1)])
def test_items_that_have_failed_are_counted_as_the_library_tells_them(
    name: str, failed: int, told: dict[str, Any]
) -> None:
    """By the one function of 0.3 that goes on without them: all are an error, some are a degraded result."""
    code = {"error_code": "server_error", "error_class": "upstream"}
    asked = [call("verbatim.complete", "error", parent="verbatim.extract", **SERVER_ERROR)] * failed
    whole = call("verbatim.extract", "error", items=2, items_failed=2, **code)
    some = call("verbatim.extract", "degraded", items=2, items_failed=1)
    extract = whole if failed == 2 else some
    item = inside("item_failed", "verbatim_core.extractors", "WARNING", **code)
    extract.span["events"].extend([item] * failed)
    expected = [*asked, extract] if failed == 2 else [ASKED, *asked, extract]
    assert [Ended(*found) for found in told[name]["calls"]] == expected


def test_loading_is_a_call_and_told_once(told: dict[str, Any]) -> None:
    """By the library itself, with model, device and duration; the span of the record is inside that of the call."""
    one = told["model_loaded"]
    assert [Ended(*found) for found in one["calls"]] == [call("verbatim.load_model")]
    (line,) = [line for line in map(json.loads, one["lines"]) if line.get("event") == "model_loaded"]
    assert line["duration_ms"] >= 0
    assert (line["model"], line["device"], line["logger"]) == ("example-org/small-1", "cpu", "verbatim_core.extractors")
    spans = {span["name"]: span for span in map(json.loads, one["spans"])}
    assert spans["model_loaded"]["parent_id"] == spans["verbatim.load_model"]["context"]["span_id"]
