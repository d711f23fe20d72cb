"""sentry-sdk with a server that receives its envelopes: `first`, `last`, `scoped`, or `unguarded` for the control."""

from __future__ import annotations

import gzip
import json
import logging
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import sentry_sdk

import discreet
from tests.interplay.calls import LOGGER, work, work_in_scope

order = sys.argv[1]
received: list[bytes] = []


class Receiver(BaseHTTPRequestHandler):
    """Takes every envelope."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        received.append(gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class calls it so
        """Say nothing."""


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
threading.Thread(target=server.serve_forever, daemon=True).start()


def guard() -> None:
    discreet.configure(json="ours.jsonl", attributes={"shard": "int"}, install=False)
    discreet.install(strict=True, match=[f"{LOGGER}.matched"])


if order == "last":
    guard()
sentry_sdk.init(
    f"http://key@127.0.0.1:{server.server_port}/1",
    enable_logs=True,
    auto_enabling_integrations=False,
)
if order in ("first", "scoped"):
    guard()
logging.root.setLevel("INFO")
(work_in_scope if order == "scoped" else work)(logging.getLogger(LOGGER))
sentry_sdk.flush(timeout=10)
sentry_sdk.get_client().close()
server.shutdown()
server.server_close()

with Path("sentry.jsonl").open("w", encoding="utf-8") as file:
    for envelope in received:
        for line in envelope.splitlines():
            # The interpreter and the packages differ from machine to machine.
            value = json.loads(line)
            print(json.dumps(value), file=file)
