"""The question answering as a service of FastAPI, in all the ways in which a request can carry a question."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from typing import Annotated

from fastapi import BackgroundTasks, FastAPI, Form, Request, UploadFile, WebSocket
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from rag import answered

from discreet.instrument.asgi import ContentMiddleware

log = logging.getLogger("ragservice.api")
app = FastAPI()
app.add_middleware(ContentMiddleware, max_body_bytes=4096, public=["body.index"])


class Query(BaseModel):
    """What a client asks."""

    question: str
    index: str = "garden"


@app.post("/api/query")
def query(asked: Query) -> dict[str, str]:
    """Answer in a thread."""
    log.info(f"Asked of index {asked.index}")
    return {"answer": answered(asked.question)}


@app.get("/api/search/{topic}")
async def search(topic: str, q: str) -> str:
    """Answer a question of the address."""
    log.info(f"Topic: {topic}")
    log.info(f"Query: {q}")
    return "ok"


@app.post("/api/form")
async def form(text: Annotated[str, Form()], document: UploadFile) -> str:
    """Answer a question of a form with a file."""
    log.info(f"Form: {text}")
    log.info(f"File {document.filename}: {(await document.read()).decode()}")
    return "ok"


@app.post("/api/stream")
async def stream(asked: Query, background: BackgroundTasks) -> StreamingResponse:
    """Answer in pieces, with work after the answer."""

    def words() -> Iterator[str]:
        for word in asked.question.split()[:3]:
            log.info(f"Sending a word of {asked.question}")
            yield word

    background.add_task(lambda: log.info(f"Afterwards: {asked.question}"))
    return StreamingResponse(words(), background=background)


@app.post("/api/upload")
async def upload(request: Request) -> int:
    """Read a body piece by piece."""
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if piece:
            log.info(f"Piece: {piece.decode()}")
    log.info(f"Index {'garden'}")
    return size


@app.post("/api/endless")
async def endless(asked: Query) -> StreamingResponse:
    """Answer until the client is gone."""

    async def words() -> AsyncIterator[str]:
        try:
            while True:
                yield "word "
                await asyncio.sleep(0.01)
        finally:
            log.info(f"Given up: {asked.question}")

    return StreamingResponse(words())


@app.post("/api/fail")
async def fail(asked: Query) -> None:
    """Fail with the question in the exception."""
    raise LookupError(f"no answer for {asked.question}")


@app.post("/api/meet")
async def meet(asked: Query) -> str:
    """Wait for as many requests as there are seats, and log then: all of them at once."""
    seats.append(asked.question)
    await everybody.wait()
    log.info(f"Met: {asked.question}")
    log.info(f"Seat: {seats[seats.index(asked.question) - 1]}")
    return "ok"


everybody = asyncio.Barrier(4)
seats: list[str] = []


@app.websocket("/talk/{room}")
async def talk(websocket: WebSocket, room: str) -> None:
    """Answer messages until one says goodbye."""
    await websocket.accept()
    while (text := await websocket.receive_text()) != "bye":
        log.info(f"Message: {text}")
        log.info(f"Room: {room}")
        await websocket.send_text("ok")
    await websocket.close()
