"""Asks a model with an official instrumentor that captures content; what leaves, with and without the guard.

It writes what exporters get: `bare.json` without the guard and `guarded.json` behind it. Arguments: the models' URL,
and `before` or `after`, for whether the other instrumentor comes before ours.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import openai
from opentelemetry import trace
from opentelemetry._logs import set_logger_provider
from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor as OfficialInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import discreet
from discreet.instrument.openai import OpenAIInstrumentor
from tests.instrument.answers import UNANSWERED
from tests.instrument.models import QUESTION

URL, ORDER = sys.argv[1:]
MESSAGES: Any = [{"role": "system", "content": UNANSWERED}, {"role": "user", "content": QUESTION}]


async def soon() -> None:
    async with openai.AsyncOpenAI(base_url=URL, api_key="none", max_retries=0) as client:
        await client.chat.completions.create(model="example-1", messages=MESSAGES)
        async for _ in await client.chat.completions.create(model="example-1", messages=MESSAGES, stream=True):
            pass


def now() -> None:
    with openai.OpenAI(base_url=URL, api_key="none", max_retries=0) as client:
        client.chat.completions.create(model="example-1", messages=MESSAGES)
        for _ in client.chat.completions.create(model="example-1", messages=MESSAGES, stream=True):
            pass
        client.embeddings.create(model="text-embedding-3-small", input=QUESTION)
        try:
            asked: Any = [{"role": "user", "content": UNANSWERED}]
            client.chat.completions.create(model="missing-1", messages=asked)
        except openai.NotFoundError:
            pass


bare_spans, guarded_spans = InMemorySpanExporter(), InMemorySpanExporter()
bare_logs, guarded_logs = InMemoryLogRecordExporter(), InMemoryLogRecordExporter()
spans, logs = TracerProvider(), LoggerProvider()
spans.add_span_processor(SimpleSpanProcessor(bare_spans))
spans.add_span_processor(SimpleSpanProcessor(discreet.GuardedSpanExporter(guarded_spans)))
logs.add_log_record_processor(SimpleLogRecordProcessor(bare_logs))
logs.add_log_record_processor(SimpleLogRecordProcessor(discreet.GuardedLogRecordExporter(guarded_logs)))
trace.set_tracer_provider(spans)
set_logger_provider(logs)
instrumentors = [OfficialInstrumentor(), OpenAIInstrumentor()]
for instrumentor in instrumentors if ORDER == "before" else reversed(instrumentors):
    instrumentor.instrument()

now()
asyncio.run(soon())
for name, ended, told in (("bare", bare_spans, bare_logs), ("guarded", guarded_spans, guarded_logs)):
    found = {
        "spans": [json.loads(one.to_json()) for one in ended.get_finished_spans()],
        "logs": [json.loads(one.to_json()) for one in told.get_finished_logs()],
    }
    Path(f"{name}.json").write_text(json.dumps(found, ensure_ascii=False), "utf-8")
