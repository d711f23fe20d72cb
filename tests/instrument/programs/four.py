"""Asks, quotes, searches and evaluates with all four libraries; with the argument `code` it sets discreet up itself.

The variable MODELS says where the models answer. With OFFICIAL other instrumentors are there too, in the code form
before ours (`before`) or after them (`after`).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Any

BY_CODE = "code" in sys.argv
OFFICIAL = os.environ.get("OFFICIAL", "")


def instrument_officially() -> None:
    from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor
    from opentelemetry.instrumentation.httpx import HTTPX2ClientInstrumentor, HTTPXClientInstrumentor
    from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor as OfficialInstrumentor

    FastAPIInstrumentor().instrument()
    HTTPXClientInstrumentor().instrument()
    HTTPX2ClientInstrumentor().instrument()
    OfficialInstrumentor().instrument()


if BY_CODE:
    import discreet
    from discreet.instrument.groundkit import GroundkitInstrumentor
    from discreet.instrument.oloproof import OloproofInstrumentor
    from discreet.instrument.openai import OpenAIInstrumentor
    from discreet.instrument.verbatim import VerbatimInstrumentor

    discreet.configure(
        json="records.jsonl",
        spans=os.environ.get("SPANS") or None,
        otlp=os.environ.get("COLLECTOR") or False,
        report_every=0,
    )
    if OFFICIAL == "before":
        instrument_officially()
    GroundkitInstrumentor().instrument()
    OloproofInstrumentor().instrument()
    OpenAIInstrumentor().instrument()
    VerbatimInstrumentor().instrument()
    if OFFICIAL == "after":
        instrument_officially()

import oloproof  # noqa: E402  # instrumented first, as by the command
import openai  # noqa: E402
from verbatim_core import VerbatimTransform  # noqa: E402
from verbatim_core.llm_client import LLMClient  # noqa: E402

from tests.instrument import shelf, suite  # noqa: E402
from tests.instrument.answers import CHUNKS, UNANSWERED  # noqa: E402
from tests.instrument.models import QUESTION  # noqa: E402

URL = os.environ["MODELS"]
MESSAGES: Any = [{"role": "user", "content": QUESTION}]
log = logging.getLogger("harbour")


def ask() -> None:
    with openai.OpenAI(base_url=URL, api_key="none", max_retries=0) as client:
        said = client.chat.completions.create(model="example-1", messages=MESSAGES)
        log.warning("Asked %s and heard %s", QUESTION, said.choices[0].message.content)
        for _ in client.chat.completions.create(model="example-1", messages=MESSAGES, stream=True):
            pass
        client.embeddings.create(model="text-embedding-3-small", input=QUESTION)
        try:
            client.chat.completions.create(model="missing-1", messages=[{"role": "user", "content": UNANSWERED}])
        except openai.NotFoundError as error:
            log.exception("No answer: %s", error)


async def ask_soon() -> None:
    async with openai.AsyncOpenAI(base_url=URL, api_key="none", max_retries=0) as client:
        await client.chat.completions.create(model="example-1", messages=MESSAGES)


def quote() -> None:
    client = LLMClient(model="example-1", api_base=URL, api_key="none")
    with client.client:
        VerbatimTransform(client).transform(QUESTION, [{"content": text, "title": "Harbour book"} for text in CHUNKS])


async def search() -> None:
    async with shelf.shelf(Path()) as at:
        found = await (await at.retriever()).search(shelf.QUESTION)
        log.warning("Found %s for %s", len(found.results), shelf.QUESTION)


ask()
asyncio.run(ask_soon())
quote()
asyncio.run(search())
oloproof.evaluate(system=suite.system(40), policy=suite.at_least(0.8), **suite.options(Path(), 40))
