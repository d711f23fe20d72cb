"""A Prometheus that scrapes the process itself, by OpenTelemetry's exporter for it."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

import discreet
from discreet.call_counts import CALLS

pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"


def test_the_names_are_those_that_the_page_says() -> None:
    """As the Collector has them too, so that one dashboard fits both ways."""
    # Here, because the suite without extras reads this file too.
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from prometheus_client import generate_latest

    CALLS.begin_anew(forget=True)
    with discreet.configure(json=None, metrics=PrometheusMetricReader):
        with discreet.observe_call("boats.find") as call:
            call.warn("quote_not_found")
        with pytest.raises(LookupError), discreet.observe_call("boats.find"):
            raise LookupError
        logging.getLogger("verbatim_core").warning("Lost", extra={"event": "fallback_used"})
        text = generate_latest().decode()

    samples = dict(re.findall(r"^(discreet_\S+) (\S+)$", text, re.MULTILINE))
    names = {re.sub(r"_(bucket|sum|count)$", "", name.partition("{")[0]) for name in samples}
    said = set(re.findall(r"^\| `discreet\.[a-z.]+` \| `(\w+)`", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert names == said
    ended = {name: count for name, count in samples.items() if name.startswith("discreet_calls_total{")}
    outcomes = {re.findall(r'(?<=[{,]outcome=")\w+', name)[0]: count for name, count in ended.items()}
    assert outcomes == {"ok": "0.0", "degraded": "1.0", "error": "1.0", "cancelled": "0.0"}
