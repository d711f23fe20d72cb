"""verbatim-core 0.2.8, as it comes from PyPI, answers the questions with the fake LLM behind it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from llm_server import Behaviour, FakeLLM
from verbatim_core import VerbatimTransform
from verbatim_core.llm_client import LLMClient
from verbatim_core.models import QueryResponse
from worlds import Spelling, documents, questions

from discreet import observe_call

logger = logging.getLogger("demo.questions")

#: How the fake LLM treats each question, in the order of `documents.QUESTIONS`.
SCRIPT: tuple[Behaviour, ...] = (
    Behaviour.GOOD,
    Behaviour.BROKEN_JSON,
    Behaviour.ALTERED,
    Behaviour.GOOD,
    Behaviour.ALTERED,
    Behaviour.UNAUTHORIZED,
    Behaviour.RATE_LIMITED,
    Behaviour.EMPTY,
    Behaviour.GOOD,
    Behaviour.SERVER_ERROR,
    Behaviour.TEMPLATE_REJECTED,
    Behaviour.GOOD,
)
_ASYNC = frozenset({0, 1})


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one question: its number from 1, the script's treatment, quotes, seconds."""

    number: int
    behaviour: Behaviour
    quotes: int
    seconds: float


def ask_all(spell: Spelling, say_next: Callable[[str], None]) -> list[Asked]:
    """Ask every question of its document and say what came back.

    Args:
        spell: The world's spelling.
        say_next: Called with the name of each question before it is asked.
    """
    papers = documents(spell)
    asked = []
    with FakeLLM(spell) as llm:
        for index, (question, behaviour) in enumerate(zip(questions(spell), SCRIPT, strict=True)):
            say_next(f"question {index + 1}")
            document = papers[question.document]
            llm.expect(question, document, behaviour)
            context = [{"content": chunk, "title": document.title} for chunk in document.chunks]
            client = LLMClient(model="fake-llm", api_base=llm.base_url, api_key="sk-demo")
            transform = VerbatimTransform(
                llm_client=client,
                # Half of the questions go through the matcher that forgives small differences.
                span_match_mode="exact" if index % 4 else "fuzzy",
            )
            started = time.perf_counter()
            with observe_call("verbatim.transform", question=question.text, chunks=document.chunks) as call:
                if index in _ASYNC:
                    response = asyncio.run(_ask_async(client, transform, question.text, context))
                else:
                    response = transform.transform(question.text, context)
                call.result(response, items=len(context))
            client.client.close()
            seconds = time.perf_counter() - started
            quotes = sum(len(document.highlights) for document in response.documents)
            logger.info(
                "question %d answered with %d quotes in %.2f s",
                index + 1,
                quotes,
                seconds,
                extra={
                    "event": "question_answered",
                    "question": index + 1,
                    "quotes": quotes,
                    "duration_ms": seconds * 1000,
                },
            )
            asked.append(Asked(index + 1, behaviour, quotes, seconds))
    return asked


async def _ask_async(
    client: LLMClient,
    transform: VerbatimTransform,
    question: str,
    context: list[dict[str, str]],
) -> QueryResponse:
    try:
        response: QueryResponse = await transform.transform_async(question, context)
    finally:
        await client.async_client.close()
    return response
