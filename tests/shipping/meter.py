"""A worker that counts. Arguments: the Collector's address, how much."""

from __future__ import annotations

import sys

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource

reader = PeriodicExportingMetricReader(OTLPMetricExporter(f"{sys.argv[1]}/v1/metrics"))
resource = Resource({"service.name": "answers", "service.instance.id": f"worker-{sys.argv[2]}"})
provider = MeterProvider([reader], resource)
provider.get_meter("answers").create_counter("discreet.events").add(int(sys.argv[2]), {"event": "call_finished"})
provider.shutdown()
