from collections import Counter
from datetime import datetime
from typing import Any

import pytest

from tests.demo.conftest import Runs
from tests.demo.lines import names, strict

COUNTS = ("total", "eligible", "observed", "missing")

pytestmark = pytest.mark.integration


@pytest.fixture(scope="session")
def records(demo: Runs) -> list[dict[str, Any]]:
    return strict(demo.first.file("logs.jsonl"))


@pytest.fixture(scope="session")
def spans(demo: Runs) -> list[dict[str, Any]]:
    return strict(demo.first.file("spans.jsonl"))


def _of(records: list[dict[str, Any]], *loggers: str) -> list[dict[str, Any]]:
    return [record for record in records if record["logger"].startswith(loggers)]


def _named(records: list[dict[str, Any]], *loggers: str) -> Counter[tuple[str | None, ...]]:
    return Counter(found for record in _of(records, *loggers) if any(found := names(record)))


def test_each_line_is_flat_and_has_the_fields_of_every_record(
    records: list[dict[str, Any]],
) -> None:
    """Each line has time, level, logger and message, and no value is a list or an object."""
    for record in records:
        assert datetime.fromisoformat(record["timestamp"]).utcoffset() is not None
        assert record["level"] in {"DEBUG", "INFO", "WARNING", "ERROR"}
        assert type(record["logger"]) is type(record["message"]) is str
        assert {type(value) for value in record.values()} <= {str, int, float, bool}


def test_all_libraries_logged_at_debug(records: list[dict[str, Any]]) -> None:
    """The HTTP client, the openai client, asyncio and groundkit have DEBUG records of their own."""
    debug = {record["logger"].split(".")[0] for record in records if record["level"] == "DEBUG"}
    assert debug >= {"asyncio", "groundkit", "httpcore2", "openai"}
    assert len(records) > 400


def test_each_fault_of_the_llm_has_its_codes(records: list[dict[str, Any]]) -> None:
    """verbatim-core's own records say which way each call went wrong, and how often."""
    failed = "item_failed"
    assert _named(records, "verbatim_core") == {
        ("fallback_used", "quote_not_found", None): 3,
        (failed, None, "invalid_reply"): 1,
        (None, None, "authentication_failed"): 1,
        (failed, None, "authentication_failed"): 2,
        (None, None, "rate_limited"): 1,
        (failed, None, "rate_limited"): 2,
        (failed, None, "empty_reply"): 1,
        (None, None, "server_error"): 1,
        (failed, None, "server_error"): 2,
        ("fallback_used", "template_fallback", "request_rejected"): 1,
    }


def test_names_are_on_the_records_whose_messages_mean_them(records: list[dict[str, Any]]) -> None:
    """The message's own words stay, so a person sees what the codes are about."""
    messages = {
        (names(record), record["message"].split("<")[0].split(":")[0])
        for record in _of(records, "verbatim_core")
        if any(names(record))
    }
    batch = "Batch extraction failed for chunk starting at 0, falling back to individual"
    single = "Individual fallback extraction failed"
    assert messages == {
        (("fallback_used", "quote_not_found", None), "Span not found verbatim in document"),
        (
            ("fallback_used", "quote_not_found", None),
            "Span not found in document (best fuzzy score",
        ),
        (("item_failed", None, "invalid_reply"), "Async span extraction failed"),
        (("item_failed", None, "empty_reply"), "Span extraction failed"),
        (
            ("fallback_used", "template_fallback", "request_rejected"),
            "Template generation failed",
        ),
        *(
            pair
            for code in ("authentication_failed", "rate_limited", "server_error")
            for pair in (((None, None, code), batch), (("item_failed", None, code), single))
        ),
    }


def test_a_rate_limit_says_how_long_to_wait(records: list[dict[str, Any]]) -> None:
    """`retry_after` is the server's header, on each of the records, with the HTTP status."""
    limited = [record for record in records if record.get("error_code") == "rate_limited"]
    assert [(r.get("retry_after"), r.get("error_class")) for r in limited] == [(1.0, "upstream")] * 3


def test_a_failed_groundkit_search_has_the_code_of_its_class(
    records: list[dict[str, Any]],
) -> None:
    """Exceptions of groundkit carry no code; the contract gives one to the class."""
    (failed,) = [one for one in _of(records, "demo") if one.get("error_code") == "retrieval_error"]
    assert failed["message"] == "the search failed"
    assert failed["exception_type"] == "groundkit.errors.RetrievalError"
    assert failed["exception_code"] == "retrieval_error"
    frames = [frame.rpartition(":")[0] for frame in failed["exception_frames"].split(" > ")]
    assert frames == [
        "groundkit_step.py:_search_twice",
        "groundkit/retrieval/search.py:Retriever.search",
        "groundkit/retrieval/search.py:Retriever._resolve",
    ]


def test_an_errored_case_is_missing_and_no_verdict(records: list[dict[str, Any]]) -> None:
    """The oloproof run keeps its four counts; the case that errored is among the missing."""
    (ended,) = [record for record in records if record.get("event") == "run_finished"]
    (errored,) = [record for record in records if record.get("event") == "case_errored"]
    assert {name: ended[name] for name in COUNTS} == {
        "total": 4,
        "eligible": 4,
        "observed": 3,
        "missing": 1,
    }
    assert (ended["run_status"], ended["completeness"]) == ("DECIDED", "COMPLETE")
    assert (errored["stage"], errored["execution_status"]) == ("execution", "ERROR")
    assert errored["run_id"] == ended["run_id"]
    assert "decision_state" not in ended


def test_the_stand_in_sends_what_verbatim_0_3_will(records: list[dict[str, Any]]) -> None:
    """Its records carry the names by `extra`, and its exceptions their own codes and attributes."""
    assert _named(records, "verbatim_standin", "demo.standin") == {
        ("model_loaded", None, None): 1,
        ("fallback_used", "chunk_truncated", None): 1,
        (None, None, "timeout"): 1,
        (None, None, "invalid_value"): 1,
    }
    by_code = {record["error_code"]: record for record in records if record.get("error_code")}
    assert {k: by_code["timeout"].get(k) for k in ("upstream_service", "retryable", "retry_after")} == {
        "upstream_service": "reranker",
        "retryable": True,
        "retry_after": 2.0,
    }
    assert by_code["invalid_value"]["param"] == "chunks[3]"
    (cut,) = [r for r in _of(records, "verbatim_standin") if r.get("warning_code") == "chunk_truncated"]
    assert cut["count"] == 3


def test_a_loaded_model_is_a_span_as_long_as_the_loading(
    records: list[dict[str, Any]], spans: list[dict[str, Any]]
) -> None:
    """The span ends when the record was made and starts `duration_ms` earlier."""
    (record,) = [record for record in records if record.get("event") == "model_loaded"]
    (span,) = [span for span in spans if span["name"] == "model_loaded"]
    assert record["model"] == "example-org/verbatim-standin-small"
    assert record["device"] == "cpu"
    # The stand-in sleeps for 300 ms, and a sleep is never shorter.
    assert record["duration_ms"] >= 300
    assert span["duration_ms"] == pytest.approx(record["duration_ms"], abs=0.01)
    length = span["end_time_unix_nano"] - span["start_time_unix_nano"]
    assert length / 1e6 == pytest.approx(record["duration_ms"], abs=0.01)
    made = datetime.fromisoformat(record["timestamp"]).timestamp()
    assert span["end_time_unix_nano"] / 1e9 == pytest.approx(made, abs=0.001)
    assert {key: span["attributes"][key] for key in ("event", "model", "device")} == {
        "event": "model_loaded",
        "model": record["model"],
        "device": "cpu",
    }


def _of_discreet(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [span for span in spans if span.get("scope") == "discreet"]


def test_each_record_with_an_event_is_a_span_or_an_event_of_its_calls_span(
    records: list[dict[str, Any]], spans: list[dict[str, Any]]
) -> None:
    """Within an observed call they are events of its span, which stands for the call's own record."""
    events = Counter(record["event"] for record in records if record.get("event"))
    of_spans = Counter(span["attributes"]["event"] for span in _of_discreet(spans))
    of_events = Counter(event["name"] for span in _of_discreet(spans) for event in span.get("events", ()))
    # The last record says what became of the sinks, when that of the spans is closed.
    assert of_spans + of_events == events - Counter(["pipeline_closed"])
    assert events["question_answered"] == 12
    assert of_events.keys() == {"fallback_used", "item_failed"}


def test_each_observed_call_is_a_record_and_a_span_of_its_operation(
    records: list[dict[str, Any]], spans: list[dict[str, Any]]
) -> None:
    """With one outcome, the same codes and counts: a degraded answer is no failure, and a failure no answer."""
    told = ("operation", "outcome", "warning_code", "error_code", "error_class", "items", "warnings", "duration_ms")
    finished = [record for record in records if record.get("event") == "call_finished"]
    of_calls = [span for span in _of_discreet(spans) if span["attributes"]["event"] == "call_finished"]
    assert [{name: record.get(name) for name in told} for record in finished] == [
        {name: span["attributes"].get(name) for name in told} for span in of_calls
    ]
    assert [span["name"] for span in of_calls] == [record["operation"] for record in finished]
    assert Counter((one["operation"], one["outcome"], *names(one)[1:]) for one in finished) == {
        ("verbatim.transform", "ok", None, None): 9,
        ("verbatim.transform", "degraded", "quote_not_found", None): 2,
        ("verbatim.transform", "degraded", "template_fallback", None): 1,
        ("verbatim.extract", "degraded", "chunk_truncated", None): 1,
        ("verbatim.extract", "error", None, "invalid_value"): 1,
        ("verbatim.rerank", "error", None, "timeout"): 1,
        ("groundkit.search", "ok", None, None): 1,
        ("groundkit.search", "error", None, "retrieval_error"): 1,
    }


def test_a_span_has_all_that_its_record_has(records: list[dict[str, Any]], spans: list[dict[str, Any]]) -> None:
    """Codes and typed attributes are the same in both ways into a store, under the same names."""
    of_record = {"timestamp", "message", "withheld", "content", "trace_id", "span_id"}
    expected = [
        {key: value for key, value in record.items() if key not in of_record}
        for record in records
        if record.get("event") not in {None, "call_finished", "pipeline_closed"}
    ]
    parts = [
        part
        for span in _of_discreet(spans)
        for part in (span, *span.get("events", ()))
        if part["attributes"]["event"] != "call_finished"
    ]
    found = [{key: value for key, value in part["attributes"].items() if key != "error.type"} for part in parts]
    assert found == expected


def test_the_content_loggers_stay_closed(records: list[dict[str, Any]]) -> None:
    """With everything else at DEBUG, no record of a content logger is in the file."""
    assert [record for record in records if record["logger"].endswith(".content")] == []
    assert [record for record in records if record.get("content")] == []
