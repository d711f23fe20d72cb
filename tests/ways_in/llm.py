"""A local server that speaks the OpenAI protocol: it quotes the first sentence of each document, or fails."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

START, END = "\nDocuments:\n", "\n\nExtract verbatim spans"


def answer(prompt: str) -> tuple[int, dict[str, Any]]:
    """Return status and body of the answer to a prompt; errors quote it, as those of real providers do."""
    if "overloaded" in prompt:
        return 500, {"error": {"message": f"Worker died on: {prompt}", "type": "server_error", "code": "server_error"}}
    content = "Here is what the documents say:\n\n- [SPAN_1]"
    if START in prompt:
        documents = json.loads(prompt.partition(START)[2].partition(END)[0])
        content = json.dumps({key: [text.partition(".")[0] + "."] for key, text in documents.items()})
    message = {"role": "assistant", "content": content}
    return 200, {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1767225600,
        "model": "heron",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        status, body = answer(request["messages"][-1]["content"])
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@contextmanager
def serving() -> Iterator[str]:
    """Serve while the block runs; gives what an OpenAI client takes as its base URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
