"""Calls of verbatim 0.2.8 against a service, with texts that are looked for in all that comes out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
import verbatim_core
from verbatim_core.llm_client import LLMClient

from discreet.export.ledger import LEDGER
from discreet.instrument.verbatim import VerbatimInstrumentor
from tests.calls.seen import Seen
from tests.instrument.models import Models, models
from tests.instrument.verbatim_texts import CANARIES, CHUNK, QUESTION

MODES = {"template_mode": "static", "extraction_mode": "individual"}


@pytest.fixture(name="service", scope="module")
def _service() -> Iterator[Models]:
    with models() as found:
        yield found


@pytest.fixture(name="served")
def _served(service: Models, sinks: Seen) -> Iterator[Models]:
    """The service, as in its beginning; nothing of what is said may come out, and nothing of ours may fail."""
    VerbatimInstrumentor().instrument()
    yield service
    service.begin()
    VerbatimInstrumentor().uninstrument()
    assert LEDGER.failures == {}
    written = sinks.out.getvalue() + "".join(span.to_json() for span in sinks.exporter.get_finished_spans())
    assert [word for word in CANARIES if word in written] == []


def client(served: Models, url: str | None = None, timeout: float = 5) -> Any:
    made = LLMClient(model="example-1", api_base=url or served.url, api_key="none")
    served.to_close.append(made.client)
    made.client = made.client.with_options(max_retries=0, timeout=timeout)
    made.async_client = made.async_client.with_options(max_retries=0, timeout=timeout)
    return made


def transform(asked: Any, *, soon: bool = False, context: Any = CHUNK, **options: Any) -> Any:
    made = verbatim_core.VerbatimTransform(asked, **{**MODES, **options})
    context = [{"content": context}] if isinstance(context, str) else context
    if not soon:
        return made.transform(QUESTION, context)

    async def main() -> Any:
        async with asked.async_client:
            return await made.transform_async(QUESTION, context)

    return asyncio.run(main())
