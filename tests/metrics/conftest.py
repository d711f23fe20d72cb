"""Tests that send need the extra `otlp` and the group `integration`; without them they aren't even loaded."""

from __future__ import annotations

from importlib.util import find_spec

SENDING = ["test_gunicorn.py", "test_otlp.py"]

collect_ignore = [] if find_spec("tenacity") and find_spec("opentelemetry.proto") else [*SENDING]
collect_ignore += [] if find_spec("prometheus_client") else ["test_prometheus.py"]
