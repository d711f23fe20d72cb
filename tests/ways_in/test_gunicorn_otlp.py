"""gunicorn with a set-up made before its workers are forked: each sends what it logs, and all of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.export.otlp.fault_server import FaultServer
from tests.ways_in.customer import BODY, NOTE, found_in
from tests.ways_in.running import Program, ask

pytestmark = [pytest.mark.integration, pytest.mark.long]

CONFIGURATION = """
import discreet

bind = "127.0.0.1:0"
workers = 3
worker_tmp_dir = "."
discreet.configure(service="answers")
"""
REQUESTS = 12


@pytest.mark.parametrize("options", [[], ["--preload"]], ids=["workers load", "master loads"])
def test_every_line_of_every_worker_is_sent_once(options: list[str], tmp_path: Path) -> None:
    """The workers' queues are empty when they begin, and emptied when gunicorn ends them."""
    (tmp_path / "gunicorn.conf.py").write_text(CONFIGURATION, encoding="ascii")
    with FaultServer() as server:
        settings = {"DISCREET_OTLP": server.base, "DISCREET_REPORT_EVERY": "0", "XDG_RUNTIME_DIR": str(tmp_path)}
        command = ["-m", "gunicorn", "--config", "gunicorn.conf.py", *options, "wsgi_app:app"]
        with Program(tmp_path, *command, **settings) as program:
            port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
            assert [ask(port, "POST", NOTE, BODY) for _ in range(REQUESTS)] == [200] * REQUESTS
            assert program.stop() == 0
        assert found_in(program.stdout, program.stderr) == []
        assert found_in(repr(server.raw), "") == []
        sent = Counter(record.body.string_value for record in server.logs)

    written = [line for line in program.lines if line.get("event") not in ("pipeline_closed", "records_missing")]
    assert sent == Counter(line["message"] for line in written)
    assert sum(count for message, count in sent.items() if message.startswith("Asked")) == 2 * REQUESTS
    assert sent["Loaded 3 shelves"] == (1 if options else 3)
    closed = [line for line in program.lines if line.get("event") == "pipeline_closed"]
    assert [line["missing"] for line in closed] == [0] * len(closed)
    assert len(closed) >= 2
