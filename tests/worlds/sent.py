"""Keeps what would be sent over OTLP: one line for each record or span, made of all that its message holds."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

URL = "http://127.0.0.1:9"


def can_send() -> bool:
    """Tell whether the extra `otlp` is installed: the core suite does without."""
    return find_spec("tenacity") is not None and find_spec("opentelemetry.exporter") is not None


def send_into(out: Path) -> dict[str, Any]:
    """Have all requests written into files, and return the options of configure() for it."""
    if not can_send():
        return {}
    from google.protobuf.text_format import MessageToString
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    from discreet.export.otlp._http import HttpTransport
    from discreet.export.otlp.answers import Answer

    def parts(url: str, body: bytes) -> list[Any]:
        """Return the messages of a request: each record or span, with the resource and scope that it stands in."""
        if url.endswith("logs"):
            logs = ExportLogsServiceRequest.FromString(body)
            return [
                (group.resource, scope.scope, one)
                for group in logs.resource_logs
                for scope in group.scope_logs
                for one in scope.log_records
            ]
        if url.endswith("metrics"):
            groups = ExportMetricsServiceRequest.FromString(body).resource_metrics
            for pair in [pair for group in groups for pair in group.resource.attributes]:
                if pair.key == "service.instance.id":
                    # By chance, and another one in each process: it is there to tell them apart.
                    pair.value.string_value = ""
            return [(group,) for group in groups]
        spans = ExportTraceServiceRequest.FromString(body)
        return [
            (group.resource, scope.scope, one)
            for group in spans.resource_spans
            for scope in group.scope_spans
            for one in scope.spans
        ]

    def post(self: Any, body: bytes, timeout: float) -> Answer:
        url = self._endpoint.url
        with (out / f"otlp-{url.rpartition('/')[2]}.txt").open("a", encoding="utf-8") as file:
            for found in parts(url, body):
                file.write(" | ".join(MessageToString(message, as_one_line=True) for message in found) + "\n")
        return Answer(200)

    HttpTransport.post = post  # type: ignore[method-assign]
    # One batch at the end: where batches begin and end must not depend on time.
    for prefix in ("OTEL_BLRP", "OTEL_BSP"):
        for name in ("MAX_QUEUE_SIZE", "MAX_EXPORT_BATCH_SIZE", "SCHEDULE_DELAY"):
            os.environ[f"{prefix}_{name}"] = "1000000"
    return {"otlp": URL, "shutdown_timeout": 60}
