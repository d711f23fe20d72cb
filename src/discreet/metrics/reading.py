"""Collects metrics and has them sent over OTLP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from opentelemetry.sdk.metrics import (
    Counter,
    Histogram,
    ObservableCounter,
    ObservableGauge,
    ObservableUpDownCounter,
    UpDownCounter,
)
from opentelemetry.sdk.metrics.export import AggregationTemporality, MetricReader, MetricsData
from opentelemetry.sdk.metrics.view import (
    Aggregation,
    ExplicitBucketHistogramAggregation,
    ExponentialBucketHistogramAggregation,
)

from discreet.export.ledger import LEDGER
from discreet.export.otlp.batches import Batches
from discreet.export.otlp.settings import METRICS, Batching, Endpoint, chosen, metric_timeout
from discreet.export.otlp.setup import open_batches, part

__all__ = ["SINK", "aggregations", "open_queue", "otlp_reader", "temporalities"]

SINK: Final = "otlp_metrics"
"""What the ledger calls collections that are sent over OTLP.

.. versionadded:: 0.1.0
"""

_WAITING: Final = Batching(capacity=4, size=1, delay=5.0)
"""A collection has all counts since the start, so that old ones needn't wait while nobody answers."""


def open_queue(endpoint: Endpoint, shutdown_timeout: float) -> Batches[MetricsData]:
    """Return the queue of what is sent. Nothing is sent and no thread runs until the first collection.

    Args:
        endpoint: where to.
        shutdown_timeout: seconds that the end of the process may take.

    Raises:
        ConfigurationError: the extra ``otlp`` is missing, or a variable is wrong.

    .. versionadded:: 0.1.0
    """
    encoder = part("_metrics").MetricEncoder()
    return open_batches(METRICS, endpoint, encoder, LEDGER.sink(SINK), shutdown_timeout, _WAITING, metric_timeout())


# https://opentelemetry.io/docs/specs/otel/metrics/sdk_exporters/otlp/
_DELTA: Final[dict[str, tuple[type, ...]]] = {
    "cumulative": (),
    "delta": (Counter, Histogram, ObservableCounter),
    "lowmemory": (Counter, Histogram),
}
_AGGREGATIONS: Final[dict[str, type[Aggregation]]] = {
    "explicit_bucket_histogram": ExplicitBucketHistogramAggregation,
    "base2_exponential_bucket_histogram": ExponentialBucketHistogramAggregation,
}


def temporalities() -> dict[type, AggregationTemporality]:
    """Return what ``OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`` asks for.

    Raises:
        ConfigurationError: it is none of the specification's words.

    .. versionadded:: 0.1.0
    """
    delta = _DELTA[chosen("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", tuple(_DELTA))]
    kinds = (Counter, UpDownCounter, Histogram, ObservableCounter, ObservableUpDownCounter, ObservableGauge)
    return {
        kind: AggregationTemporality.DELTA if kind in delta else AggregationTemporality.CUMULATIVE for kind in kinds
    }


def aggregations() -> dict[type, Aggregation]:
    """Return what ``OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION`` asks for.

    Raises:
        ConfigurationError: it is none of the specification's words.

    .. versionadded:: 0.1.0
    """
    word = chosen("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", tuple(_AGGREGATIONS))
    # The explicit one would replace the boundaries that the instrument advises.
    return {} if word == "explicit_bucket_histogram" else {Histogram: _AGGREGATIONS[word]()}


class _Reader(MetricReader):
    """Hands each collection on; it collects when it is told to."""

    def __init__(
        self,
        take: Callable[[MetricsData], None],
        temporality: dict[type, AggregationTemporality],
        aggregation: dict[type, Aggregation],
    ) -> None:
        super().__init__(preferred_temporality=temporality, preferred_aggregation=aggregation)
        self._take = take

    def _receive_metrics(self, metrics_data: MetricsData, timeout_millis: float = 10_000, **kwargs: Any) -> None:
        self._take(metrics_data)

    def shutdown(self, timeout_millis: float = 30_000, **kwargs: Any) -> None:
        """Do nothing: what was collected last is in the queue already."""


def otlp_reader(take: Callable[[MetricsData], None]) -> Callable[[], MetricReader]:
    """Return what makes the reader of one process.

    Args:
        take: gets each collection.

    Raises:
        ConfigurationError: a variable is wrong.

    .. versionadded:: 0.1.0
    """
    temporality, aggregation = temporalities(), aggregations()
    return lambda: _Reader(take, temporality, aggregation)
