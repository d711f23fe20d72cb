"""The service of the steady load with Flask: a worker goes on with a question whose client has left."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

import desk
from flask import Flask, Response, request

log = logging.getLogger("desk.wsgi")
desk.set_up()
app = Flask("desk", static_folder=None)
if desk.GUARDED:
    from discreet.instrument.wsgi import ContentMiddleware

    app.wsgi_app = ContentMiddleware(app.wsgi_app)  # type: ignore[method-assign]


@app.post("/ask")
def ask() -> Any:
    """Answer by quotes."""
    asked = request.get_json()
    question, documents = asked["question"], asked["documents"]
    try:
        with desk.observed("desk.answer", question=question, documents=documents):
            log.info(f"Received query: {question}")
            result = desk.transform(asked.get("patience")).transform(question, desk.chunks_of(documents))
            return desk.told(question, result)
    except desk.NothingFoundError as error:
        log.warning("No answer for %s: %s", question, error)
        return {"detail": str(error)}, 502


@app.post("/stream")
def stream() -> Response:
    """Answer in pieces, as the LLM writes them."""
    asked = request.get_json()
    question = asked["question"]

    def pieces() -> Iterator[str]:
        with desk.observed("desk.stream", question=question):
            log.info(f"Streaming for {question}")
            client = desk.llm(asked.get("patience")).client
            messages = desk.messages_of(question)
            with client.chat.completions.create(model="heron-7b", messages=messages, stream=True) as told:
                for piece in told:
                    for choice in piece.choices:
                        yield choice.delta.content or ""

    return Response(pieces(), mimetype="text/plain")


@app.get("/cpu")
def cpu() -> str:
    """Say how many seconds of CPU time this process has taken."""
    return str(time.process_time())


def worker_exit(*_: object) -> None:
    """Tell the counts at the end of a worker, as gunicorn's hook."""
    desk.finish()
