"""A server that speaks the OpenAI protocol: it answers by a script, and its errors quote what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

CANARIES = ("Ottilie", "Brandvold", "capstan", "lighter", "Thorvald")
QUESTION = "Who repaired Ottilie Brandvold's capstan?"
REPLY = "Thorvald repaired it aboard the lighter."

Step = str | int | bytes | dict[str, Any] | None
"""A reply's text (None for a message without one), an HTTP status, parts of the reply, or the bytes of its body.

An error may have `status` and `headers` beside it.
"""

HANG_UP = "(hangs up)"
NEVER = "(never answers)"


class Models:
    """What it was asked, and what it answers next: the last step is repeated."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.steps: list[Step] = [REPLY]
        self.choose: Callable[[str], Step] | None = None
        self.requests: list[dict[str, Any]] = []
        self.retry_counts: list[str | None] = []
        self.to_close: list[Any] = []
        self.over = threading.Event()

    def begin(self) -> None:
        """Forget what it was asked, and answer as in the beginning."""
        self.steps, self.choose, self.requests, self.retry_counts = [REPLY], None, [], []
        while self.to_close:
            self.to_close.pop().close()

    def step(self, prompt: str) -> Step:
        if self.choose is not None:
            return self.choose(prompt)
        return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


def completion(text: str | None, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1767225600,
        "model": "example-1-mini",
        "usage": {"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38},
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        **more,
    }


def chunks(text: str) -> Iterator[dict[str, Any]]:
    about = {"id": "chatcmpl-7", "object": "chat.completion.chunk", "created": 1767225600, "model": "example-1-mini"}
    for word in text.split(" "):
        yield {**about, "choices": [{"index": 0, "delta": {"content": f"{word} "}, "finish_reason": None}]}
    yield {**about, "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}
    yield {**about, "choices": [], "usage": {"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38}}


CODES = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}


@contextmanager
def models() -> Iterator[Models]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet each, or the client's side waits for the second

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = asked["messages"][-1]["content"] if "messages" in asked else str(asked.get("input"))
            found.requests.append(asked)
            found.retry_counts.append(self.headers.get("x-stainless-retry-count"))
            step = found.step(prompt)
            status, headers = 200, {}
            if step in (HANG_UP, NEVER):
                if step == NEVER:
                    found.over.wait()
                self.close_connection = True
                return
            if isinstance(step, bytes):
                self._send(200, step, {})
                return
            if isinstance(step, int):
                status, headers = step, {"retry-after-ms": "3"} if step in (429, 503) else {}
                error = {"message": f"No: {prompt}", "type": "error", "param": None, "code": CODES.get(step)}
                step = {"error": error}
            if isinstance(step, dict) and "error" in step:
                step = dict(step)
                status, headers = step.pop("status", status), step.pop("headers", headers)
            elif "messages" not in asked:
                vector = {"object": "embedding", "index": 0, "embedding": [0.25, 0.5]}
                step = {"object": "list", "model": "text-embedding-3-small", "data": [vector]}
                step["usage"] = {"prompt_tokens": 5}
            elif asked.get("stream"):
                self._stream(str(step))
                return
            elif not isinstance(step, dict):
                step = completion(step)
            self._send(status, json.dumps(step).encode(), headers)

        def _send(self, status: int, body: bytes, headers: dict[str, str], kind: str = "application/json") -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def _stream(self, text: str) -> None:
            lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks(text)]
            if text.endswith("!"):
                lines[2:] = [f"data: {json.dumps({'error': {'message': text, 'code': 'server_error'}})}\n\n"]
            self._send(200, "".join([*lines, "data: [DONE]\n\n"]).encode(), {}, "text/event-stream")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    found = Models(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.over.set()
        found.begin()
        server.shutdown()
        server.server_close()
        thread.join()
