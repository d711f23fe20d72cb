"""The servers that tests start."""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.servers.building import PROGRAMS
from tests.servers.process import Server, answers, get


def program(name: str) -> Path:
    """Return a program that was built.

    Without it a test fails where `CI` is set, and says elsewhere what it needs.
    """
    path = PROGRAMS[name].path
    if not path.exists():
        reason = f"needs {name}: python -m tests.servers build {name}"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


class Collector(Server):
    """The OpenTelemetry Collector with some configuration files, merged in their order."""

    name = "collector"
    port_names = ("http", "health", "metrics", "prometheus")

    def __init__(self, folder: Path, configs: Sequence[Path], variables: dict[str, str] | None = None) -> None:
        super().__init__(program("collector"), folder)
        self.configs = list(configs)
        self.variables = variables or {}
        self.gates = ("stanza.synchronousLogEmitter",)

    def arguments(self) -> list[str]:
        return ["--feature-gates", ",".join(self.gates), *(f"--config={path}" for path in self.configs)]

    def environment(self) -> dict[str, str]:
        return {
            "OTLP_HTTP": f"127.0.0.1:{self.ports['http']}",
            "HEALTH": f"127.0.0.1:{self.ports['health']}",
            "COLLECTOR_METRICS_PORT": str(self.ports["metrics"]),
            "PROMETHEUS": f"127.0.0.1:{self.ports['prometheus']}",
            "STATE": str(self.folder / "state"),
            **self.variables,
        }

    def ready(self) -> bool:
        return answers(self.url("/", "health"))

    def metrics(self) -> str:
        """Return its own metrics, as it shows them to Prometheus."""
        return get(self.url("/metrics", "metrics")).decode()


class VictoriaLogs(Server):
    """The log store that tests ask."""

    name = "victorialogs"

    def __init__(self, folder: Path) -> None:
        super().__init__(program("victorialogs"), folder)

    def arguments(self) -> list[str]:
        return [
            f"-httpListenAddr=127.0.0.1:{self.ports['http']}",
            f"-storageDataPath={self.folder / 'data'}",
            "-retentionPeriod=100y",
            "-memory.allowedBytes=512MB",
            "-loggerLevel=WARN",
        ]

    def ready(self) -> bool:
        return answers(self.url("/health"))

    def query(self, query: str) -> list[dict[str, Any]]:
        """Return the rows of a LogsQL query.

        Rows show some seconds after they were taken.
        """
        data = urllib.parse.urlencode({"query": query}).encode()
        return [json.loads(line) for line in get(self.url("/select/logsql/query"), data).splitlines()]


class Jaeger(Server):
    """A trace store."""

    name = "jaeger"
    port_names = ("http", "otlp", "admin", "otlp_grpc", "query_grpc", "grpc", "thrift")

    def __init__(self, folder: Path) -> None:
        super().__init__(program("jaeger"), folder)

    def arguments(self) -> list[str]:
        local = {name: f"127.0.0.1:{port}" for name, port in self.ports.items()}
        return [
            f"--query.http-server.host-port={local['http']}",
            f"--query.grpc-server.host-port={local['query_grpc']}",
            f"--admin.http.host-port={local['admin']}",
            f"--collector.otlp.http.host-port={local['otlp']}",
            f"--collector.otlp.grpc.host-port={local['otlp_grpc']}",
            f"--collector.grpc-server.host-port={local['grpc']}",
            f"--collector.http-server.host-port={local['thrift']}",
        ]

    def environment(self) -> dict[str, str]:
        return {"SPAN_STORAGE_TYPE": "memory"}

    def ready(self) -> bool:
        return answers(self.url("/api/services")) and answers(self.url("/", "admin"))

    def traces(self) -> list[str]:
        """Return the ids of the newest traces of every service."""
        services = json.loads(get(self.url("/api/services")))["data"] or []
        found = [json.loads(get(self.url(f"/api/traces?service={name}&limit=1000")))["data"] for name in services]
        return [trace["traceID"] for traces in found for trace in traces]

    def spans(self, trace_id: str) -> list[dict[str, Any]]:
        """Return the spans of a trace, none when it isn't known."""
        try:
            found = json.loads(get(self.url(f"/api/traces/{trace_id}")))["data"]
        except OSError:
            return []
        return [span for trace in found for span in trace["spans"]]


class Prometheus(Server):
    """Scrapes the given addresses (`host:port`) every second."""

    name = "prometheus"

    def __init__(self, folder: Path, targets: Sequence[str]) -> None:
        super().__init__(program("prometheus"), folder)
        scrape = [{"job_name": "tests", "honor_labels": True, "static_configs": [{"targets": list(targets)}]}]
        settings = {"global": {"scrape_interval": "1s", "scrape_timeout": "1s"}, "scrape_configs": scrape}
        # YAML is a superset of JSON.
        (folder / "prometheus.yml").write_text(json.dumps(settings), encoding="utf-8")

    def arguments(self) -> list[str]:
        return [
            f"--config.file={self.folder / 'prometheus.yml'}",
            f"--storage.tsdb.path={self.folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{self.ports['http']}",
            "--enable-feature=exemplar-storage",
        ]

    def ready(self) -> bool:
        return answers(self.url("/-/ready"))

    def query(self, query: str) -> list[dict[str, Any]]:
        """Return the result of an instant query."""
        answer = json.loads(get(self.url("/api/v1/query?" + urllib.parse.urlencode({"query": query}))))
        return list(answer["data"]["result"])

    def exemplars(self, query: str) -> list[dict[str, Any]]:
        """Return the exemplars of the last hour of all series that a query names."""
        now = time.time()
        parts = {"query": query, "start": str(now - 3600), "end": str(now + 60)}
        answer = json.loads(get(self.url("/api/v1/query_exemplars?" + urllib.parse.urlencode(parts))))
        return [one for series in answer["data"] for one in series["exemplars"]]


class OloproofCollect(Server):
    """`oloproof collect` of this environment, which keeps the traces that it gets in a database of its own."""

    name = "oloproof"

    def __init__(self, folder: Path) -> None:
        path = Path(sys.executable).with_name("oloproof")
        if not path.exists():
            pytest.fail("needs the dependency group `integration`")
        super().__init__(path, folder)
        (folder / "oloproof.yaml").write_text("project: tests\n", encoding="utf-8")

    def arguments(self) -> list[str]:
        return ["collect", "--port", str(self.ports["http"]), "--no-push", "--settle", "1"]

    def environment(self) -> dict[str, str]:
        # With CI set it makes no key of its own for what it keeps.
        return {"HOME": str(self.folder), "PYTHONUNBUFFERED": "1", "CI": ""}

    def ready(self) -> bool:
        return "Receiving OpenTelemetry traces" in self.tail()

    def traces(self) -> list[str]:
        """Return the ids of the traces that it has sealed: those of its log."""
        return [line.split()[1] for line in self.tail(10_000).splitlines() if line.startswith("trace ")]
