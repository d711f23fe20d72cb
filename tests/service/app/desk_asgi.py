"""The service of the steady load with FastAPI: a question is given up when its client has left."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import desk
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel

log = logging.getLogger("desk.asgi")
desk.set_up()


class Asked(BaseModel):
    """What a client asks."""

    question: str
    documents: list[str]
    patience: float | None = None


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Tell the counts at the end."""
    log.info("Desk is open")
    yield
    desk.finish()


app = FastAPI(lifespan=lifespan)
if desk.GUARDED:
    from discreet.instrument.asgi import ContentMiddleware

    app.add_middleware(ContentMiddleware)


async def answered(asked: Asked) -> dict[str, Any]:
    """Answer by quotes."""
    with desk.observed("desk.answer", question=asked.question, documents=asked.documents):
        log.info(f"Received query: {asked.question}")
        answering = desk.transform(asked.patience)
        result = await answering.transform_async(asked.question, desk.chunks_of(asked.documents))
        return desk.told(asked.question, result)


async def has_left(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


@app.post("/ask")
async def ask(asked: Asked, request: Request) -> Response:
    """Answer, as long as somebody waits for it."""
    work, left = asyncio.create_task(answered(asked)), asyncio.create_task(has_left(request))
    await asyncio.wait({work, left}, return_when=asyncio.FIRST_COMPLETED)
    waited_for = work.done()
    (left if waited_for else work).cancel()
    with suppress(asyncio.CancelledError):
        await (left if waited_for else work)
    try:
        return JSONResponse(work.result()) if waited_for else Response(status_code=499)
    except desk.NothingFoundError as error:
        log.warning("No answer for %s: %s", asked.question, error)
        return JSONResponse({"detail": str(error)}, status_code=502)


@app.post("/stream")
async def stream(asked: Asked) -> StreamingResponse:
    """Answer in pieces, as the LLM writes them."""

    async def pieces() -> AsyncIterator[str]:
        with desk.observed("desk.stream", question=asked.question):
            log.info(f"Streaming for {asked.question}")
            client = desk.llm(asked.patience).async_client
            messages = desk.messages_of(asked.question)
            async with await client.chat.completions.create(model="heron-7b", messages=messages, stream=True) as told:
                async for piece in told:
                    for choice in piece.choices:
                        yield choice.delta.content or ""

    return StreamingResponse(pieces())


@app.get("/cpu")
async def cpu() -> float:
    """Say how many seconds of CPU time this process has taken."""
    return time.process_time()
