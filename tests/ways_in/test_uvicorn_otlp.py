"""uvicorn that SIGTERM stops: what it does by itself, and what the page on web services says to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.export.otlp.fault_server import FaultServer
from tests.ways_in.customer import BODY, NOTE
from tests.ways_in.running import Program, ask, printed

pytestmark = pytest.mark.integration

PAGE = Path(__file__).parents[2] / "docs" / "web-services.md"
RUN = """
import uvicorn
uvicorn.run("asgi_app:app", port=0, lifespan="off", log_config="logging.json")
"""


def _handler_of_the_page() -> str:
    found = re.search(r"^import signal\n(?:.*\n)*?signal\.signal\(.*\n", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("told", [True, False], ids=["as the page says", "by itself"])
def test_sigterm_loses_nothing_if_it_is_an_end_like_any_other(told: bool, tmp_path: Path) -> None:
    """uvicorn raises the signal anew when it has shut down; alone it dies of it, and so does what waits."""
    (tmp_path / "serve.py").write_text((_handler_of_the_page() if told else "") + RUN, encoding="utf-8")
    config = json.loads(printed("uvicorn"))
    with FaultServer() as server:
        config["handlers"]["otlp"] = {"()": "discreet.OtelLogHandler", "endpoint": f"{server.base}/v1/logs"}
        config["root"]["handlers"].append("otlp")
        (tmp_path / "logging.json").write_text(json.dumps(config), encoding="ascii")
        # Nothing is sent before the end.
        settings = {"OTEL_BLRP_SCHEDULE_DELAY": "600000", "DISCREET_REPORT_EVERY": "0"}
        with Program(tmp_path, "serve.py", **settings) as program:
            port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
            assert ask(port, "POST", NOTE, BODY) == 200
            status = program.stop()
        # In a request they stand by logger.
        sent = sorted(record.body.string_value for record in server.logs)

    written = [line["message"] for line in program.lines if line.get("event") != "pipeline_closed"]
    assert written[-1].startswith("Finished server process")
    assert (status, sent) == ((143, sorted(written)) if told else (-15, []))
