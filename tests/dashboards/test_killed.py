"""A process that is killed in the middle of a call, seen through real servers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.dashboards.queries import DEGRADED, ERRORS, Calls
from tests.servers.catalog import Collector, Prometheus
from tests.servers.process import wait_until
from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import CONFIGS

pytestmark = [pytest.mark.integration, pytest.mark.servers]

CALLS = Calls('service_name="boats"', "15m")
PROGRAM = """
import sys, time
import discreet

discreet.configure(otlp=sys.argv[1])
with discreet.observe_call("boats.answer"):
    pass
with discreet.observe_call("boats.answer"):
    time.sleep(600)
"""


def test_the_call_of_a_killed_process_is_unmeasured_and_while_it_ran_it_was_not(tmp_path: Path) -> None:
    """It is in no share and in both bounds: nobody knows whether it would have been a good one."""
    # What a Collector forgets after five minutes is forgotten after some seconds here.
    soon = tmp_path / "soon.yaml"
    soon.write_text(json.dumps({"exporters": {"prometheus": {"metric_expiration": "3s"}}}), encoding="utf-8")
    allowed = write_allow_list(tmp_path / "allow-list.yaml", [])
    configs = [*(CONFIGS / f"{name}.yaml" for name in ("common", "otlp", "victorialogs")), allowed, soon]
    environment = os.environ | {"OTEL_SERVICE_NAME": "boats", "OTEL_METRIC_EXPORT_INTERVAL": "500"}
    for signal in ("LOGS", "TRACES"):
        environment[f"OTEL_{signal}_EXPORTER"] = "none"
    with (
        Collector(tmp_path / "gateway", configs) as gateway,
        Prometheus(tmp_path / "prometheus", [f"127.0.0.1:{gateway.ports['prometheus']}"]) as prometheus,
    ):

        def told(query: str) -> float | None:
            rows = prometheus.query(query)
            return float(rows[0]["value"][1]) if rows else None

        with subprocess.Popen([sys.executable, "-c", PROGRAM, gateway.url()], env=environment) as process:
            try:
                wait_until(lambda: told(CALLS.started()) == 2, "both calls were counted", pause=0.3)
                running = (told(CALLS.total()), told(CALLS.lost()))
            finally:
                process.kill()
        wait_until(lambda: told(CALLS.lost()) == 1, "the gauge of the running call is forgotten", pause=0.3)
        after = {
            name: [told(query) for query in (CALLS.least(share), CALLS.share(share), CALLS.most(share))]
            for name, share in (("degraded", DEGRADED), ("error", ERRORS))
        }
        total = told(CALLS.total())

    assert running == (1, 0)
    assert total == 2
    assert after == {"degraded": [0, 0, 0.5], "error": [0, 0, 0.5]}
