"""What is logged by exporting is never exported, and no lock of logging's is waited for while one is held."""

from __future__ import annotations

import logging
import logging.config
import threading

import pytest
from opentelemetry import context as otel_context

import discreet
from discreet.export.feedback import SUPPRESS_KEYS, by_an_exporter, exporting, is_exporting
from tests.export.otlp.fault_server import OK, RESET, Fault, FaultServer, status

pytestmark = pytest.mark.integration


class Kept(logging.Handler):
    """Keeps the names of loggers."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.names.append(record.name)


@pytest.fixture
def beside() -> Kept:
    kept = Kept()
    logging.root.addHandler(kept)
    return kept


@pytest.mark.parametrize("faults", [[OK], [RESET, RESET, OK], [status(503), OK]], ids=["ok", "resets", "503"])
def test_what_the_sending_thread_logs_reaches_every_other_sink_only(
    faults: list[Fault], beside: Kept, waits: list[float]
) -> None:
    """With the root logger at DEBUG urllib3 logs each request: one record stays one record."""
    logging.root.setLevel(logging.DEBUG)
    with FaultServer(faults) as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs")
        logging.root.addHandler(handler)
        logging.getLogger("app").info("one record")
        for _ in range(3):
            assert handler.force_flush(20)
        counts = handler.counts.as_dict()
        logging.root.removeHandler(handler)
        handler.retire(5)

    assert len(server.logs) == 1
    assert server.requests == len(faults)
    assert (counts["observed"], counts["missing"]) == (1, 0)
    assert counts["filtered"] == sum(name != "app" for name in beside.names) > 0


def test_the_threads_that_export_are_marked_whoever_they_are() -> None:
    """By us, and by the keys of OpenTelemetry's context."""
    record = logging.makeLogRecord({"name": "app"})
    assert not by_an_exporter(record)
    with exporting():
        assert by_an_exporter(record)
        assert [otel_context.get_value(key) for key in SUPPRESS_KEYS] == [True] * len(SUPPRESS_KEYS)
    assert not is_exporting()
    for key in SUPPRESS_KEYS:
        token = otel_context.attach(otel_context.set_value(key, True))
        assert by_an_exporter(record)
        otel_context.detach(token)
    names = {
        name: by_an_exporter(logging.makeLogRecord({"name": name})) for name in ("opentelemetry", "opentelemetrys")
    }
    assert names == {"opentelemetry": True, "opentelemetrys": False}
    assert by_an_exporter(logging.makeLogRecord({"name": "opentelemetry.sdk"}))


def test_a_dict_config_while_a_request_hangs_waits_for_nobody(beside: Kept) -> None:
    """It holds logging's lock, which the sending thread needs as soon as it logs."""
    gate = threading.Event()
    logging.root.setLevel(logging.DEBUG)
    with FaultServer([Fault(wait=gate), OK]) as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", timeout=100)
        logging.root.addHandler(handler)
        log = logging.getLogger("app")
        for _ in range(600):
            log.info("record")
        assert server.came.wait(20)

        logging.config.dictConfig(
            {"version": 1, "disable_existing_loggers": False, "root": {"level": "DEBUG", "handlers": []}}
        )
        log.info("after")
        logging.shutdown()
        gate.set()
        handler.retire(20)

    assert len(server.logs) == 600
    assert handler.counts.as_dict()["missing"] == 0


def test_a_handler_of_configure_outlives_a_dict_config() -> None:
    """Which closes every handler of the process, also those that stay where they are."""
    with FaultServer() as server, discreet.configure(json=None, otlp=server.base, all_spans=False) as handle:
        logging.config.dictConfig({"version": 1, "disable_existing_loggers": False, "incremental": False})
        logging.getLogger("app").warning("after")
        assert handle.flush(20)
        bodies = [record.body.string_value for record in server.logs]

    assert "after" in bodies
