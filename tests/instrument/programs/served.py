"""A FastAPI application that asks itself by httpx: its requests carry what customers wrote."""

from __future__ import annotations

import asyncio
import logging

import fastapi
import httpx

import discreet
from discreet.instrument.asgi import ContentMiddleware
from tests.instrument.models import QUESTION, REPLY

log = logging.getLogger("harbour")
app = fastapi.FastAPI()
app.add_middleware(ContentMiddleware)


@app.get("/ask/{text}")
async def ask(text: str, q: str) -> dict[str, str]:
    with discreet.observe_call("harbour.ask", question=text) as call:
        log.warning("Asked %s and %s", text, q)
        return call.result({"reply": REPLY})


@app.get("/fail/{text}")
async def fail(text: str) -> None:
    raise ValueError(text)


async def main() -> None:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://harbour.example") as client:
        await client.get(f"/ask/{QUESTION}", params={"q": REPLY})
        await client.get(f"/fail/{QUESTION}")


asyncio.run(main())
