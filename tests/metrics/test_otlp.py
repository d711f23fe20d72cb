"""Metrics over OTLP: from configure() to the end of each process."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.errors import ConfigurationError
from discreet.metrics.reading import temporalities
from tests.export.otlp.fault_server import BlackHole, FaultServer, fields, nobody, status
from tests.export.otlp.running import run

pytestmark = pytest.mark.integration

ON = {"OTEL_METRICS_EXPORTER": "otlp", "OTEL_SERVICE_NAME": "harbour"}
EVENTS = "discreet.events"


def groups(server: FaultServer) -> list[Any]:
    """What came in: for each collection its resource with its metrics."""
    return [group for request in server.metrics for group in request.resource_metrics]


def points(group: Any, name: str) -> dict[tuple[Any, ...], Any]:
    """The points of a metric that aren't 0, by the values of their attributes in the order of their names."""
    return {
        tuple(value for _, value in sorted(fields(point).items())): point.as_int
        for scope in group.scope_metrics
        for metric in scope.metrics
        if metric.name == name
        for point in metric.sum.data_points
        if point.as_int
    }


def last(server: FaultServer) -> dict[str, Any]:
    """The last collection of each process, by its instance id."""
    return {fields(group.resource)["service.instance.id"]: group for group in groups(server)}


def test_the_first_collection_is_sent_at_the_start_and_the_last_at_the_end(tmp_path: Path) -> None:
    """Between them a store sees every increase: all declared names are in the first, at 0."""
    program = """
    handle = set_up(level="INFO")
    with discreet.observe_call("boats.find"):
        log.warning("Lost", extra={"event": "fallback_used", "warning_code": "quote_not_found"})
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON)

    assert (ended.code, ended.stderr) == (0, "")
    first, *_, final = groups(server)
    assert points(first, EVENTS) == {}
    begun = {metric.name: len(metric.sum.data_points) for scope in first.scope_metrics for metric in scope.metrics}
    assert begun[EVENTS] > 80
    assert {key: value for key, value in fields(first.resource).items() if key != "service.instance.id"} == {
        "service.name": "harbour"
    }
    assert points(final, EVENTS) == {
        ("discreet", "contract_loaded", "INFO"): 1,
        ("verbatim", "fallback_used", "WARNING"): 1,
        ("verbatim", "quote_not_found"): 2,
        ("discreet", "call_finished", "INFO"): 1,
    }
    assert points(final, "discreet.calls") == {("boats.find", "degraded"): 1}
    # What became of the other sinks' records is known by then, but for the word that closes the set-up.
    assert points(final, "discreet.records")["otlp_logs", "observed"] == 3


def test_collections_come_in_the_interval_that_the_variable_says(tmp_path: Path) -> None:
    """Also where nothing happens."""
    program = """
    handle = set_up()
    while counts("otlp_metrics")["observed"] < 4:
        time.sleep(0.02)
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON, OTEL_METRIC_EXPORT_INTERVAL="50")
    assert (ended.code, ended.stderr) == (0, "")
    assert len(server.metrics) >= 4


@pytest.mark.parametrize("waits", ["for an answer", "for another attempt"])
def test_a_collection_takes_no_longer_than_the_variable_says(waits: str, tmp_path: Path) -> None:
    """Neither one request, which might take 100 seconds, nor the waits between the attempts, of a minute here."""
    program = """
    handle = set_up(shutdown_timeout=0)
    while not counts("otlp_metrics")["missing_by_reason"].keys() - {"pending"}:
        time.sleep(0.02)
    tell(missing=counts("otlp_metrics")["missing_by_reason"])
    os._exit(0)
    """
    times = {"OTEL_METRIC_EXPORT_TIMEOUT": "300", "OTEL_EXPORTER_OTLP_TIMEOUT": "100"}
    with BlackHole() if waits == "for an answer" else FaultServer([status(503, Retry_After="60")]) as server:
        ended = run(program, server.base, tmp_path, **ON, **times)
    assert ended.said == [{"missing": {"timeout" if waits == "for an answer" else "server_error": 1}}]


def test_processes_of_one_service_have_counts_and_an_id_of_their_own(tmp_path: Path) -> None:
    """A forked one begins at 0; all of them together have counted everything once."""
    program = """
    import multiprocessing

    def work(n):
        for _ in range(n):
            with discreet.observe_call("boats.find"):
                pass

    handle = set_up()
    work(2)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=work, args=(n,)) for n in (3, 4, 5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON)

    assert (ended.code, ended.stderr) == (0, "")
    found = last(server)
    assert Counter(points(group, "discreet.calls")["boats.find", "ok"] for group in found.values()) == {
        2: 1,
        3: 1,
        4: 1,
        5: 1,
    }
    for group in found.values():
        assert points(group, "discreet.calls.started") == {
            ("boats.find",): points(group, "discreet.calls")["boats.find", "ok"]
        }
        assert points(group, "discreet.calls.active") == {}


def test_a_child_of_a_bare_fork_reports_before_it_has_counted(tmp_path: Path) -> None:
    """So that a store sees its first count as an increase."""
    program = """
    handle = set_up()
    pid = os.fork()
    if pid == 0:
        while not counts("otlp_metrics")["observed"]:
            time.sleep(0.02)
        with discreet.observe_call("boats.find"):
            pass
        sys.exit(0)
    os.waitpid(pid, 0)
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON)
    assert (ended.code, ended.stderr) == (0, "")
    found = groups(server)
    ids = [fields(group.resource)["service.instance.id"] for group in found]
    of_child = [group for group, one in zip(found, ids, strict=True) if one != ids[0]]
    assert [points(group, "discreet.calls.started") for group in (of_child[0], of_child[-1])] == [
        {},
        {("boats.find",): 1},
    ]


def test_an_id_that_the_operator_has_given_is_kept_and_made_the_processs_own(tmp_path: Path) -> None:
    """Two workers in one container have the container's id."""
    program = """
    handle = set_up()
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
    say(1)
    sys.exit(0)
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON, OTEL_RESOURCE_ATTRIBUTES="service.instance.id=pier-4")
    assert (ended.code, ended.stderr) == (0, "")
    ids = list(last(server))
    assert len(ids) == 2
    assert all(one.startswith("pier-4-") for one in ids)


@pytest.mark.parametrize(
    "variables",
    [{"OTEL_METRICS_EXPORTER": "none"}, {"OTEL_SDK_DISABLED": "true"}, {"DISCREET_METRICS": "off"}],
    ids=["no exporter", "no SDK", "switched off"],
)
def test_metrics_can_be_left_out(variables: dict[str, str], tmp_path: Path) -> None:
    """By OpenTelemetry's variables and by ours."""
    with FaultServer() as server:
        ended = run("set_up()", server.base, tmp_path, **{**ON, **variables})
    assert (ended.code, ended.stderr, server.metrics) == (0, "", [])


def test_metrics_may_go_elsewhere_and_alone(tmp_path: Path) -> None:
    """By an address of their own."""
    program = """
    handle = discreet.configure(json=None, metrics=url)
    say(2)
    handle.flush()
    tell(sinks=sorted(handle.ledger.sinks))
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON)
    assert (ended.said, server.requests, bool(server.metrics)) == ([{"sinks": ["metrics", "otlp_metrics"]}], 0, True)


def test_a_handler_of_a_dictconfig_sends_its_last_counts_at_the_end(tmp_path: Path) -> None:
    """Although logging closes it before."""
    program = """
    import logging.config
    logging.config.dictConfig({
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"metrics": {"()": "discreet.OtelMetricHandler", "endpoint": url + "/v1/metrics"}},
        "root": {"level": "INFO", "handlers": ["metrics"]},
    })
    log.error("Lost", extra={"event": "fallback_used"})
    """
    with FaultServer() as server:
        ended = run(program, server.base, tmp_path, **ON)
    assert (ended.code, ended.stderr) == (0, "")
    assert points(groups(server)[-1], EVENTS) == {("verbatim", "fallback_used", "ERROR"): 1}


def test_without_a_collector_the_process_ends_and_says_what_is_missing(tmp_path: Path) -> None:
    """Nothing is raised, and log calls go on."""
    program = """
    handle = discreet.configure(json=None, metrics=url, shutdown_timeout=0.5)
    say(3)
    """
    ended = run(program, nobody(), tmp_path, **ON)
    assert ended.code == 0
    assert ended.stderr == "discreet: 2 of 2 records are missing in the sink otlp_metrics: connection_failed\n"


def test_a_collector_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    """By configure(), by calls and at the end: the program ends while the first request still waits."""
    program = """
    handle = discreet.configure(json=None, metrics=url, shutdown_timeout=0.2)
    with discreet.observe_call("boats.find"):
        pass
    """
    with BlackHole() as hole:
        ended = run(program, hole.base, tmp_path, **ON)
    assert ended.code == 0
    assert ended.stderr == "discreet: 2 of 2 records are missing in the sink otlp_metrics: shutdown\n"


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("OTEL_METRIC_EXPORT_INTERVAL", "soon"),
        ("OTEL_METRIC_EXPORT_TIMEOUT", "0"),
        ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "sometimes"),
        ("OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION", "none"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "collector:4318"),
    ],
)
def test_a_variable_that_is_wrong_is_named(variable: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is set up."""
    monkeypatch.setenv(variable, text)
    with pytest.raises(ConfigurationError) as caught:
        discreet.configure(json=None, metrics=True)
    assert caught.value.place == variable


def test_temporality_is_what_the_variable_prefers(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the specification has its three words."""
    found = {}
    for word in ("cumulative", "Delta", "lowmemory"):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", word)
        found[word] = sorted(kind.__name__ for kind, one in temporalities().items() if one.name == "DELTA")
    assert found == {
        "cumulative": [],
        "Delta": ["Counter", "Histogram", "ObservableCounter"],
        "lowmemory": ["Counter", "Histogram"],
    }
