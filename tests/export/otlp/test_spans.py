"""Spans over OTLP: guarded, counted one by one, beside another exporter or alone."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.sampling import ALWAYS_OFF

import discreet
from discreet.export.ledger import LEDGER
from discreet.export.otlp.settings import TRACES, endpoint
from discreet.export.otlp.spans import SINK, OtlpSpanProcessor
from tests.export.otlp.fault_server import OK, Fault, FaultServer, fields, status

pytestmark = pytest.mark.integration

QUESTION = "Which ship passes before midnight?"


def _counts() -> tuple[int, dict[str, int]]:
    found = LEDGER.sink(SINK).as_dict()
    assert found["eligible"] == found["observed"] + found["missing"]
    return found["observed"], found["missing_by_reason"]


def _provider(base: str, **options: Any) -> tuple[TracerProvider, OtlpSpanProcessor]:
    processor = OtlpSpanProcessor(endpoint(TRACES, base))
    provider = TracerProvider(shutdown_on_exit=False, **options)
    provider.add_span_processor(processor)
    return provider, processor


def test_spans_leave_guarded_and_are_counted_when_acknowledged() -> None:
    """The text of attributes, events and states stays; what is declared goes."""
    with FaultServer() as server:
        provider, processor = _provider(server.base)
        for n in range(10):
            with provider.get_tracer("openinference").start_as_current_span("chat") as span:
                span.set_attribute("gen_ai.request.model", "gpt-4o")
                span.set_attribute("input.value", QUESTION)
                span.record_exception(ValueError(QUESTION))
                span.set_status(trace.StatusCode.ERROR, QUESTION)
                span.set_attribute("gen_ai.usage.input_tokens", n)

        assert processor.force_flush(20_000)
        processor.shutdown()

    assert _counts() == (10, {})
    assert [fields(span) for span in server.spans] == [
        {"gen_ai.request.model": "gpt-4o", "gen_ai.usage.input_tokens": n} for n in range(10)
    ]
    assert [span.status.code for span in server.spans] == [2] * 10
    assert QUESTION.encode() not in b"".join(server.raw)


def test_partial_success_and_bad_spans_are_counted_one_by_one(waits: list[float]) -> None:
    """As records are."""
    with FaultServer([Fault(rejected=4), status(413), OK]) as server:
        provider, processor = _provider(server.base)
        for _ in range(2):
            for _ in range(10):
                provider.get_tracer("openinference").start_span("chat").end()
            assert processor.force_flush(20_000)
        processor.shutdown()

    assert _counts() == (16, {"rejected": 4})
    assert len(server.spans) == 16
    assert len({span.span_id for span in server.spans}) == 16


def test_a_span_that_can_not_be_encoded_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK's encoder loses a whole batch for one value that it can't write."""

    def spoilt(span: ReadableSpan) -> ReadableSpan:
        if span.name == "spoilt":
            return ReadableSpan("spoilt", context=span.get_span_context(), start_time="soon")  # type: ignore[arg-type]
        return span

    with FaultServer() as server:
        provider, processor = _provider(server.base)
        encoder = processor._batches._sender._encoder
        monkeypatch.setattr(encoder, "_guarded", spoilt)
        for name in ("chat", "spoilt", "chat"):
            provider.get_tracer("openinference").start_span(name).end()
        assert processor.force_flush(20_000)
        processor.shutdown()

    assert _counts() == (2, {"not_encodable": 1})
    assert [span.name for span in server.spans] == ["chat", "chat"]


def test_a_long_text_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """To what Tempo keeps."""
    with FaultServer() as server:
        provider, processor = _provider(server.base)
        monkeypatch.setattr(processor._batches._sender._encoder, "_guarded", lambda span: span)
        provider.get_tracer("openinference").start_span("chat", attributes={"long": "x" * 5000}).end()
        assert processor.force_flush(20_000)
        processor.shutdown()

    (span,) = server.spans
    assert len(fields(span)["long"].encode()) <= 2048
    assert fields(span)["truncated"] is True
    assert LEDGER.sink(SINK).as_dict()["cut"] == 1


def test_spans_that_are_not_sampled_are_filtered() -> None:
    """Whoever samples has decided that they are not wanted."""
    with FaultServer() as server:
        provider, processor = _provider(server.base, sampler=ALWAYS_OFF)
        provider.get_tracer("openinference").start_span("chat").end()
        assert processor.force_flush(20_000)
        processor.shutdown()

    assert (server.requests, _counts()) == (0, (0, {}))


@pytest.mark.usefixtures("_no_global_provider")
def test_a_file_and_otlp_get_the_same_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Records that have an event, and the spans of every tracer."""
    from discreet import config
    from discreet.export import global_spans

    monkeypatch.setattr(global_spans, "_switch", None)
    monkeypatch.setattr(config, "_current", None)
    file = tmp_path / "spans.jsonl"
    with FaultServer() as server:
        with discreet.configure(json=None, spans=file, otlp=server.base, service="answers"):
            trace.get_tracer("openinference").start_span("chat").end()
            logging.getLogger("app").info("nothing to see")
        names = [span.name for span in server.spans]

    assert names == ["contract_loaded", "chat"]
    assert len(file.read_text("utf-8").splitlines()) == 2
    assert {fields(resource)["service.name"] for resource in server.resources} == {"answers"}
    assert all("service.instance.id" not in fields(resource) for resource in server.resources)
