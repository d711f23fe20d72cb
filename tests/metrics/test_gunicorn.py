"""gunicorn's workers, forked after the set-up was made: each has an id and counts of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.export.otlp.fault_server import FaultServer
from tests.metrics.test_otlp import last, points
from tests.ways_in.customer import BODY, NOTE
from tests.ways_in.running import Program, ask

pytestmark = pytest.mark.integration

CONFIGURATION = """
import discreet

bind = "127.0.0.1:0"
workers = 3
worker_tmp_dir = "."
discreet.configure(service="answers")
"""


def test_a_preloading_server_and_its_workers_measure_apart(tmp_path: Path) -> None:
    """What all have counted at their end is what the collector has got from all of them."""
    (tmp_path / "gunicorn.conf.py").write_text(CONFIGURATION, encoding="ascii")
    with FaultServer() as server:
        settings = {"DISCREET_OTLP": server.base, "DISCREET_REPORT_EVERY": "0", "XDG_RUNTIME_DIR": str(tmp_path)}
        command = ["-m", "gunicorn", "--config", "gunicorn.conf.py", "--preload", "wsgi_app:app"]
        with Program(tmp_path, *command, **settings) as program:
            port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
            assert [ask(port, "POST", NOTE, BODY) for _ in range(9)] == [200] * 9
            assert program.stop() == 0
        found = last(server)
    observed = [points(group, "discreet.records").get(("otlp_logs", "observed"), 0) for group in found.values()]
    assert len(found) == 4
    assert sum(observed) == len(server.logs)
