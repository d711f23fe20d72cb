"""How a typed program uses the public names. mypy reads this file in strict mode; nothing runs it."""

from __future__ import annotations

import io
import logging
import logging.config
from collections.abc import Mapping
from pathlib import Path
from typing import Any, assert_type

import tenacity
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace.export import ConsoleSpanExporter

import discreet
from discreet.checkup import Report, Route
from discreet.contract import Contract, Coverage, Registry, activate, active, coverage, load, load_text, report, shipped
from discreet.instrument import asgi, wsgi
from discreet.instrument.asgi import Application as AsgiApplication
from discreet.instrument.requests import COUNTS, request_id
from discreet.instrument.tenacity import log_attempt
from discreet.instrument.wsgi import Application as WsgiApplication
from discreet.recipes import configuration, recipe
from discreet.seal import Sealed, SealedRecord, seal
from discreet.seal.types import Scalar, ValueType, Withheld, register_routes, value_type


def set_up() -> None:
    handle = discreet.configure(
        contracts=["verbatim", Path("mine.toml")],
        level="INFO",
        json=Path("logs.jsonl"),
        spans=ConsoleSpanExporter(),
        attributes={"tenant": "id", "kind": {"type": "enum", "values": ["a", "b"]}},
        content_debug=("verbatim_core.content",),
        install=True,
        service="answers",
    )
    assert_type(handle, discreet.Handle)
    assert_type(handle.flush(timeout=2.5), bool)
    assert_type(handle.ledger, discreet.Ledger)
    assert_type(handle.ledger.table(), str)
    handle.set_level("httpx", logging.DEBUG, minutes=2.5)
    discreet.set_level("httpx", None)
    discreet.configure(report_every=60, rate_limit="100/min")
    assert_type(handle.calls.as_dict(), dict[str, dict[str, Any]])
    with discreet.configure(level=logging.DEBUG, json=io.StringIO(), spans="spans.jsonl") as again:
        assert_type(again, discreet.Handle)
    discreet.configure(
        json=io.BytesIO(), all_spans=False, routes=["/items/{item_id}"], hosts=["a.example"], match=["harbour"]
    )
    discreet.configure(json=None, spans=None, metrics=InMemoryMetricReader())
    discreet.configure(json=None, metrics=InMemoryMetricReader, otlp=False)
    discreet.configure(json=None, metrics="http://localhost:4318")
    discreet.configure(metrics=7)  # type: ignore[arg-type]  # no reader
    discreet.confgure()  # type: ignore[attr-defined]  # a name that isn't there
    discreet.configure(match=None)  # type: ignore[arg-type]  # a list
    discreet.install(strict=True)
    discreet.uninstall()
    assert_type(discreet.close(), bool)
    assert_type(discreet.close(timeout=2.5), bool)


def parts() -> None:
    handler: logging.Handler = discreet.JsonHandler(filename="logs.jsonl", preset="ecs", max_bytes=4096)
    handler.setFormatter(discreet.JsonFormatter(service="answers", rename_fields={"level": "severity"}))
    handler.setFormatter(discreet.ConsoleFormatter(color=False, stream="stdout"))
    handler.addFilter(discreet.EventFilter())
    handler.addFilter(discreet.ContentGuard(scope="handler"))
    logging.root.addHandler(discreet.OtelSpanHandler(exporter="spans.jsonl", service="answers"))
    logs = discreet.OtelLogHandler(endpoint="http://localhost:4318/v1/logs", headers={"a": "b"}, timeout=2.5)
    assert_type(logs.force_flush(1.0), bool)
    metrics = discreet.OtelMetricHandler(reader=InMemoryMetricReader, service="answers")
    assert_type(metrics.force_flush(1.0), bool)
    discreet.GuardedSpanExporter(ConsoleSpanExporter()).shutdown()


@discreet.observe_call("harbour.find", "question")
def find(question: str, top: int = 3) -> list[str]:
    return [question] * top


@discreet.observe_call("harbour.find", "question")
async def find_soon(question: str) -> str:
    return question


async def calls() -> None:
    assert_type(find("Where?", top=1), list[str])
    assert_type(await find_soon("Where?"), str)
    find(7)  # type: ignore[arg-type]  # a text
    with discreet.observe_call("harbour.find", question="Where?", chunks=["a"]) as call:
        assert_type(call.result("none", items=3), str)
        call.warn("quote_not_found")
    async with discreet.observe_call("harbour.find") as call:
        call.warn(7)  # type: ignore[arg-type]  # a code
    discreet.observe_call(question="Where?")  # type: ignore[call-arg]  # without an operation


def contracts() -> None:
    assert_type(load("mine.toml"), Contract)
    assert_type(load_text("", "mine.toml"), Contract)
    assert_type(shipped(), tuple[str, ...])
    assert_type(activate(["mine.toml"], {"tenant": "id"}), Registry)
    assert_type(active().is_event("model_loaded"), bool)
    assert_type(coverage(), tuple[Coverage, ...])
    report(again=True)
    register_routes(["/items/{item_id}"])
    assert_type(value_type("count"), ValueType)
    assert_type(value_type({"type": "enum", "values": ["a"]}).safe(object()), Scalar | Withheld)
    assert_type(recipe("uvicorn", "json", service="answers"), str)
    logging.config.dictConfig(configuration("answers"))


def looking() -> int:
    report = discreet.doctor(allow_partial=True)
    assert_type(report, Report)
    assert_type(report.routes, tuple[Route, ...])
    assert_type(report.as_dict(), dict[str, Any])
    return report.exit_code


def sealing(record: logging.LogRecord) -> str:
    sealed = seal(record)
    assert_type(sealed, Sealed)
    assert_type(sealed.error_code, str | None)
    assert_type(sealed.attributes, Mapping[str, Scalar])
    if isinstance(record, SealedRecord):
        assert_type(record.sealed, Sealed)
    return sealed.message


def serving(flask_like: WsgiApplication, asgi_like: AsgiApplication) -> None:
    wsgi.ContentMiddleware(flask_like, public=["body.model"], max_body_bytes=4096)
    asgi.ContentMiddleware(asgi.ContentMiddleware(asgi_like, request_id_header=None), routes=False)
    assert_type(request_id(), str | None)
    assert_type(COUNTS.as_dict(), dict[str, int])


@tenacity.retry(before_sleep=log_attempt())
def repeated(number: int) -> str:
    for step in tenacity.Retrying(before_sleep=log_attempt(discreet.public("harbour.fetch"))):
        assert_type(step, tenacity.AttemptManager)
    return str(number)


@tenacity.retry(before_sleep=log_attempt("harbour.fetch"))
async def repeated_soon(number: int) -> str:
    async for step in tenacity.AsyncRetrying(before_sleep=log_attempt()):
        assert_type(step, tenacity.AttemptManager)
    return repeated(number)


def errors() -> None:
    try:
        raise discreet.UpstreamError("answered 503", service="llm", retryable=True, retry_after=2.0)
    except discreet.UpstreamError as error:
        assert_type(error.code, str)
        assert_type(error.retry_after, float | None)
    except discreet.ContractError as error:
        assert_type(error.key, str | None)
    except discreet.ConfigurationError as error:
        assert_type(error.remedy, str | None)
    except discreet.InvalidInputError as error:
        assert_type(error.param, str)
