"""configure() called again, and what the closing of its handle leaves: nothing of the set-up before."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.util._once import Once

import discreet
from discreet import config
from discreet.choke import installed, is_strict
from discreet.content import open_content_loggers
from discreet.contract import activate, active
from discreet.export import global_spans
from discreet.export.ledger import LEDGER
from discreet.seal.types import forget_hosts, forget_routes, register_hosts, register_routes, value_type

CONTENT = "verbatim_core.content"
CONTRACT = """\
[contract]
name = "harbour"
format = 1
summary = "A harbour."
[loggers]
names = ["harbour"]
content = ["harbour.content"]
[[events]]
name = "boat_moored"
level = "INFO"
meaning = "A boat has its berth."
"""


@pytest.fixture(autouse=True)
def _nothing_set_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Start in a folder with one contract and without a global tracer provider; close what a test leaves."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(config, "_current", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", None)
    monkeypatch.setattr(trace, "_TRACER_PROVIDER_SET_ONCE", Once())
    monkeypatch.setattr(global_spans, "_switch", None)
    Path("harbour.toml").write_text(CONTRACT, encoding="utf-8")
    yield
    if config._current is not None:
        config._current.close()
    forget_routes()
    forget_hosts()


def state() -> dict[str, Any]:
    return {
        "contracts": [one.name for one in active().contracts],
        "attributes": dict(active().attributes),
        "route": value_type("route").safe("/boats/ida"),
        "hosts": [value_type("host").safe(f"{name}.harbour.example") for name in ("db", "mail")],
        "levels": [logging.getLogger(name).level for name in (None, CONTENT, "harbour.content")],
        "guarded": installed(),
    }


def test_what_the_first_call_added_is_gone_unless_it_is_given_again() -> None:
    """Contracts, attributes, routes and hosts; a set-up is what its own call says."""
    given: dict[str, Any] = {
        "contracts": ["harbour.toml"],
        "attributes": {"tenant": "id"},
        "routes": ["boats/<name>"],
        "hosts": ["db.harbour.example"],
        "json": None,
    }
    discreet.configure(json=None)
    plain = state()
    discreet.configure(**given)
    full = state()
    discreet.configure(json=None)
    assert state() == plain
    discreet.configure(**given)
    assert state() == full != plain
    discreet.configure(**given)
    assert state() == full


def test_what_others_made_active_stays() -> None:
    """Whether they did so before or after, and whether the set-up named the same."""
    register_routes(["/boats/{first}"])
    register_hosts(["DB.harbour.example"])
    activate(attributes={"tenant": "count", "team": "id"})
    discreet.configure(
        json=None,
        contracts=["harbour.toml"],
        attributes={"tenant": "id"},
        routes=["/boats/{first}", "/quays/{name}"],
        hosts=["db.harbour.example", "mail.harbour.example", "quay.example"],
    )
    assert active().attributes["tenant"] == value_type("id")
    assert value_type("host").safe("quay.example") == "quay.example"
    activate(["harbour.toml"], routes=["/quays/{name}"], hosts=["mail.harbour.example"])
    discreet.configure(json=None)
    assert "harbour" in state()["contracts"]
    assert dict(active().attributes) == {"tenant": value_type("count"), "team": value_type("id")}
    assert [value_type("route").safe(path) for path in ("/boats/ida", "/quays/east")] == [
        "/boats/{first}",
        "/quays/{name}",
    ]
    assert state()["hosts"] == ["db.harbour.example", "mail.harbour.example"]
    assert value_type("host").safe("quay.example") == "<host>"


@pytest.mark.parametrize("by_another", [False, True])
def test_a_contract_file_that_was_edited_replaces_what_it_said(by_another: bool) -> None:
    """It is the same contract, so it doesn't clash with itself, whoever named it first."""
    if by_another:
        activate(["harbour.toml"])
    else:
        discreet.configure(json=None, contracts=["harbour.toml"])
    Path("harbour.toml").write_text(CONTRACT.replace("boat_moored", "boat_left"), encoding="utf-8")
    discreet.configure(json=None, contracts=[Path("harbour.toml").absolute()])
    assert (active().is_event("boat_moored"), active().is_event("boat_left")) == (False, True)
    Path("harbour.toml").write_text(CONTRACT, encoding="utf-8")
    activate(["harbour.toml"])
    assert (active().is_event("boat_moored"), active().is_event("boat_left")) == (True, False)


def test_a_refused_call_puts_back_the_layers_too() -> None:
    """The next call replaces the set-up that is in force, not the refused one."""
    discreet.configure(json=None, attributes={"tenant": "id"}, routes=["/boats/{name}"], hosts=["db.harbour.example"])
    before = state()
    with pytest.raises(discreet.ConfigurationError):
        discreet.configure(json="no/such/folder", attributes={"team": "id"}, hosts=["mail.harbour.example"])
    assert state() == before
    discreet.configure(json=None)
    assert (dict(active().attributes), state()["route"], state()["hosts"]) == ({}, "/\u2026", ["<host>"] * 2)


def test_install_false_takes_out_the_guard_that_configure_installed() -> None:
    """One that the program installed itself stays."""
    discreet.configure(json=None)
    assert installed()
    discreet.configure(json=None, install=False)
    assert not installed()
    discreet.install()
    for install in (True, False):
        discreet.configure(json=None, install=install)
        assert installed()


def test_install_false_leaves_a_guard_that_was_installed_anew() -> None:
    """Between the two calls the program took ours out and installed its own."""
    discreet.configure(json=None)
    discreet.uninstall()
    discreet.install()
    discreet.configure(json=None, install=False)
    assert installed()


def test_strict_goes_with_the_call_that_asked_for_it() -> None:
    """One that the program asked for itself stays, and the guard does in any case."""
    discreet.configure(json=None, strict=True)
    assert is_strict()
    discreet.configure(json=None)
    assert (installed(), is_strict()) == (True, False)
    discreet.install(strict=True)
    for strict in (True, False):
        discreet.configure(json=None, strict=strict)
        assert is_strict()


def test_closing_puts_the_levels_back() -> None:
    """The root logger's and the content loggers', to what they were before the first of several calls."""
    logging.root.setLevel(33)
    logging.getLogger(CONTENT).setLevel(logging.NOTSET)
    before = state()["levels"]
    discreet.configure(json=None, contracts=["harbour.toml"], content_debug=[CONTENT, "harbour.content"])
    assert state()["levels"] == [logging.INFO, logging.DEBUG, logging.DEBUG]
    handle = discreet.configure(json=None, content_debug=[CONTENT])
    assert state()["levels"] == [logging.INFO, logging.DEBUG, logging.NOTSET]
    handle.close()
    assert (state()["levels"], open_content_loggers()) == (before, [])
    handle.close()
    assert state()["levels"] == before


def test_closing_opens_no_content_logger() -> None:
    """Also none that was open before, and a level that somebody else has set meanwhile stays."""
    logging.getLogger(CONTENT).setLevel(logging.DEBUG)
    with discreet.configure(json=None):
        logging.root.setLevel(7)
    assert open_content_loggers() == []
    assert logging.root.level == 7


def test_an_old_handle_does_not_touch_the_new_set_up() -> None:
    """Its sinks went with the second call, and its levels became the new one's."""
    stream = io.StringIO()
    first = discreet.configure(json=None)
    discreet.configure(json=stream, level="DEBUG")
    first.close()
    logging.getLogger("app").debug("Here")
    assert (logging.root.level, json.loads(stream.getvalue().splitlines()[-1])["message"]) == (logging.DEBUG, "Here")


def test_all_spans_false_leaves_the_tracer_provider_to_the_application() -> None:
    """Records with an event become spans all the same."""
    exporter = InMemorySpanExporter()
    handle = discreet.configure(json=None, spans=exporter, all_spans=False)
    assert isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)
    provider = TracerProvider()
    trace.set_tracer_provider(provider)
    trace.get_tracer("library").start_span("rank").end()
    assert handle.flush()
    assert trace.get_tracer_provider() is provider
    assert [span.name for span in exporter.get_finished_spans()] == ["contract_loaded"]


def test_an_application_that_sets_its_provider_first_keeps_it() -> None:
    """Whatever all_spans says."""
    provider, exporter = TracerProvider(), InMemorySpanExporter()
    trace.set_tracer_provider(provider)
    with discreet.configure(json=None, spans=exporter):
        trace.get_tracer("library").start_span("rank").end()
    assert trace.get_tracer_provider() is provider
    assert [span.name for span in exporter.get_finished_spans()] == ["contract_loaded"]


def test_spans_of_all_tracers_end_with_a_set_up_that_does_not_want_them() -> None:
    """The provider that an earlier call set stays, and leads nowhere."""
    first, second = InMemorySpanExporter(), InMemorySpanExporter()
    discreet.configure(json=None, spans=first)
    discreet.configure(json=None, spans=second, all_spans=False)
    trace.get_tracer("library").start_span("rank").end()
    assert config._current is not None
    assert config._current.flush()
    assert [[span.name for span in one.get_finished_spans()] for one in (first, second)] == [["contract_loaded"]] * 2


def test_no_record_is_lost_between_two_set_ups() -> None:
    """Other threads log meanwhile: each record is a line of either, or it is counted as missing."""
    stop = threading.Event()
    logged: list[int] = []

    def work() -> None:
        count = 0
        while not stop.is_set():
            logging.getLogger("harbour").warning("moored")
            count += 1
        logged.append(count)

    LEDGER.clear()
    discreet.configure(json="0.jsonl", level="WARNING")
    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for number in range(1, 9):
        handle = discreet.configure(json=f"{number}.jsonl", level="WARNING")
    stop.set()
    for thread in threads:
        thread.join()
    written = sum(Path(f"{number}.jsonl").read_text("utf-8").count("moored") for number in range(9))
    assert written + handle.ledger.sinks["json"].as_dict()["missing"] == sum(logged)
