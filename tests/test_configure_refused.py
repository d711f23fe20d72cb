"""configure(): the variables of the environment, and what is refused, at once and without a trace."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.util._once import Once

import discreet
from discreet import config
from discreet.choke import installed, is_strict
from discreet.contract import active
from discreet.doors import door_states
from discreet.environment import VARIABLES
from discreet.export import global_spans
from discreet.match_mode import match_prefixes
from discreet.seal.types import forget_hosts, forget_routes, value_type

pytestmark = pytest.mark.long

CONTENT = "verbatim_core.content"
CONTRACT = '[contract]\nname = "harbour"\nformat = 1\nsummary = "A harbour."\n[loggers]\nnames = ["harbour"]\n'
log = logging.getLogger(__name__)


@pytest.fixture(autouse=True)
def _nothing_set_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Start in a folder with one contract; close what a test leaves."""
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


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def everything() -> dict[str, Any]:
    """Return all that a call of configure() may change."""
    return {
        "level": logging.root.level,
        "handlers": list(logging.root.handlers),
        "content": logging.getLogger(CONTENT).level,
        "guarded": installed(),
        "all spans": global_spans._switch is not None and global_spans._switch.target is not None,
        "contracts": [contract.name for contract in active().contracts],
        "attributes": set(active().policy("anything").attributes),
        "route": value_type("route").safe("/boats/ida"),
        "host": value_type("host").safe("db.harbour.example"),
        "match": match_prefixes(),
        "files": sorted(path.name for path in Path().iterdir()),
        "shutdown": config._current and config._current._shutdown_timeout,
        "current": config._current,
    }


GOOD: dict[str, Any] = {
    "contracts": ["harbour.toml"],
    "attributes": {"tenant": "id"},
    "routes": ["/boats/{name}"],
    "hosts": ["db.harbour.example"],
    "match": ["harbour"],
    "json": "new.jsonl",
    "level": "DEBUG",
    "content_debug": [CONTENT],
}
WRONG: list[tuple[str, Any, str]] = [
    *(("level", value, "level") for value in ("LOUD", "", -1, True, 1.5, None)),
    *(("json", value, "json") for value in (7, b"x", "", "no/such/folder", ".")),
    *(("spans", value, "spans") for value in (7, "", "no/such/folder", object)),
    *(("attributes", value, "attributes") for value in (7, "tenant", [("tenant", "id")], {"a b": "id"})),
    ("attributes", {"tenant": "text"}, "attributes[tenant]"),
    *(("contracts", value, "contracts") for value in ("verbatim", 7, None)),
    ("contracts", ["nothing"], "nothing"),
    *(("content_debug", value, "content_debug") for value in (CONTENT, 7, None)),
    *(("content_debug", [value], "content_debug[0]") for value in ("verbatim_core", 7, [])),
    *(("install", value, "install") for value in ("yes", 1, None)),
    *(("strict", value, "strict") for value in ("yes", 1, None)),
    *(("streams", value, "streams") for value in ("yes", 1, None)),
    *(("all_spans", value, "all_spans") for value in ("yes", 0, None)),
    *(("otlp", value, "otlp") for value in (7, "", "collector:4318", "ftp://collector", "http://")),
    *(("shutdown_timeout", value, "shutdown_timeout") for value in ("5", -1, True, None, 601, float("nan"))),
    *(("service", value, "service") for value in (7, "", b"answers")),
    *(("routes", value, "routes") for value in ("/boats", 7, None)),
    ("routes", ["/good", "not good"], "routes[1]"),
    *(("hosts", value, "hosts") for value in ("db.harbour.example", 7, None)),
    *(
        ("hosts", ["db.good.example", value], "hosts[1]")
        for value in ("not good", "a.example:80", "https://a.example", 7)
    ),
    *(("match", value, "match") for value in ("deny", False, None)),
    *(("match", ["harbour", value], "match[1]") for value in ("", "root", "*", "a..b", "harbour*", 7)),
    *(("match", [value], "match[0]") for value in (CONTENT, f"{CONTENT}.more")),
]


@pytest.mark.parametrize(("name", "value", "place"), WRONG, ids=[f"{w[0]}-{w[1]!r:.30}" for w in WRONG])
def test_a_wrong_argument_is_refused_at_once_and_nothing_changes(name: str, value: Any, place: str) -> None:
    """Our own error has the place and a remedy; neither contracts nor handlers nor files were touched."""
    before = everything()
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.configure(**{**GOOD, name: value})
    assert (caught.value.place, bool(caught.value.remedy)) == (place, True)
    assert everything() == before


@pytest.mark.parametrize("part", ["strict", "streams"])
def test_parts_of_the_guard_need_the_guard(part: str) -> None:
    """Lines are records too, and without the guard other handlers would write them as they are."""
    before = everything()
    with pytest.raises(discreet.ConfigurationError, match=f"{part}: needs the guard"):
        discreet.configure(install=False, **{part: True})  # type: ignore[arg-type]  # a switch
    assert everything() == before


def test_a_refused_call_leaves_the_set_up_before_it_at_work() -> None:
    """Its sinks are open, its level holds."""
    stream = io.StringIO()
    first = discreet.configure(json=stream, level="WARNING")
    for wrong in ({"json": "no/such/folder"}, {"level": "LOUD"}, {"spans": 7, "json": None}):
        with pytest.raises(discreet.ConfigurationError):
            discreet.configure(**wrong)
    log.warning("Still here")
    assert [line["message"] for line in lines(stream)] == ["Still here"]
    assert (config._current, logging.root.level) == (first, logging.WARNING)


def test_an_argument_that_does_not_exist_is_pythons_error() -> None:
    """A misspelt one must not be lost."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'contract'"):
        discreet.configure(contract=["harbour.toml"])  # type: ignore[call-arg]


VARIABLE: dict[str, tuple[str, dict[str, Any]]] = {
    "contracts": (" harbour.toml , verbatim ", {"contracts": ["harbour.toml", "verbatim"]}),
    "level": ("debug", {"level": "DEBUG"}),
    "json": ("lines.jsonl", {"json": "lines.jsonl"}),
    "spans": ("spans.jsonl", {"spans": "spans.jsonl"}),
    "all_spans": ("no", {"all_spans": False}),
    # Nobody listens at this port.
    "otlp": (" http://127.0.0.1:9 ", {"otlp": "http://127.0.0.1:9"}),
    "metrics": (" http://127.0.0.1:9 ", {"metrics": "http://127.0.0.1:9"}),
    "shutdown_timeout": ("2.5", {"shutdown_timeout": 2.5}),
    "attributes": ("tenant=id, shard = int", {"attributes": {"tenant": "id", "shard": "int"}}),
    "content_debug": (CONTENT, {"content_debug": [CONTENT]}),
    "report_every": ("600", {"report_every": 600}),
    "rate_limit": (" 5/min ", {"rate_limit": "5/min"}),
    "install": ("off", {"install": False}),
    "strict": ("true", {"strict": True}),
    "streams": ("on", {"streams": True}),
    "service": (" answers ", {"service": "answers"}),
    "routes": ("/boats/{name}, /quays", {"routes": ["/boats/{name}", "/quays"]}),
    "hosts": ("a.example, *.Harbour.example", {"hosts": ["a.example", "*.harbour.example"]}),
    "match": (" harbour , quays.north ", {"match": ["quays.north", "harbour"]}),
}


SENDING = {"otlp", "metrics"}


def set_up(**options: Any) -> dict[str, Any]:
    """Return all that a call set up; what differs from call to call, as how it looks."""
    handle = discreet.configure(**options)
    try:
        log.info("Asked %s", "whom?")
        handle.flush()
        found = everything()
        found["doors"] = door_states() | {"strict": is_strict()}
    finally:
        handle.close()
    texts = {path.name: path.read_text(encoding="utf-8") for path in Path().glob("*.jsonl")}
    written = {name: [json.loads(line) for line in text.splitlines()] for name, text in texts.items()}
    for path in Path().glob("*.jsonl"):
        path.unlink()
    discreet.uninstall()
    discreet.contract.reset()
    forget_routes()
    forget_hosts()
    del found["current"]
    found["filters"] = [type(one) for handler in found["handlers"] for one in handler.filters]
    found["handlers"] = [type(handler) for handler in found["handlers"]]
    shown = ("name", "level", "message", "event", "service", "content")
    found["written"] = {
        name: [{key: line.get(key) for key in shown} for line in lines] for name, lines in written.items()
    }
    return found


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.integration] if name in SENDING else []) for name in sorted(VARIABLES)],
)
def test_each_variable_does_what_its_argument_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the argument wins over it."""
    text, options = VARIABLE[name]
    beside: dict[str, Any] = {} if name == "json" else {"json": "lines.jsonl"}
    beside |= {"spans": "spans.jsonl"} if name == "all_spans" else {}
    beside |= {"shutdown_timeout": 0} if name in SENDING else {}
    by_default = set_up(**beside)
    by_argument = set_up(**beside, **options)
    monkeypatch.setenv(f"DISCREET_{name.upper()}", text)
    assert set_up(**beside) == by_argument
    assert by_argument != by_default
    back = {
        "level": "INFO",
        "report_every": 0,
        "rate_limit": None,
        "json": "-",
        "otlp": False,
        "metrics": None,
        "shutdown_timeout": 5,
        "all_spans": True,
        "install": True,
        "strict": False,
        "streams": False,
        "service": None,
        "spans": None,
        "attributes": None,
    }
    assert set_up(**beside, **{name: back.get(name, ())}) == by_default


def test_every_argument_has_a_variable() -> None:
    """Whoever deploys a service can set each."""
    assert set(VARIABLES) == set(discreet.configure.__kwdefaults__) == set(VARIABLE)


@pytest.mark.parametrize("name", sorted(VARIABLES))
def test_an_empty_variable_is_one_that_is_not_set(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compose files and charts set what they have no value for."""
    expected = set_up()
    monkeypatch.setenv(f"DISCREET_{name.upper()}", " ")
    assert set_up() == expected


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("none", {"json": None}),
        ("None", {"json": None}),
        ("-", {"json": "-"}),
    ],
)
def test_the_variable_for_json_can_say_nowhere(text: str, options: dict[str, Any], monkeypatch: Any) -> None:
    """An empty one means what is usual."""
    expected = set_up(**options)
    monkeypatch.setenv("DISCREET_JSON", text)
    assert set_up() == expected


def test_the_variable_for_attributes_takes_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """For types with options."""
    monkeypatch.setenv("DISCREET_ATTRIBUTES", '{"plan": {"type": "enum", "values": ["free", "paid"]}}')
    stream = io.StringIO()
    discreet.configure(json=stream)
    log.info("Bought", extra={"plan": "paid"})
    assert lines(stream)[-1]["plan"] == "paid"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("level", "LOUD"),
        ("json", "no/such/folder"),
        ("spans", "no/such/folder"),
        ("attributes", "tenant"),
        ("attributes", '{"tenant":'),
        ("attributes", "[1]"),
        ("attributes", "tenant=text"),
        ("contracts", "nothing"),
        ("content_debug", "verbatim_core"),
        ("install", "maybe"),
        ("all_spans", "maybe"),
        ("otlp", "maybe"),
        ("otlp", "ftp://collector"),
        ("shutdown_timeout", "soon"),
        ("routes", "not good"),
    ],
)
def test_a_wrong_variable_is_refused_with_its_name(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever reads the error has set the variable and never seen the argument."""
    before = everything()
    monkeypatch.setenv(f"DISCREET_{name.upper()}", text)
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.configure(**({} if name == "json" else {"json": None}))
    assert f"DISCREET_{name.upper()}" in str(caught.value)
    assert caught.value.remedy
    assert everything() == before


@pytest.mark.parametrize("name", ["otlp", "metrics"])
def test_a_url_without_its_scheme_is_told_what_is_missing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a collector's own configuration writes its address."""
    monkeypatch.setenv(f"DISCREET_{name.upper()}", "collector:4318")
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.configure(json=None)
    assert str(caught.value) == (
        f"DISCREET_{name.upper()}: is neither true or false nor the base URL of a collector. "
        "Write a URL with http:// or https:// in front, or unset it for the default."
    )
