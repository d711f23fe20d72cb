"""A collector on 127.0.0.1 that fails as it is told, and keeps what it has acknowledged."""

from __future__ import annotations

import gzip
import http.server
import socket
import struct
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self

PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True)
class Fault:
    """One way to answer.

    Args:
        status: of the answer.
        rejected: records of which a success says that they weren't taken: the last ones of a request.
        headers: of the answer, beside its length and type.
        body: of the answer, in place of what OTLP says.
        content_type: of the answer.
        wait: an event to wait for before it answers.
        delay: seconds to wait before it answers.
        reset: break the connection off, when the request has been read.
        raw: bytes in place of an answer in HTTP.
        only_if: answer so only if this says so of a record's body; else with success.
    """

    status: int = 200
    rejected: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    content_type: str = PROTOBUF
    wait: threading.Event | None = None
    delay: float = 0.0
    reset: bool = False
    raw: bytes | None = None
    only_if: Callable[[str], bool] | None = None


OK = Fault()
RESET = Fault(reset=True)
GARBAGE = Fault(body=b"<html>\xff\xfe")
LOGIN_PAGE = Fault(body=b"<html>Please log in</html>", content_type="text/html")
NO_HTTP = Fault(raw=b"\x00\x00\x12\x04\x00\x00\x00\x00\x00\r\n\r\n")


def status(code: int, **headers: str) -> Fault:
    """Return a fault that answers with a status, without a body."""
    return Fault(code, headers={name.replace("_", "-"): value for name, value in headers.items()}, body=b"")


class FaultServer:
    """Answers with its faults, one for each request of a signal, then for ever with the last; a context manager.

    Attributes:
        logs, spans: what was acknowledged, as messages of OTLP; metrics: requests of them, whatever the answer.
        requests: how many of logs and spans came in.
        headers: those of the last request.
    """

    def __init__(self, faults: Iterable[Fault] = (OK,)) -> None:
        self._faults = list(faults)
        self._by_path: dict[str, list[Fault]] = {}
        self._lock = threading.Lock()
        self.logs: list[Any] = []
        self.spans: list[Any] = []
        self.metrics: list[Any] = []
        self.raw: list[bytes] = []
        self.resources: list[Any] = []
        self.requests = 0
        self.headers: Mapping[str, str] = {}
        self.came = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any) -> None:
                """Be quiet."""

            def do_POST(self) -> None:
                outer._serve(self)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Be quiet: a client that has given up is part of the tests."""

        self._server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        self.base = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _serve(self, h: http.server.BaseHTTPRequestHandler) -> None:
        body = h.rfile.read(int(h.headers.get("Content-Length", 0)))
        encoding = h.headers.get("Content-Encoding")
        body = gzip.decompress(body) if encoding == "gzip" else zlib.decompress(body) if encoding else body
        with self._lock:
            if not h.path.endswith("/v1/metrics"):
                self.requests += 1
                self.headers = dict(h.headers)
            # Each signal has its own, because which of them comes first depends on time.
            faults = self._by_path.setdefault(h.path, self._faults.copy())
            fault = faults.pop(0) if len(faults) > 1 else faults[0]
        self.came.set()
        if fault.wait is not None:
            fault.wait.wait(60)
        time.sleep(fault.delay)
        if fault.reset:
            h.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            h.connection.close()
            h.close_connection = True
            return
        if fault.raw is not None:
            h.wfile.write(fault.raw)
            h.close_connection = True
            return
        records, kept, answer = self._decoded(h.path, body, fault)
        bad = fault.only_if
        if bad is not None and not any(bad(record.body.string_value) for record in records):
            fault = OK
        good = fault.status == 200 and fault.body is None
        text = answer if good else fault.body or b""
        if good:
            with self._lock:
                kept += records[: len(records) - fault.rejected]
                self.raw.append(body)
        h.send_response(fault.status)
        for name, value in {"Content-Type": fault.content_type, **fault.headers}.items():
            h.send_header(name, value)
        h.send_header("Content-Length", str(len(text)))
        h.end_headers()
        h.wfile.write(text)

    def _decoded(self, path: str, body: bytes, fault: Fault) -> tuple[list[Any], list[Any], bytes]:
        """Return the records of a request, where to keep them, and the answer of OTLP."""
        # Here, because the suite without extras reads this file too.
        from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs_service
        from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2 as metrics_service
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as trace_service

        if path.endswith("/v1/traces"):
            request = trace_service.ExportTraceServiceRequest.FromString(body)
            records = [one for group in request.resource_spans for scope in group.scope_spans for one in scope.spans]
            self.resources += [group.resource for group in request.resource_spans]
            answer = trace_service.ExportTraceServiceResponse()
            answer.partial_success.rejected_spans = fault.rejected
            return records, self.spans, answer.SerializeToString()
        if path.endswith("/v1/metrics"):
            self.metrics.append(metrics_service.ExportMetricsServiceRequest.FromString(body))
            return [], [], b""
        logs = logs_service.ExportLogsServiceRequest.FromString(body)
        found = [one for group in logs.resource_logs for scope in group.scope_logs for one in scope.log_records]
        self.resources += [group.resource for group in logs.resource_logs]
        said = logs_service.ExportLogsServiceResponse()
        said.partial_success.rejected_log_records = fault.rejected
        return found, self.logs, said.SerializeToString() if fault.rejected else b""


class BlackHole:
    """Takes connections and never answers; a context manager."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.base = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._kept: list[socket.socket] = []
        self.came = threading.Event()
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        while True:
            try:
                self._kept.append(self._socket.accept()[0])
            except OSError:
                return
            self.came.set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._socket.close()
        for taken in self._kept:
            taken.close()


@cache
def _unheard() -> socket.socket:
    """Return a socket that has a port and doesn't listen: while it is open, no server of another test gets the port."""
    taken = socket.socket()
    taken.bind(("127.0.0.1", 0))
    return taken


def nobody() -> str:
    """Return a URL where nobody listens."""
    return f"http://127.0.0.1:{_unheard().getsockname()[1]}"


def fields(record: Any) -> dict[str, Any]:
    """Return the attributes of a message as plain values."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in record.attributes}
