"""Customers: they ask at a steady rate, whatever becomes of earlier requests, and note what they saw."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import httpx

from tests.service.llm import Asked, FakeLLM
from tests.service.scenarios import Plan, Scenario
from tests.service.words import Texts, texts_of

DEADLINE_S = 300


@dataclass
class Sent:
    """A request, and what its customer saw."""

    number: int
    id: str
    texts: Texts
    scenario: Scenario
    asked: Asked
    saw: str = "nothing"
    """``answered``, ``failed``, or ``left``."""

    detail: str = ""
    seconds: float = 0.0


class Customers:
    """Sends the requests of a plan.

    Args:
        url: The service.
        llm: What the service asks.
        plan: The plan.
    """

    def __init__(self, url: str, llm: FakeLLM, plan: Plan) -> None:
        self._url = url
        self._llm = llm
        self._plan = plan
        self.sent: list[Sent] = []

    async def send(self, rate: float, seconds: float, tick: Callable[[], None] = lambda: None) -> None:
        """Send requests at a rate, whole rounds of the plan, and wait for all answers.

        Args:
            rate: Requests a second.
            seconds: For how long, rounded up to whole rounds.
            tick: Called about once a second.
        """
        rounds = max(1, -int(-rate * seconds // self._plan.round))
        # A server may close a connection that nobody uses just when one is about to.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
        async with httpx.AsyncClient(base_url=self._url, limits=limits, timeout=None) as client:
            ticking = asyncio.create_task(_ticking(tick))
            try:
                await self._paced(client, rounds * self._plan.round, 1 / rate)
            finally:
                ticking.cancel()
        tick()

    async def _paced(self, client: httpx.AsyncClient, count: int, pause: float) -> None:
        running: list[asyncio.Task[None]] = []
        begin = time.monotonic()
        for number in range(count):
            await asyncio.sleep(max(0.0, begin + number * pause - time.monotonic()))
            texts, scenario = texts_of(number, self._plan.seed), self._plan.scenario(number)
            sent = Sent(number, str(_id(number)), texts, scenario, self._llm.expect(texts, scenario))
            self.sent.append(sent)
            running.append(asyncio.create_task(_ask(client, sent)))
        async with asyncio.timeout(DEADLINE_S):
            await asyncio.gather(*running)


def _id(number: int) -> UUID:
    # One of some twenty thousand UUIDs spells a text by chance and is replaced; none with such a first byte.
    rest = number * 0x9E3779B97F4A7C15F39CC0605CEDC835 & (1 << 120) - 1
    return UUID(int=7 << 120 | rest, version=4)


async def _ticking(tick: Callable[[], None]) -> None:
    while True:
        tick()
        await asyncio.sleep(1)


async def _ask(client: httpx.AsyncClient, sent: Sent) -> None:
    begin = time.monotonic()
    asking = asyncio.create_task(_asked(client, sent))
    if sent.scenario.leaves:
        begun = asyncio.create_task(sent.asked.begun.wait())
        await asyncio.wait({asking, begun}, return_when=asyncio.FIRST_COMPLETED)
        begun.cancel()
        if not asking.done():
            asking.cancel()
            await asyncio.wait({asking})
            sent.saw = "left"
        sent.asked.left.set()
    if not asking.cancelled():
        await asking
    sent.seconds = time.monotonic() - begin


async def _asked(client: httpx.AsyncClient, sent: Sent) -> None:
    body = {
        "question": sent.texts.question,
        "documents": sent.texts.documents,
        "patience": sent.scenario.patience,
    }
    try:
        answer = await client.post(sent.scenario.path, json=body, headers={"X-Request-ID": sent.id})
    except httpx.TransportError as error:
        # A stream that breaks off.
        sent.saw, sent.detail = "failed", type(error).__name__
        return
    sent.saw = "answered" if answer.status_code == 200 else "failed"
    sent.detail = f"{answer.status_code}, id {answer.headers.get('X-Request-ID')}"
