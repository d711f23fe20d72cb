"""The alert rules: Prometheus loads them, and each is given when it should be and not before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from discreet.dashboards import names
from discreet.dashboards.alerts import RULES, AlertRule, grafana_rules, prometheus_rules
from tests.dashboards.promtool import checked, complaints, series

pytestmark = [pytest.mark.integration, pytest.mark.servers]

ROOT = Path(__file__).parents[2]
FILE = ROOT / "dashboards" / "prometheus" / "alerts.yaml"
PANELS = {one.panel: number for number, one in enumerate(RULES)}
OUTCOMES = ("ok", "degraded", "error", "cancelled")
P1 = 'service_name="answers",service_instance_id="p1"'
OPERATION = f'{P1},operation="answer"'
# A process that is up, in which all is well: a call a minute.
WELL = {
    f"{names.GUARD_FAILURES}{{{P1}}}": "0x240",
    f'{names.CONTENT}{{{P1},logger="verbatim_core.content"}}': "0x240",
    f"{names.STARTED}{{{OPERATION}}}": "0+1x240",
    f"{names.ACTIVE}{{{OPERATION}}}": "0x240",
    **{f'{names.CALLS}{{{OPERATION},outcome="{outcome}"}}': "0x240" for outcome in OUTCOMES},
    f'{names.CALLS}{{{OPERATION},outcome="ok"}}': "0+1x240",
    f'{names.EVENTS}{{{P1},error_code="timeout",error_class="upstream",contract="verbatim"}}': "0x240",
    f'{names.EVENTS}{{{P1},error_code="missing_field",error_class="input",contract="verbatim"}}': "0+9x240",
}


def rule(name: str) -> AlertRule:
    return next(one for one in RULES if one.name == name)


def ringing(name: str, minute: int, value: str, **labels: str) -> dict[str, Any]:
    """One alert of a rule, with what it says."""
    one = rule(name)
    function = "humanizePercentage" if one.share else "humanize"
    summary = one.summary.replace("VALUE", value)
    for label, text in labels.items():
        summary = summary.replace(f"{{{{ $labels.{label} }}}}", text)
    assert "{{" not in summary, function
    alert = {
        "exp_labels": {"severity": one.severity, **labels},
        "exp_annotations": {"summary": summary, "description": one.action},
    }
    return {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": [alert]}


def silent(name: str, minute: int) -> dict[str, Any]:
    return {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": []}


def complain(folder: Path, samples: Mapping[str, str], alerts: Sequence[Mapping[str, Any]]) -> str:
    """What is other than expected, where all else is well."""
    one = {"interval": "1m", "input_series": series(WELL | samples), "alert_rule_test": list(alerts)}
    return complaints(folder, [FILE], [one])


def test_prometheus_loads_the_rules() -> None:
    """Five of them, as its own tool says."""
    assert "SUCCESS: 5 rules found" in checked(FILE)


def test_where_all_is_well_no_alert_is_given(tmp_path: Path) -> None:
    """Neither at the start nor after hours, and errors of callers give none."""
    alerts = [silent(one.name, minute) for one in RULES for minute in (0, 5, 35, 240)]

    assert complain(tmp_path, {}, alerts) == ""


def test_a_failure_of_the_guard_gives_an_alert_at_once(tmp_path: Path) -> None:
    """And for a quarter of an hour, also when the process had just begun to count."""
    counter = f"{names.GUARD_FAILURES}{{{P1}}}"
    alerts = [
        silent("DiscreetGuardFailed", 49),
        ringing("DiscreetGuardFailed", 50, "2", service_name="answers"),
        ringing("DiscreetGuardFailed", 60, "2", service_name="answers"),
        silent("DiscreetGuardFailed", 66),
    ]
    born = f'{names.GUARD_FAILURES}{{service_name="answers",service_instance_id="p2"}}'

    assert complain(tmp_path, {counter: "0x49 2x190"}, alerts) == ""
    assert complain(tmp_path, {born: "_x50 2x190"}, alerts) == ""


def test_an_open_content_logger_gives_an_alert_while_it_is_open(tmp_path: Path) -> None:
    """One for each service and logger, however many processes."""
    logger = "verbatim_core.content"
    gauges = {
        f'{names.CONTENT}{{service_name="answers",service_instance_id="{name}",logger="{logger}"}}': values
        for name, values in (("p1", "0x29 1x9 0x200"), ("p2", "0x29 1x9 0x200"))
    }
    alerts = [
        silent("DiscreetContentLoggerOpen", 29),
        ringing("DiscreetContentLoggerOpen", 30, "1", service_name="answers", logger=logger),
        silent("DiscreetContentLoggerOpen", 40),
    ]

    assert complain(tmp_path, gauges, alerts) == ""


def outcomes(**each_minute: str) -> dict[str, str]:
    return {f'{names.CALLS}{{{OPERATION},outcome="{outcome}"}}': values for outcome, values in each_minute.items()}


def test_the_degraded_share_gives_an_alert_when_its_lower_bound_is_above(tmp_path: Path) -> None:
    """With half of the calls degraded it does, five minutes after it was so."""
    samples = {f"{names.STARTED}{{{OPERATION}}}": "0+2x240", **outcomes(ok="0+1x240", degraded="0+1x240")}
    alerts = [
        silent("DiscreetDegradedShare", 9),
        ringing("DiscreetDegradedShare", 100, "50%", service_name="answers"),
    ]

    assert complain(tmp_path, samples, alerts) == ""


def test_calls_of_which_nothing_is_known_give_no_alert_of_a_degraded_share(tmp_path: Path) -> None:
    """Half of the calls with a result are degraded, and most calls raised: the share may be a tenth."""
    samples = {
        f"{names.STARTED}{{{OPERATION}}}": "0+10x240",
        **outcomes(ok="0+1x240", degraded="0+1x240", error="0+8x240"),
    }

    assert complain(tmp_path, samples, [silent("DiscreetDegradedShare", minute) for minute in (35, 100, 240)]) == ""


def test_few_calls_give_no_alert_of_a_degraded_share(tmp_path: Path) -> None:
    """One degraded call of one is no share to wake somebody for."""
    samples = {f"{names.STARTED}{{{OPERATION}}}": "0x99 1x140", **outcomes(ok="0x240", degraded="0x99 1x140")}

    assert complain(tmp_path, samples, [silent("DiscreetDegradedShare", minute) for minute in (105, 110, 240)]) == ""


def test_errors_of_a_service_behind_give_an_alert_by_code(tmp_path: Path) -> None:
    """Ten a minute do; five in ten minutes don't."""
    many = f'{names.EVENTS}{{{P1},error_code="rate_limited",error_class="upstream",contract="verbatim"}}'
    few = f'{names.EVENTS}{{{P1},error_code="server_error",error_class="upstream",contract="verbatim"}}'
    samples = {many: "0x59 0+10x180", few: "0x59 5x180"}
    labels = {"service_name": "answers", "error_code": "rate_limited"}
    alerts = [silent("DiscreetUpstreamErrors", 60), ringing("DiscreetUpstreamErrors", 90, "100", **labels)]

    assert complain(tmp_path, samples, alerts) == ""


def test_calls_that_stay_away_give_an_alert_while_the_service_is_up(tmp_path: Path) -> None:
    """After half an hour without one; not when the process is gone, which is another alert's business."""
    stopped = {
        f"{names.STARTED}{{{OPERATION}}}": "0+1x60 60x180",
        **outcomes(ok="0+1x60 60x180"),
    }
    gone = {name: f"{values.partition('x')[0]}x60" for name, values in (WELL | stopped).items()}
    alerts = [
        silent("DiscreetCallsAbsent", 89),
        ringing("DiscreetCallsAbsent", 100, "1", service_name="answers"),
    ]

    assert complain(tmp_path, stopped, alerts) == ""
    assert complain(tmp_path, gone, [silent("DiscreetCallsAbsent", minute) for minute in (100, 120, 240)]) == ""


def test_a_service_that_observes_no_calls_gives_no_alert_of_absent_ones(tmp_path: Path) -> None:
    """It is up and has never begun a call, as one that only logs."""
    only_logs = {name: values for name, values in WELL.items() if "calls" not in name}
    one = {
        "interval": "1m",
        "input_series": series(only_logs),
        "alert_rule_test": [silent("DiscreetCallsAbsent", minute) for minute in (35, 240)],
    }

    assert complaints(tmp_path, [FILE], [one]) == ""


def test_grafana_has_the_same_rules() -> None:
    """The same queries, thresholds, times and words as Prometheus."""
    of_grafana = grafana_rules("overview", PANELS)["groups"][0]["rules"]
    of_prometheus = prometheus_rules()["groups"][0]["rules"]

    def threshold(one: dict[str, Any]) -> float:
        return one["data"][1]["model"]["conditions"][0]["evaluator"]["params"][0]

    def words(texts: dict[str, str]) -> dict[str, str]:
        return {name: text.replace("$values.A.Value", "$value") for name, text in texts.items()}

    assert [
        {
            "alert": one["title"],
            "expr": f"({one['data'][0]['model']['expr']}) > {threshold(one):g}",
            "for": one["for"],
            "labels": one["labels"],
            "annotations": words(one["annotations"]),
        }
        for one in of_grafana
    ] == of_prometheus
    assert len({one["uid"] for one in of_grafana}) == 5
    assert max(len(one["uid"]) for one in of_grafana) <= 40


def test_rules_of_grafana_name_sources_that_are_provisioned() -> None:
    """By the id that the file of sources gives them."""
    file = ROOT / "dashboards" / "grafana" / "provisioning" / "datasources" / "discreet.yaml"
    known = {one["uid"] for one in yaml.safe_load(file.read_text(encoding="utf-8"))["datasources"]}
    used = {
        part["datasourceUid"] for one in grafana_rules("overview", PANELS)["groups"][0]["rules"] for part in one["data"]
    }

    assert used - {"__expr__"} <= known
