"""A fake LLM and a fake website in one: a real HTTP server on loopback that says back what it was sent.

It runs no model. What it answers, and how it fails, is told by the model's name or by the path, and its errors quote
the prompt, as those of real providers do.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import unquote_plus, urlsplit

__all__ = ["FakeServer"]

_CODES = {400: "content_policy_violation", 401: "invalid_api_key", 404: "model_not_found", 422: "unprocessable"}


class Handler(BaseHTTPRequestHandler):
    """Answers at once."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "FakeServer/1", ""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = asked["messages"][-1]["content"]
        behaviour = asked["model"].removeprefix("fake-")
        if behaviour.isdecimal():
            status = int(behaviour)
            error = {"message": f"Refused: {text}", "type": text[:20], "param": text, "code": _CODES.get(status, text)}
            self._json(status, {"error": error})
        elif behaviour == "hang-up":
            self.close_connection = True
        elif behaviour == "no-json":
            self._send(200, "application/json", f'{{"choices": "{text}'.encode())
        elif behaviour == "stream":
            words = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in text.split()[:3]]
            events = [*map(json.dumps, words), f'{{"error": {json.dumps(text)}}}']
            self._send(200, "text/event-stream", "".join(f"data: {event}\n\n" for event in events).encode())
        else:
            content = json.dumps({"quote": text, "page": text}) if behaviour == "object" else text
            self._json(200, _completion(content))

    def do_GET(self) -> None:
        path, query = urlsplit(self.path)[2:4]
        text = unquote_plus(query.partition("=")[2])
        kind, _, rest = path[1:].partition("/")
        if kind == "status":
            self._send(int(rest), "text/plain", f"Not for {text}".encode(), **{"X-Note": query})
        elif kind == "again":
            self._send(302, "text/plain", b"", Location=f"/again/?q={query}", **{"Set-Cookie": f"asked={query[:30]}"})
        elif kind == "odd":
            self._send(200, "application/json; charset=" + query[:12], text.encode("utf-16"))
        else:
            self._send(200, "application/json", text.encode())

    def _json(self, status: int, value: dict[str, Any]) -> None:
        self._send(status, "application/json", json.dumps(value, ensure_ascii=False).encode())

    def _send(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.send_header("x-request-id", f"req_{len(body):032x}")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class calls it so
        """Say nothing."""


def _completion(content: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 1767225600,
        "model": "fake-good",
        "usage": {"prompt_tokens": 8, "completion_tokens": 4, "total_tokens": 12},
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}],
    }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that go away in the middle, which happens sooner or later than something else."""


class FakeServer:
    """The server as a context manager: it listens while the block runs."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="server")
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
