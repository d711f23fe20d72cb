"""Where OTLP goes and how: arguments, and OpenTelemetry's own variables."""

from __future__ import annotations

import logging
import sys
import traceback
from typing import Any

import pytest

import discreet
from discreet.export.otlp.settings import LOGS, TRACES, Batching, Endpoint, batching, endpoint
from discreet.export.otlp.setup import endpoint_of, part
from tests.export.otlp.fault_server import FaultServer, fields

BASE = "OTEL_EXPORTER_OTLP_"


def _set(monkeypatch: pytest.MonkeyPatch, **variables: str) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)


def test_without_a_setting_it_is_the_collector_on_this_machine() -> None:
    """As the specification has it."""
    assert endpoint(LOGS) == Endpoint("http://localhost:4318/v1/logs", {}, "none", 10.0)
    assert endpoint(TRACES) == Endpoint("http://localhost:4318/v1/traces", {}, "none", 10.0)
    assert (batching(LOGS), batching(TRACES)) == (Batching(8192, 512, 1.0), Batching(8192, 512, 5.0))


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"ENDPOINT": "https://c.example/otlp/"}, Endpoint("https://c.example/otlp/v1/logs", {})),
        ({"LOGS_ENDPOINT": "http://c/insert", "ENDPOINT": "http://other"}, Endpoint("http://c/insert", {})),
        (
            {"HEADERS": "authorization=Bearer%20abc, x-scope = team%2Ca"},
            Endpoint("http://localhost:4318/v1/logs", {"authorization": "Bearer abc", "x-scope": "team,a"}),
        ),
        ({"COMPRESSION": "gzip"}, Endpoint("http://localhost:4318/v1/logs", {}, "gzip")),
        ({"LOGS_COMPRESSION": "none", "COMPRESSION": "gzip"}, Endpoint("http://localhost:4318/v1/logs", {})),
        ({"TIMEOUT": "2.5"}, Endpoint("http://localhost:4318/v1/logs", {}, timeout=2.5)),
        ({"TIMEOUT": "2500"}, Endpoint("http://localhost:4318/v1/logs", {}, timeout=2.5)),
        ({"PROTOCOL": "http/protobuf"}, Endpoint("http://localhost:4318/v1/logs", {})),
        ({"TRACES_PROTOCOL": "grpc"}, Endpoint("http://localhost:4318/v1/logs", {})),
        (
            {"CERTIFICATE": "ca.pem", "CLIENT_CERTIFICATE": "c.pem", "LOGS_CLIENT_KEY": "k.pem"},
            Endpoint("http://localhost:4318/v1/logs", {}, "none", 10.0, "ca.pem", "c.pem", "k.pem"),
        ),
    ],
)
def test_the_variables_of_opentelemetry_say_where_and_how(
    variables: dict[str, str], expected: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of the signal win over those for all."""
    _set(monkeypatch, **{f"{BASE}{name}": value for name, value in variables.items()})

    assert endpoint(LOGS) == expected


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PROTOCOL", "grpc"),
        ("LOGS_PROTOCOL", "http/json"),
        ("ENDPOINT", "collector:4317"),
        ("LOGS_ENDPOINT", "http://"),
        ("HEADERS", "no pair"),
        ("HEADERS", "a=b%0Ac"),
        ("COMPRESSION", "zstd"),
        ("TIMEOUT", "soon"),
        ("TIMEOUT", "0"),
    ],
)
def test_a_wrong_variable_is_named_and_its_text_is_not(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A header may be a key."""
    _set(monkeypatch, **{f"{BASE}{variable}": value})

    with pytest.raises(discreet.ConfigurationError) as caught:
        endpoint(LOGS)

    assert caught.value.place == f"{BASE}{variable}"
    assert caught.value.remedy
    assert value in ("0", "http://") or value not in str(caught.value)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("OTEL_METRICS_EXEMPLAR_FILTER", "OTEL_METRICS_EXEMPLAR_FILTER"),
        ("OTEL_SPAN_EVENT_COUNT_LIMIT", "spans"),
        ("OTEL_ATTRIBUTE_COUNT_LIMIT", "spans"),
    ],
)
def test_a_wrong_variable_of_the_sdk_is_refused_as_ours_are(
    variable: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The SDK would raise its text out of the set-up; one that is empty isn't set."""
    monkeypatch.setenv(variable, "Wagtailmere")
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.configure(otlp="http://127.0.0.1:9", json=None, shutdown_timeout=0)
    shown = "".join(traceback.format_exception(caught.value))
    assert (caught.value.place, "Wagtailmere" in shown) == (place, False)

    monkeypatch.setenv(variable, "")
    with discreet.configure(otlp="http://127.0.0.1:9", json=None, shutdown_timeout=0):
        pass


@pytest.mark.parametrize(
    "options",
    [
        {"url": "ftp://c"},
        {"headers": {"a b": "c"}},
        {"headers": [("a", "b")]},
        {"compression": "br"},
        {"timeout": 0},
        {"timeout": "10"},
        {"timeout": 101},
    ],
)
def test_a_wrong_argument_is_refused(options: dict[str, Any]) -> None:
    """With its name."""
    with pytest.raises(discreet.ConfigurationError) as caught:
        endpoint(LOGS, **options)

    assert caught.value.place == {"url": "endpoint"}.get(*options, next(iter(options)))


def test_batches_have_their_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is never larger than the queue."""
    _set(monkeypatch, OTEL_BLRP_MAX_QUEUE_SIZE="100", OTEL_BLRP_SCHEDULE_DELAY="250", OTEL_BSP_MAX_QUEUE_SIZE="2000")
    _set(monkeypatch, OTEL_BSP_MAX_EXPORT_BATCH_SIZE="4000")

    assert (batching(LOGS), batching(TRACES)) == (Batching(100, 100, 0.25), Batching(2000, 2000, 5.0))


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5", "٣"])
def test_a_wrong_number_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the variable's name."""
    _set(monkeypatch, OTEL_BLRP_MAX_QUEUE_SIZE=value)

    with pytest.raises(discreet.ConfigurationError, match="OTEL_BLRP_MAX_QUEUE_SIZE"):
        batching(LOGS)


def test_an_option_is_true_or_a_base_url() -> None:
    """Or nothing."""
    assert (endpoint_of(None), endpoint_of(False)) == (None, None)
    assert endpoint_of(True) == endpoint(TRACES)
    assert endpoint_of("http://c:4318", LOGS) == Endpoint("http://c:4318/v1/logs", {})


def test_a_missing_extra_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not that some module is missing."""
    monkeypatch.setitem(sys.modules, "tenacity", None)

    with pytest.raises(discreet.ConfigurationError, match=r'pip install "discreet\[otlp\]"') as caught:
        part("_http")

    assert caught.value.code == "missing_dependency"


@pytest.mark.integration
def test_headers_compression_and_resource_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The resource has the operator's attributes, as far as they are those of a resource."""
    _set(monkeypatch, OTEL_SERVICE_NAME="answers", OTEL_EXPORTER_OTLP_HEADERS="x-key=abc%20def")
    _set(monkeypatch, OTEL_RESOURCE_ATTRIBUTES="service.version=1.2,deployment.environment.name=test,owner=Ida%20Holm")
    with FaultServer() as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", compression="gzip")
        log = logging.getLogger("settings")
        log.addHandler(handler)
        log.warning("Said")
        assert handler.force_flush(20)
        handler.retire(5)

    assert len(server.logs) == 1
    assert {name: server.headers.get(name) for name in ("x-key", "Content-Encoding", "Content-Type")} == {
        "x-key": "abc def",
        "Content-Encoding": "gzip",
        "Content-Type": "application/x-protobuf",
    }
    assert server.headers["User-Agent"].startswith("discreet")
    assert fields(server.resources[0]) == {
        "service.name": "answers",
        "service.version": "1.2",
        "deployment.environment.name": "test",
    }


@pytest.mark.integration
def test_a_disabled_sdk_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records are counted as filtered: nobody wanted them sent."""
    _set(monkeypatch, OTEL_SDK_DISABLED="true")
    with FaultServer() as server:
        handler = discreet.OtelLogHandler(endpoint=f"{server.base}/v1/logs", name="disabled")
        log = logging.getLogger("settings")
        log.addHandler(handler)
        log.warning("Said")
        assert handler.force_flush(20)
        handler.retire(5)

    assert server.requests == 0
    assert handler.counts.as_dict()["filtered"] == handler.counts.as_dict()["total"] == 1
