"""What both services of the steady load share: logging, clients of the LLM, and what a process tells at its end.

By its environment the service is set up with discreet, or with python-json-logger for a comparison.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import time
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import openai
from verbatim_core import VerbatimTransform
from verbatim_core.llm_client import LLMClient

log = logging.getLogger("desk")

GUARDED = os.environ.get("DESK_LOGGING", "discreet") == "discreet"
OUT = Path(os.environ.get("DESK_OUT", "."))
_set_up: dict[str, Any] = {}


class NothingFoundError(Exception):
    """No quote answers the question."""


def set_up() -> None:
    """Set up logging, spans and metrics of this process."""
    if not GUARDED:
        from pythonjsonlogger.orjson import OrjsonFormatter

        handler = logging.FileHandler(OUT / "lines.jsonl", encoding="utf-8")
        handler.setFormatter(OrjsonFormatter(["levelname", "name", "message"], timestamp=True))
        logging.basicConfig(level="INFO", handlers=[handler])
        return
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader

    import discreet
    from discreet.instrument.openai import OpenAIInstrumentor
    from discreet.instrument.verbatim import VerbatimInstrumentor

    whole = os.environ.get("DESK_SPANS", "yes") == "yes"
    reader = InMemoryMetricReader() if whole else None
    _set_up["reader"] = reader
    _set_up["handle"] = discreet.configure(
        json=OUT / "lines.jsonl",
        spans=OUT / "spans.jsonl" if whole else None,
        metrics=reader or False,
        streams=True,
        service="desk",
    )
    VerbatimInstrumentor().instrument()
    OpenAIInstrumentor().instrument()


def observed(operation: str, **texts: Any) -> AbstractContextManager[Any]:
    """Observe a call of the service."""
    if not GUARDED:
        return nullcontext()
    import discreet

    return discreet.observe_call(operation, **texts)


@cache
def llm(patience: float | None) -> LLMClient:
    """Return the client for everybody who is willing to wait so many seconds for the next byte of an answer."""
    client = LLMClient(model="heron-7b", api_base=os.environ["LLM_URL"], api_key="sk-test")
    # Connections are waited for as long as it takes: only the LLM's silence may end a request.
    options: dict[str, Any] = {"max_retries": 1, "timeout": openai.Timeout(600, read=patience)}
    client.client = client.client.with_options(**options)
    client.async_client = client.async_client.with_options(**options)
    return client


@cache
def transform(patience: float | None) -> VerbatimTransform:
    """Return what answers by verbatim quotes."""
    return VerbatimTransform(llm_client=llm(patience))


def chunks_of(documents: list[str]) -> list[dict[str, str]]:
    """Return the documents as verbatim takes them."""
    return [{"content": text, "title": "From the customer"} for text in documents]


def told(question: str, result: Any) -> dict[str, Any]:
    """Return what a client gets, and say so.

    Raises:
        NothingFoundError: There is no quote.
    """
    quotes = len(result.structured_answer.citations)
    log.info(f"Answered query {question!r} with {quotes:d} quotes")
    if not quotes:
        raise NothingFoundError(f"nothing answers {question}")
    return {"answer": result.answer, "quotes": quotes}


def messages_of(question: str) -> list[Any]:
    """Return what the LLM is told for an answer in pieces."""
    return [{"role": "user", "content": f"Answer in one paragraph.\nQuestion: {question}\n"}]


def finish() -> None:
    """Tell what this process has counted, at its end."""
    counted: dict[str, Any] = {"cpu_s": time.process_time()}
    if GUARDED:
        handle = _set_up.pop("handle")
        counted["alive"] = _alive()
        counted["calls"] = handle.calls.as_dict()
        if _set_up["reader"] is not None:
            counted["metrics"] = _points()
        handle.close()
        counted["ledger"] = handle.ledger.as_dict()
        counted["failures"] = [str(one) for one in handle.ledger.failures.items()]
        counted["requests"] = sys.modules["discreet.instrument.requests"].COUNTS.as_dict()
    (OUT / f"counts-{os.getpid()}.json").write_text(json.dumps(counted), encoding="utf-8")


def _alive() -> Counter[str]:
    """Return how many objects there are of which none is needed when no request runs."""
    from discreet.call import Call
    from discreet.instrument.requests import Request
    from discreet.scope import Scope

    # What an exception's traceback holds goes with it.
    gc.collect()
    kinds = (Call, Request, Scope)
    return Counter(type(one).__name__ for one in gc.get_objects() if type(one) in kinds)


def _points() -> list[list[Any]]:
    """Return the metrics' points that aren't 0: name, attributes, value."""
    data = _set_up["reader"].get_metrics_data()
    return [
        [metric.name, dict(point.attributes), point.value if hasattr(point, "value") else point.count]
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in metric.data.data_points
        if getattr(point, "value", 1)
    ]
