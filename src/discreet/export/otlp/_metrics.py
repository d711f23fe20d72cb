"""Collected metrics as requests of OTLP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
    ExportMetricsServiceResponse,
)
from opentelemetry.sdk.metrics.export import MetricsData

from discreet.export.ledger import LEDGER
from discreet.export.otlp._encode import read_answer
from discreet.export.otlp.answers import Answer
from discreet.export.otlp.sender import Settle


class MetricEncoder:
    """Requests of collections, each a request of its own.

    .. versionadded:: 0.1.0
    """

    def messages(self, records: Sequence[MetricsData], settle: Settle) -> list[Any]:
        """Return the request of each collection."""
        found: list[Any] = []
        for data in records:
            try:
                found.append(encode_metrics(data))
            except Exception as error:
                LEDGER.failure("metrics", error)
                settle(missing={"not_encodable": 1})
        return found

    def body(self, messages: Sequence[ExportMetricsServiceRequest]) -> bytes:
        """Return the requests as one."""
        request = ExportMetricsServiceRequest()
        for message in messages:
            request.MergeFrom(message)
        return request.SerializeToString()

    def rejected(self, answer: Answer) -> int:
        """Return how many points an answer rejects: a collection of which one is rejected doesn't count as taken."""
        return read_answer(answer, ExportMetricsServiceResponse()).partial_success.rejected_data_points  # type: ignore[no-any-return]  # a message's number
