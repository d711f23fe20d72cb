"""uvicorn that SIGTERM stops: what it does by itself, and what the page on web services says to do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.export.otlp.fault_server import FaultServer
from tests.ways_in.customer import BODY, NOTE
from tests.ways_in.running import Program, ask, printed

pytestmark = [pytest.mark.integration, pytest.mark.long]

PAGE = Path(__file__).parents[2] / "docs" / "web-services.md"
RUN = """
import uvicorn
uvicorn.run("asgi_app:app", port=0, lifespan="off", log_config="logging.json")
"""
CLOSING = """
import contextlib

import asgi_app
import discreet
import fastapi


@contextlib.asynccontextmanager
async def lifespan(app):
    yield
    discreet.close()


app = fastapi.FastAPI(lifespan=lifespan)
app.mount("/", asgi_app.app)
"""


def _handler_of_the_page() -> str:
    found = re.search(r"^import signal\n(?:.*\n)*?signal\.signal\(.*\n", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[0]


def _with_otlp(folder: Path, server: FaultServer) -> None:
    """Write the printed configuration, and a handler in it that sends."""
    config = json.loads(printed("uvicorn"))
    config["handlers"]["otlp"] = {"()": "discreet.OtelLogHandler", "endpoint": f"{server.base}/v1/logs"}
    config["root"]["handlers"].append("otlp")
    (folder / "logging.json").write_text(json.dumps(config), encoding="ascii")


# Nothing is sent before the end.
SETTINGS = {"OTEL_BLRP_SCHEDULE_DELAY": "600000", "DISCREET_REPORT_EVERY": "600"}


def test_a_lifespan_that_closes_loses_nothing_but_what_comes_after_it(tmp_path: Path) -> None:
    """Also of what was withheld there is a report; uvicorn's last two lines are written, but not sent any more."""
    (tmp_path / "closing.py").write_text(CLOSING, encoding="utf-8")
    command = ("-m", "uvicorn", "--port", "0", "--log-config", "logging.json", "closing:app")
    with FaultServer() as server:
        _with_otlp(tmp_path, server)
        with Program(tmp_path, *command, **SETTINGS) as program:
            port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
            assert ask(port, "POST", NOTE, BODY) == 200
            status = program.stop()
        sent = sorted(record.body.string_value for record in server.logs)

    lines = program.lines
    (end,) = [number for number, line in enumerate(lines) if line.get("event") == "pipeline_closed"]
    assert (status, program.stderr) == (-15, "")
    assert sent == sorted(line["message"] for line in lines[:end])
    assert [line["event"] for line in lines[:end] if line.get("event") == "content_withheld"] != []
    assert [line["message"].partition(" [")[0] for line in lines[end + 1 :]] == [
        "Application shutdown complete.",
        "Finished server process",
    ]
    assert lines[end]["missing"] == 0


@pytest.mark.parametrize("told", [True, False], ids=["as the page says", "by itself"])
def test_sigterm_loses_nothing_if_it_is_an_end_like_any_other(told: bool, tmp_path: Path) -> None:
    """uvicorn raises the signal anew when it has shut down; alone it dies of it, and so does what waits."""
    (tmp_path / "serve.py").write_text((_handler_of_the_page() if told else "") + RUN, encoding="utf-8")
    with FaultServer() as server:
        _with_otlp(tmp_path, server)
        with Program(tmp_path, "serve.py", **{**SETTINGS, "DISCREET_REPORT_EVERY": "0"}) as program:
            port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
            assert ask(port, "POST", NOTE, BODY) == 200
            status = program.stop()
        # In a request they stand by logger.
        sent = sorted(record.body.string_value for record in server.logs)

    written = [line["message"] for line in program.lines if line.get("event") != "pipeline_closed"]
    assert written[-1].startswith("Finished server process")
    assert (status, sent) == ((143, sorted(written)) if told else (-15, []))
