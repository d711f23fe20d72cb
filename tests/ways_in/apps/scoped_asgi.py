"""A FastAPI application that registers what its customers write, and does its work in all the places that there are."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

from fastapi import BackgroundTasks, Depends, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse
from scoped import note, plain

import discreet
from discreet.scope import carry


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Start or stop with a failure, if the test asks for one."""
    if os.environ.get("FAIL_AT") == "start":
        raise ValueError(f"no start for {os.environ['QUESTION']}")
    yield
    if os.environ.get("FAIL_AT") == "stop":
        raise ValueError(f"no stop for {os.environ['QUESTION']}")


app = FastAPI(lifespan=lifespan)


@app.middleware("http")
async def registered(request: Request, call_next: Any) -> Any:
    """Register what stands in the address, where the test asks for it."""
    if "name" not in request.query_params:
        return await call_next(request)
    with discreet.customer_text(name=request.query_params["name"]):
        return await call_next(request)


async def asked(text: str) -> AsyncIterator[str]:
    """Register a parameter for as long as the endpoint runs."""
    async with discreet.customer_text(question=text):
        yield text


def asked_in_a_thread(text: str) -> Iterator[str]:
    """Register it in a thread, whose context is another one."""
    with discreet.customer_text(question=text):
        yield text


@app.post("/depends")
async def depends(text: Annotated[str, Depends(asked)]) -> str:
    """Answer inside the scope of a dependency."""
    note("dependency", text)
    await run_in_threadpool(note, "thread of a dependency", text)
    return "ok"


@app.post("/depends-in-a-thread")
async def depends_in_a_thread(text: Annotated[str, Depends(asked_in_a_thread)]) -> str:
    """Answer after a dependency that is no coroutine."""
    plain("bare dependency", text)
    return "ok"


@app.post("/middle")
async def middle(name: str) -> str:
    """Answer inside the scope of a middleware."""
    note("middleware", name)
    return "ok"


async def noted(place: str, text: str) -> None:
    """Note in a coroutine."""
    await asyncio.sleep(0)
    note(place, text)


@discreet.customer_text("text")
def later(text: str) -> None:
    """Note after the answer, in a scope of its own."""
    note("background", text)


@app.post("/ask")
async def ask(request: Request, background: BackgroundTasks) -> str:
    """Answer in many places."""
    text = (await request.body()).decode()
    with discreet.customer_text(question=text):
        note("handler", text)
        await asyncio.gather(noted("task", text), asyncio.create_task(noted("another task", text)))
        await run_in_threadpool(note, "threadpool", text)
        await asyncio.to_thread(note, "thread", text)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, carry(note), "executor", text)
        await loop.run_in_executor(None, plain, "bare executor", text)
        background.add_task(plain, "bare background", text)
        background.add_task(later, text)
    plain("end", text)
    return "ok"


@app.post("/together")
def together(text: str) -> str:
    """Answer in a thread of the framework's own."""
    with discreet.customer_text(question=text):
        note("sync handler", text)
    return "ok"


@discreet.customer_text("text")
async def words(text: str) -> AsyncIterator[str]:
    """Answer word by word, and break."""
    for word in text.split()[:2]:
        note("stream", text)
        yield word
        await asyncio.sleep(0)
    raise ValueError(f"no end for {text}")


@discreet.customer_text("text")
def letters(text: str) -> Iterator[str]:
    """Answer letter by letter."""
    for letter in text[:2]:
        note("sync stream", text)
        yield letter


@app.post("/stream")
async def stream(text: str) -> StreamingResponse:
    """Answer by words."""
    return StreamingResponse(words(text))


@app.post("/spell")
async def spell(text: str) -> StreamingResponse:
    """Answer by letters."""
    return StreamingResponse(letters(text))


@app.post("/fail")
async def fail(request: Request) -> str:
    """Break, and leave a task that breaks alone."""
    text = (await request.body()).decode()
    with discreet.customer_text(question=text):
        task = asyncio.create_task(broken(text))
        await asyncio.wait([task])
        del task
        gc.collect()
        raise LookupError(text)


async def broken(text: str) -> None:
    """Break."""
    raise ValueError(f"nobody reads {text}")
