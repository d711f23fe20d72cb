"""Every query of the dashboard, asked of real servers that have what the demo really sent."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.servers.catalog import Collector, Prometheus, VictoriaLogs
from tests.servers.process import get, wait_until
from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import CONFIGS

pytestmark = [pytest.mark.integration, pytest.mark.servers]

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "docs" / "examples" / "demo"
DASHBOARDS = ROOT / "dashboards" / "grafana"
RULES = ROOT / "dashboards" / "prometheus" / "alerts.yaml"
# As Grafana fills them in for "All" and the shipped window. A step that is as long as all of the test has every call.
VARIABLES = {
    "$__interval": "10m",
    "$window": "15m",
    "$service": ".+",
    "$operation": ".*",
    "${service:pipe}": ".+",
}


@dataclass(frozen=True)
class Sent:
    """The servers that have what the demo sent, and the records that it wrote into a file as well."""

    prometheus: Prometheus
    store: VictoriaLogs
    records: list[dict[str, Any]]

    def range(self, query: str) -> list[dict[str, Any]]:
        """Ask for the last minutes, as a graph does."""
        now = float(json.loads(get(self.prometheus.url("/api/v1/query?query=time()")))["data"]["result"][0])
        words = urllib.parse.urlencode({"query": query, "start": now - 300, "end": now, "step": 60})
        return list(json.loads(get(self.prometheus.url(f"/api/v1/query_range?{words}")))["data"]["result"])

    def exemplars(self, query: str) -> set[str]:
        """The trace ids of a graph's dots."""
        now = float(json.loads(get(self.prometheus.url("/api/v1/query?query=time()")))["data"]["result"][0])
        words = urllib.parse.urlencode({"query": query, "start": now - 300, "end": now})
        found = json.loads(get(self.prometheus.url(f"/api/v1/query_exemplars?{words}")))["data"]
        return {one["labels"]["trace_id"] for series in found for one in series["exemplars"]}


def filled(query: str) -> str:
    for name, value in VARIABLES.items():
        query = query.replace(name, value)
    assert re.search(r"\$[\w{]", query) is None
    return query


def targets(file: str, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Title and query of each target of a kind of source, in rows too."""
    dashboard = json.loads((DASHBOARDS / file).read_text(encoding="utf-8"))
    rows = dashboard["panels"]
    for panel in [*rows, *(inner for row in rows for inner in row.get("panels", ()))]:
        # Two panels have one title, a small number and a graph.
        if panel["type"] != "row" and panel.get("datasource", {}).get("type") == kind:
            for target in panel["targets"]:
                yield f"{panel['type']} {panel['title']} {target['refId']}", target


METRICS = dict(targets("overview.json", "prometheus"))


def demo(out: Path, collector: Collector) -> list[dict[str, Any]]:
    """Run it as it is, with OpenTelemetry's variables; returns the records of its file."""
    inherited = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {
        # The run starts in another directory, where relative entries would lead astray.
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, inherited)),
        "DISCREET_OTLP": collector.url(),
        "OTEL_SERVICE_NAME": "demo",
        "OTEL_METRIC_EXPORT_INTERVAL": "1000",
        "OTEL_TRACES_EXPORTER": "none",
    }
    command = [sys.executable, str(DEMO / "run.py"), "--out", str(out), "--plain"]
    done = subprocess.run(command, check=False, capture_output=True, env=environment, cwd=out.parent, timeout=120)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return [json.loads(line) for line in (out / "logs.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sent]:
    folder = tmp_path_factory.mktemp("dashboards")
    allowed = write_allow_list(folder / "allow-list.yaml", [])
    configs = [CONFIGS / "common.yaml", CONFIGS / "otlp.yaml", allowed, CONFIGS / "victorialogs.yaml"]
    with (
        VictoriaLogs(folder / "records") as store,
        Collector(folder / "gateway", configs, {"LOG_STORE": store.url()}) as gateway,
        Prometheus(folder / "prometheus", [f"127.0.0.1:{gateway.ports['prometheus']}"]) as prometheus,
    ):
        records = demo(folder / "out", gateway)
        ended = f"sum(discreet_calls_total) == {sum(one.get('event') == 'call_finished' for one in records)}"
        wait_until(lambda: bool(prometheus.query(ended)), "Prometheus has all calls", pause=0.3)
        errors = sum(one["level"] in {"ERROR", "CRITICAL"} for one in records)
        (query,) = (target["expr"] for _, target in targets("overview-victorialogs.json", VICTORIALOGS))
        wait_until(lambda: len(store.query(filled(query))) >= errors, "the store has all errors", pause=0.3)
        yield Sent(prometheus, store, records)


VICTORIALOGS = "victoriametrics-logs-datasource"


@pytest.mark.parametrize("panel", METRICS)
def test_no_query_of_a_panel_is_empty(panel: str, sent: Sent) -> None:
    """At this moment, and as a graph over the last minutes where it is one."""
    query = filled(METRICS[panel]["expr"])

    assert sent.prometheus.query(query) != []
    if METRICS[panel].get("range"):
        assert sent.range(query) != []


def test_the_numbers_are_those_of_the_records(sent: Sent) -> None:
    """Calls by outcome, warning and error codes of calls: what the dashboard counts is what was logged."""
    finished = [one for one in sent.records if one.get("event") == "call_finished"]

    def told(panel: str, label: str) -> dict[str, int]:
        rows = sent.prometheus.query(filled(METRICS[panel]["expr"]))
        return {row["metric"][label]: int(float(row["value"][1])) for row in rows if float(row["value"][1])}

    outcomes = {}
    for ref in "ABCD":
        outcomes |= told(f"timeseries Calls by outcome {ref}", "outcome")

    assert outcomes == Counter(one["outcome"] for one in finished)
    assert outcomes.keys() == {"ok", "degraded", "error"}
    assert told("table Warning codes A", "warning_code") == Counter(
        one["warning_code"] for one in finished if "warning_code" in one
    )
    assert told("table Error codes A", "error_code") == Counter(
        one["error_code"] for one in finished if "error_code" in one
    )


def test_the_four_counts_of_each_share_are_in_the_table(sent: Sent) -> None:
    """With the bounds that errors leave of the degraded share."""
    outcomes = Counter(one["outcome"] for one in sent.records if one.get("event") == "call_finished")
    ok, degraded, error = (outcomes[name] for name in ("ok", "degraded", "error"))
    names = ("total", "eligible", "observed", "missing", "at least", "share", "at most")

    found: dict[str, dict[str, float]] = {}
    for ref, name in zip("ABCDEFG", names, strict=True):
        for row in sent.prometheus.query(filled(METRICS[f"table The counts behind the shares {ref}"]["expr"])):
            found.setdefault(row["metric"]["share"], {})[name] = float(row["value"][1])

    total = ok + degraded + error
    assert found == {
        "degraded": {
            "total": total,
            "eligible": total,
            "observed": ok + degraded,
            "missing": error,
            "at least": pytest.approx(degraded / total),
            "share": pytest.approx(degraded / (ok + degraded)),
            "at most": pytest.approx((degraded + error) / total),
        },
        "error": {
            "total": total,
            "eligible": total,
            "observed": total,
            "missing": 0,
            "at least": pytest.approx(error / total),
            "share": pytest.approx(error / total),
            "at most": pytest.approx(error / total),
        },
    }


def test_variables_find_the_service_and_its_operations(sent: Sent) -> None:
    """By the queries that fill the lists above the panels."""
    dashboard = json.loads((DASHBOARDS / "overview.json").read_text(encoding="utf-8"))
    found = {}
    for one in dashboard["templating"]["list"]:
        if one["type"] == "query":
            series, label = re.fullmatch(r"label_values\((.+), (\w+)\)", one["query"]["query"]).groups()
            rows = sent.prometheus.query(f"count by ({label}) ({filled(series)})")
            found[one["name"]] = sorted(row["metric"][label] for row in rows)

    assert found == {
        "service": ["demo"],
        "operation": ["groundkit.search", "verbatim.extract", "verbatim.rerank", "verbatim.transform"],
    }


def test_the_last_errors_are_found_with_their_traces(sent: Sent) -> None:
    """In VictoriaLogs: the records at ERROR of the demo's own file, with the same trace ids."""
    (query,) = (target["expr"] for _, target in targets("overview-victorialogs.json", VICTORIALOGS))
    errors = [one for one in sent.records if one["level"] in {"ERROR", "CRITICAL"}]

    rows = sent.store.query(filled(query))

    assert sorted((row["_msg"], row.get("trace_id", "")) for row in rows) == sorted(
        (one["message"], one.get("trace_id", "")) for one in errors
    )
    assert any(row.get("trace_id") for row in rows)


def test_dots_in_the_graph_of_latency_lead_to_traces_of_calls(sent: Sent) -> None:
    """Each has the trace id of a call that the demo logged."""
    panel = METRICS["timeseries Latency B"]
    calls = {one["trace_id"] for one in sent.records if one.get("event") == "call_finished"}

    found = sent.exemplars(filled(panel["expr"]))

    assert panel["exemplar"] is True
    assert found
    assert found <= calls


def test_no_rule_of_alerts_is_about_names_that_nobody_counts(sent: Sent) -> None:
    """Each metric that a rule asks for is there."""
    text = RULES.read_text(encoding="utf-8")
    asked = set(re.findall(r"discreet_[a-z_]+", text))
    known = {
        row["metric"]["__name__"] for row in sent.prometheus.query('count by (__name__) ({__name__=~"discreet_.+"})')
    }

    assert asked <= known
