"""The question answering as a service of Flask."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from flask import Flask, Response, request, stream_with_context
from rag import answered

from discreet.instrument.wsgi import ContentMiddleware

log = logging.getLogger("ragservice.api")
app = Flask("rag", static_folder=None)
app.wsgi_app = ContentMiddleware(app.wsgi_app)  # type: ignore[method-assign]


@app.post("/api/query")
def query() -> dict[str, str]:
    """Answer a question in JSON."""
    return {"answer": answered(request.get_json()["question"])}


@app.get("/api/search/<topic>")
def search(topic: str) -> str:
    """Answer a question of the address."""
    log.info(f"Topic: {topic}")
    log.info(f"Query: {request.args['q']}")
    return "ok"


@app.post("/api/form")
def form() -> str:
    """Answer a question of a form with a file."""
    log.info(f"Form: {request.form['text']}")
    log.info(f"File: {request.files['document'].read().decode()}")
    return "ok"


@app.post("/api/stream")
def stream() -> Response:
    """Answer in pieces."""
    question = request.get_json()["question"]

    def words() -> Iterator[str]:
        for word in question.split()[:3]:
            log.info(f"Sending a word of {question}")
            yield word

    answer = Response(stream_with_context(words()))
    answer.call_on_close(lambda: log.info(f"Afterwards: {question}"))
    return answer


@app.post("/api/fail")
def fail() -> None:
    """Fail with the question in the exception."""
    raise LookupError(f"no answer for {request.get_json()['question']}")
