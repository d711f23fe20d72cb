"""Which points there are, and what counts in them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics.export import InMemoryMetricReader, MetricsData
from opentelemetry.sdk.trace import TracerProvider

import discreet
from discreet.contract import activate, active
from discreet.export.ledger import LEDGER
from discreet.metrics.instruments import BOUNDARIES
from tests.calls.seen import QUESTION, all_points

log = logging.getLogger("verbatim_core")


@pytest.fixture(autouse=True)
def _fresh_ledger() -> Iterator[None]:
    LEDGER.clear()
    yield
    LEDGER.clear()


@pytest.fixture
def reader() -> Iterator[InMemoryMetricReader]:
    found = InMemoryMetricReader()
    with discreet.configure(json=None, metrics=found, service="harbour"):
        yield found


def series(reader: InMemoryMetricReader, name: str) -> dict[frozenset[tuple[str, Any]], Any]:
    """All points of a metric by their attributes, in no order."""
    data = reader.get_metrics_data()
    assert data is not None
    return {
        frozenset((point.attributes or {}).items()): point.value  # type: ignore[union-attr]  # no histogram
        for metric in data.resource_metrics[0].scope_metrics[0].metrics
        if metric.name == name
        for point in metric.data.data_points
    }


def counted(reader: InMemoryMetricReader, name: str = "discreet.events") -> list[dict[str, Any]]:
    """The attributes of the points that aren't 0."""
    return [dict(key) for key, value in series(reader, name).items() if value]


def test_every_declared_name_starts_at_0(reader: InMemoryMetricReader) -> None:
    """An increase from nothing to 1 isn't seen by a store; one from 0 is."""
    expected: set[frozenset[tuple[str, Any]]] = set()
    for contract in active().contracts:
        for event in contract.events:
            first = active().event(event.name)
            assert first is not None
            labels = {"event": event.name, "level": first.level, "contract": first.contract}
            expected.add(frozenset(labels.items()))
    found = series(reader, "discreet.events")
    by_event = {key for key in found if "event" in dict(key)}
    codes = {kind: {dict(key)[kind] for key in found if kind in dict(key)} for kind in ("warning_code", "error_code")}
    contracts = active().contracts
    assert by_event == expected
    assert codes["warning_code"] == {row.code for one in contracts for row in one.warning_codes}
    assert codes["error_code"] >= {row.code for one in contracts for row in one.error_codes}
    assert all(active().is_error_code(code) for code in codes["error_code"])
    # What configure() itself said.
    assert {dict(key)["event"]: value for key, value in found.items() if value} == {"contract_loaded": 1}


def test_a_record_counts_by_its_event_and_by_each_of_its_codes(reader: InMemoryMetricReader) -> None:
    """In one series each, with the contract that declares the name."""
    extra = {"event": "fallback_used", "warning_code": "quote_not_found", "error_code": "upstream_error"}
    before = series(reader, "discreet.events")
    log.warning("Lost a quote", extra=extra)
    after = series(reader, "discreet.events")
    assert [dict(key) for key in after if after[key] != before.get(key)] == [
        {"event": "fallback_used", "level": "WARNING", "contract": "verbatim"},
        {"warning_code": "quote_not_found", "contract": "verbatim"},
        {"error_code": "upstream_error", "error_class": "upstream", "contract": "discreet"},
    ]


def test_names_that_no_contract_declares_are_one(reader: InMemoryMetricReader) -> None:
    """They may be anything, also a text."""
    before = series(reader, "discreet.events")
    for text in (QUESTION, "another"):
        log.error("Odd", extra={"event": text, "error_code": text})
    after = series(reader, "discreet.events")
    changed = {key: after[key] for key in after if after[key] != before.get(key)}
    assert changed == {
        frozenset({("event", "undeclared"), ("level", "ERROR")}): 2,
        frozenset({("error_code", "undeclared")}): 2,
        # Said once for each kind.
        frozenset({("event", "undeclared_name"), ("level", "WARNING"), ("contract", "discreet")}): 2,
    }
    assert counted(reader, "discreet.undeclared.names") == [{"kind": "event"}, {"kind": "error_code"}]


def test_a_record_that_means_nothing_is_none_of_the_sinks(reader: InMemoryMetricReader) -> None:
    """It is counted as filtered there."""
    before = LEDGER.sink("metrics").as_dict()
    log.info("Nothing of interest")
    after = LEDGER.sink("metrics").as_dict()
    assert (after["filtered"] - before["filtered"], after["observed"] - before["observed"]) == (1, 0)


def test_names_of_a_contract_that_comes_later_start_at_0_with_it(reader: InMemoryMetricReader, tmp_path: Path) -> None:
    """With the next record or collection."""
    file = tmp_path / "harbour.toml"
    file.write_text(
        'contract.name = "harbour"\ncontract.format = 1\ncontract.summary = "Boats."\n'
        'loggers.names = ["harbour"]\n'
        'events = [{ name = "boat_moored", level = "INFO", meaning = "A boat is moored." }]\n',
        encoding="utf-8",
    )
    activate([file], None)
    log.info("Go on")
    new = frozenset({("event", "boat_moored"), ("level", "INFO"), ("contract", "harbour")})
    assert series(reader, "discreet.events")[new] == 0


def test_what_was_withheld_and_what_failed_is_counted_without_its_place(reader: InMemoryMetricReader) -> None:
    """Call sites are in records `content_withheld`."""
    assert counted(reader, "discreet.withheld") == []
    log.info("Asked %s", QUESTION)
    log.info(f"Asked {QUESTION}"[:9])
    LEDGER.failure("seal", ValueError(QUESTION))
    LEDGER.failure("timer", ValueError(QUESTION))
    assert {
        tuple(sorted(dict(key).values())): value for key, value in series(reader, "discreet.withheld").items() if value
    } == {
        ("argument", "undeclared"): 1,
        ("message", "unproven"): 1,
    }
    assert series(reader, "discreet.guard.failures") == {frozenset(): 1}


def test_records_are_counted_by_sink_state_and_reason(reader: InMemoryMetricReader) -> None:
    """What waits isn't among them: it has a count of its own, which goes up and down."""
    counts = LEDGER.sink("otlp_logs")
    counts.count_observed(3)
    counts.count_filtered()
    counts.count_missing("timeout", 2)
    counts.pending = 5
    try:
        found = {
            key: value for key, value in series(reader, "discreet.records").items() if ("sink", "otlp_logs") in key
        }
        assert {tuple(sorted(dict(key).items())): value for key, value in found.items() if value} == {
            (("sink", "otlp_logs"), ("state", "observed")): 3,
            (("sink", "otlp_logs"), ("state", "filtered")): 1,
            (("reason", "timeout"), ("sink", "otlp_logs"), ("state", "missing")): 2,
        }
        assert {dict(key).get("reason") for key in found} >= {"queue_full", "connection_failed", "shutdown"}
        assert series(reader, "discreet.records.pending")[frozenset({("sink", "otlp_logs")})] == 5
    finally:
        counts.pending = 0


def test_an_open_content_logger_is_seen(reader: InMemoryMetricReader) -> None:
    """Each has its own point, 1 while it is open."""
    names = {name for one in active().contracts for name in one.content_loggers}
    assert all_points(reader, "discreet.content.enabled") == {(name,): 0 for name in names}
    logging.getLogger("verbatim_core.content").setLevel(logging.DEBUG)
    assert all_points(reader, "discreet.content.enabled")["verbatim_core.content",] == 1


def test_points_of_sampled_spans_have_exemplars(reader: InMemoryMetricReader) -> None:
    """With the ids of the span that was current: of a bucket of durations, and of an event."""
    tracer = TracerProvider().get_tracer("tests")
    with tracer.start_as_current_span("outside") as span:
        log.warning("Lost a quote", extra={"event": "fallback_used"})
        ids = span.get_span_context()
    data = reader.get_metrics_data()
    assert data is not None
    found = [
        (exemplar.trace_id, exemplar.span_id)
        for metric in data.resource_metrics[0].scope_metrics[0].metrics
        for point in metric.data.data_points
        for exemplar in point.exemplars
    ]
    assert found == [(ids.trace_id, ids.span_id)]
    assert trace.format_trace_id(ids.trace_id)


def text_of(data: MetricsData | None) -> str:
    assert data is not None
    return data.to_json()


def test_no_text_of_a_customer_is_in_any_point(reader: InMemoryMetricReader) -> None:
    """Neither in attributes nor in exemplars, nor is a call site."""
    with discreet.observe_call("boats.find", question=QUESTION) as call:
        log.error(
            "Failed for %s", QUESTION, extra={"event": QUESTION, "tenant": QUESTION}, exc_info=ValueError(QUESTION)
        )
        call.warn(QUESTION)
    logging.getLogger(QUESTION).warning(QUESTION, extra={"warning_code": QUESTION})
    found = text_of(reader.get_metrics_data())
    assert "Brandvold" not in found
    assert "test_points" not in found


def test_durations_have_buckets_from_10_milliseconds_to_2_minutes(reader: InMemoryMetricReader) -> None:
    """In seconds, as the conventions of OpenTelemetry have them."""
    with discreet.observe_call("boats.find"):
        pass
    data = reader.get_metrics_data()
    assert data is not None
    (metric,) = [
        one for one in data.resource_metrics[0].scope_metrics[0].metrics if one.name == "discreet.call.duration"
    ]
    (point,) = [one for one in metric.data.data_points if (one.attributes or {})["operation"] == "boats.find"]
    assert (metric.unit, tuple(point.explicit_bounds)) == ("s", BOUNDARIES)  # type: ignore[union-attr]  # a histogram
    assert (BOUNDARIES[0], BOUNDARIES[-1]) == (0.01, 120.0)
