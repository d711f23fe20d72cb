"""Every option of the parts of a logging configuration, as plain values in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.forking import ForkServer, environment
from tests.ways_in.customer import SENTENCES, found_in

CHILD = Path(__file__).parent / "loading.py"
CONTRACT = """\
[contract]
name = "harbour"
format = 1
summary = "A harbour."
[loggers]
names = ["harbour"]
content = ["harbour.content"]
[attributes]
berth = "int"
duration_ms = "duration_ms"
[[events]]
name = "boat_moored"
level = "INFO"
attributes = ["berth", "duration_ms"]
meaning = "A boat has its berth."
[[warning_codes]]
code = "tide_table_old"
meaning = "The tide table is of last year."
"""
DECLARED: dict[str, Any] = {"contracts": ["harbour.toml"], "attributes": {"tenant": "id"}}
# A handler that isn't ours; a row of its output can be told from a traceback.
PLAIN = {
    "()": "logging.Formatter",
    "fmt": "> %(event)s|%(warning_code)s|%(message)s",
    "defaults": {"event": "-", "warning_code": "-"},
}
GUARD = {"guard": {"()": "discreet.ContentGuard"}}


def config(**parts: Any) -> dict[str, Any]:
    """Return a configuration with one handler on root, which writes to standard output."""
    handler = parts.pop("handler")
    if "()" not in handler:
        handler = {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", **handler}
    return {"version": 1, "handlers": {"out": handler}, "root": {"level": "INFO", "handlers": ["out"]}, **parts}


class Loaded:
    """What loading a configuration and logging under it left behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stdout = (folder / "stdout").read_text(encoding="utf-8")
        self.stderr = (folder / "stderr").read_text(encoding="utf-8")
        self.refused: list[list[str]] = json.loads((folder / "refused.json").read_text(encoding="utf-8"))

    @property
    def rows(self) -> list[str]:
        """What the plain format made of each record."""
        return [line[2:] for line in self.stdout.splitlines() if line.startswith("> ")]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON without time and frames."""
        lines = [json.loads(line) for line in self.stdout.splitlines()]
        return [{key: line[key] for key in line if key not in ("timestamp", "exception_frames")} for line in lines]


DUMPS: dict[str, Callable[..., str]] = {"json": json.dumps, "yaml": yaml.safe_dump}
Load = Callable[..., Loaded]


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    """One process that forks all the others."""
    with ForkServer(CHILD, environment()) as found:
        yield found


@pytest.fixture
def load(server: ForkServer, tmp_path: Path) -> Load:
    """Return a function that loads a configuration in a fresh process and logs there."""

    def loaded(values: Mapping[str, Any] | str, suffix: str = "json") -> Loaded:
        (tmp_path / "harbour.toml").write_text(CONTRACT, encoding="utf-8")
        text = values if isinstance(values, str) else DUMPS[suffix](values)
        (tmp_path / f"logging.{suffix}").write_text(text, encoding="utf-8")
        job = {"folder": str(tmp_path), "file": f"logging.{suffix}", "text": SENTENCES[0], "timeout": 30}
        assert server.run(job) == 0
        return Loaded(tmp_path)

    return loaded


def texts(event: str, warning: str, none: str, text: str, other: str | None = None) -> list[str]:
    """Return the four rows of the plain format."""
    return [
        f"{event}|{none}|Moored {text}",
        f"{none}|{warning}|Tide table is old",
        f"{none}|{none}|No berth for {text}",
        f"{other or none}|{other or none}|Waved to {text}",
    ]


OPEN = texts("boat_moored", "tide_table_old", "None", SENTENCES[0])
SEALED = texts("boat_moored", "tide_table_old", "None", "<str 16-63>")
LINES: list[dict[str, Any]] = [
    {
        "level": "INFO",
        "logger": "harbour",
        "message": "Moored <str 16-63>",
        "event": "boat_moored",
        "berth": 12,
        "tenant": "8f14e45fceea167a",
        "duration_ms": 250.0,
        "withheld": 2,
    },
    {"level": "WARNING", "logger": "harbour", "message": "Tide table is old", "warning_code": "tide_table_old"},
    {
        "level": "ERROR",
        "logger": "harbour",
        "message": "No berth for <str 16-63>",
        "exception_type": "ValueError",
        "withheld": 1,
    },
    {
        "level": "INFO",
        "logger": "somewhere.else",
        "message": "Waved to <str 16-63>",
        "tenant": "8f14e45fceea167a",
        "withheld": 1,
    },
]


def test_event_filter_annotates_and_guards_nothing(load: Load) -> None:
    """With a contract and an application's attributes; the plain handler prints the texts as they are."""
    events = {"events": {"()": "discreet.EventFilter", **DECLARED}}
    found = load(config(filters=events, formatters={"p": PLAIN}, handler={"filters": ["events"], "formatter": "p"}))
    assert (found.refused, found.rows, found.stderr) == ([], OPEN, "")


def test_event_filter_with_a_name_leaves_other_loggers_alone(load: Load) -> None:
    """Their records pass, without the three attributes."""
    events = {"events": {"()": "discreet.EventFilter", "name": "harbour", **DECLARED}}
    found = load(config(filters=events, formatters={"p": PLAIN}, handler={"filters": ["events"], "formatter": "p"}))
    assert found.rows == texts("boat_moored", "tide_table_old", "None", SENTENCES[0], other="-")


@pytest.mark.parametrize("scope", [{}, {"scope": "process"}, {"scope": "process", "strict": False}])
def test_content_guard_guards_handlers_that_do_not_have_it(load: Load, scope: dict[str, Any]) -> None:
    """Its being in the file is enough; filters on handlers still see the originals."""
    filters = {"guard": {"()": "discreet.ContentGuard", **scope, **DECLARED}, "peek": {"()": "peeking.Peeking"}}
    found = load(config(filters=filters, formatters={"p": PLAIN}, handler={"filters": ["peek"], "formatter": "p"}))
    assert (found.refused, found.rows) == ([], SEALED)
    assert found_in(found.stdout) == []
    assert found.stderr.splitlines() == [f"('{SENTENCES[0]}',)", "()", f"('{SENTENCES[0]}',)", f"('{SENTENCES[0]}',)"]


def test_a_strict_guard_seals_before_the_filters(load: Load) -> None:
    """They see the arguments that may go out."""
    filters = {"guard": {"()": "discreet.ContentGuard", "strict": True, **DECLARED}, "peek": {"()": "peeking.Peeking"}}
    found = load(config(filters=filters, formatters={"p": PLAIN}, handler={"filters": ["peek"], "formatter": "p"}))
    assert (found.refused, found.rows) == ([], SEALED)
    assert found.stderr.splitlines() == ["(<str 16-63>,)", "()", "(<str 16-63>,)", "(<str 16-63>,)"]


def test_a_guard_of_one_handler_leaves_those_before_it_alone(load: Load) -> None:
    """The operator chose it; the handler that comes first prints the originals."""
    guard = {"guard": {"()": "discreet.ContentGuard", "scope": "handler", **DECLARED}}
    values = config(filters=guard, formatters={"p": PLAIN}, handler={"filters": ["guard"], "formatter": "p"})
    values["handlers"]["first"] = {"class": "logging.StreamHandler", "stream": "ext://sys.stderr"}
    values["root"]["handlers"] = ["first", "out"]
    found = load(values)
    assert (found.refused, found.rows) == ([], SEALED)
    assert found_in(found.stdout) == []
    assert SENTENCES[0] in found_in(found.stderr)


def renamed(names: Mapping[str, str], **added: Any) -> list[dict[str, Any]]:
    return [{**{names.get(key, key): value for key, value in line.items()}, **added} for line in LINES]


ECS = {
    "level": "log.level",
    "logger": "log.logger",
    "event": "event.action",
    "exception_type": "error.type",
}
OTEL = {
    "level": "severity_text",
    "logger": "scope.name",
    "message": "body",
    "event": "event_name",
    "exception_type": "exception.type",
}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, LINES),
        ({"service": "answers"}, renamed({}, service="answers")),
        ({"rename_fields": {"message": "text"}}, renamed({"message": "text"})),
        ({"static_fields": {"env": "test", "shard": 3, "new": None}}, renamed({}, env="test", shard=3, new=None)),
        ({"preset": "ecs"}, renamed(ECS)),
        ({"preset": "otel", "rename_fields": {"withheld": "left_out"}}, renamed({**OTEL, "withheld": "left_out"})),
        ({"max_bytes": 4096, "prefix": ""}, LINES),
    ],
)
def test_json_formatter_takes_its_options(load: Load, options: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    """On a handler of logging's own, without the guard: it seals by itself."""
    formatters = {"json": {"()": "discreet.JsonFormatter", **DECLARED, **options}}
    found = load(config(formatters=formatters, handler={"formatter": "json"}))
    times = {"@timestamp", "error.stack_trace", "exception.stacktrace"}
    assert found.refused == []
    assert [{key: line[key] for key in line.keys() - times} for line in found.lines] == expected
    assert found_in(found.stdout, found.stderr) == []


def test_a_prefix_stands_before_each_line(load: Load) -> None:
    """As in python-json-logger; what follows is a line as any other."""
    formatters = {"json": {"()": "discreet.JsonFormatter", **DECLARED, "prefix": "@cee: "}}
    found = load(config(formatters=formatters, handler={"formatter": "json"}))
    lines = found.stdout.splitlines()
    assert [line[:7] for line in lines] == ["@cee: {"] * 4
    assert [json.loads(line[6:])["message"] for line in lines] == [line["message"] for line in LINES]


def test_json_handler_takes_its_options(load: Load) -> None:
    """A file, a level, a name, the guard for the other handlers."""
    values = config(formatters={"p": PLAIN}, handler={"formatter": "p"})
    values["handlers"]["json"] = {
        "()": "discreet.JsonHandler",
        "filename": "lines.jsonl",
        "level": "WARNING",
        "name": "file",
        "guard": True,
        "service": "answers",
        "max_bytes": 2048,
        **DECLARED,
    }
    values["root"]["handlers"].append("json")
    found = load(values)
    lines = [json.loads(line) for line in (found.folder / "lines.jsonl").read_text(encoding="utf-8").splitlines()]
    assert (found.refused, found.rows) == ([], SEALED)
    assert [line["message"] for line in lines] == ["Tide table is old", "No berth for <str 16-63>"]
    assert {line["service"] for line in lines} == {"answers"}
    assert found_in(found.stdout, found.stderr) == []


def spans(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_span_handler_takes_its_options(load: Load) -> None:
    """The path of a file, a service, a level, all spans of the process."""
    options = {"exporter": "spans.jsonl", "service": "answers", "all_spans": True, "name": "spans", "level": "INFO"}
    found = load(config(handler={"()": "discreet.OtelSpanHandler", **options, **DECLARED}))
    (span,) = spans(found.folder / "spans.jsonl")
    assert (found.refused, found.stdout, found.stderr) == ([], "", "")
    assert span["name"] == "boat_moored"
    assert span["attributes"] == {
        "event": "boat_moored",
        "logger": "harbour",
        "level": "INFO",
        "berth": 12,
        "tenant": "8f14e45fceea167a",
        "duration_ms": 250.0,
    }
    assert found_in(json.dumps(span)) == []


def test_span_handler_takes_the_applications_tracer_provider(load: Load) -> None:
    """By the name of the object; the spans go where it sends them."""
    provider = "ext://tracing.provider"
    found = load(config(handler={"()": "discreet.OtelSpanHandler", "tracer_provider": provider, **DECLARED}))
    assert found.refused == []
    assert [span["name"] for span in spans(found.folder / "other.jsonl")] == ["boat_moored"]


def whole() -> dict[str, Any]:
    """Return a configuration that has every part of ours."""
    stream = {"class": "logging.StreamHandler", "stream": "ext://sys.stdout"}
    return {
        "version": 1,
        "filters": {**GUARD, "events": {"()": "discreet.EventFilter", **DECLARED}},
        "formatters": {
            "json": {"()": "discreet.JsonFormatter"},
            "console": {"()": "discreet.ConsoleFormatter", "color": False, "utc": True, "frames": 0, "datefmt": "-"},
        },
        "handlers": {
            "out": {**stream, "formatter": "json", "filters": ["events"]},
            "err": {**stream, "stream": "ext://sys.stderr", "formatter": "console"},
            "spans": {"()": "discreet.OtelSpanHandler", "exporter": "spans.jsonl"},
        },
        "root": {"level": "INFO", "handlers": ["out", "err", "spans"]},
    }


@pytest.mark.parametrize("suffix", ["json", "yaml"])
def test_a_file_with_every_part_loads_from_json_and_yaml(load: Load, suffix: str) -> None:
    """The parts agree on what they say."""
    found = load(whole(), suffix)
    assert (found.refused, found.lines) == ([], LINES)
    assert [line.split()[1:4] for line in found.stderr.splitlines()][:3] == [
        ["INFO", "harbour", "Moored"],
        ["WARNING", "harbour", "Tide"],
        ["ERROR", "harbour", "No"],
    ]
    assert [span["name"] for span in spans(found.folder / "spans.jsonl")] == ["boat_moored"]
    assert found_in(found.stdout, found.stderr, json.dumps(spans(found.folder / "spans.jsonl"))) == []


def test_a_content_logger_that_a_file_opens_is_told_at_its_first_record(load: Load) -> None:
    """No call of ours comes after such a file has set the levels."""
    values = config(formatters={"json": {"()": "discreet.JsonFormatter", **DECLARED}}, handler={"formatter": "json"})
    values["loggers"] = {"harbour.content": {"level": "DEBUG"}}
    # Without the guard a formatter doesn't know where its handler leads, and withholds.
    values.setdefault("filters", {})["guard"] = {"()": "discreet.ContentGuard"}
    found = load(values)
    told = [line for line in found.lines if line["logger"] != "somewhere.else"][3:]
    assert {line["message"] for line in told} == {
        f"Question: {SENTENCES[0]}",
        "Customer text may be logged: a content logger is set to DEBUG",
    }
    assert {line["logger"]: line.get("content") for line in told} == {"harbour.content": True, "discreet": None}


INI = """\
[loggers]
keys=root
[handlers]
keys=out,file,spans
[formatters]
keys=json
[logger_root]
level=INFO
handlers=out,file,spans
[formatter_json]
class=discreet.JsonFormatter
[handler_out]
class=StreamHandler
args=(sys.stdout,)
formatter=json
[handler_file]
class=discreet.JsonHandler
kwargs={'filename': 'lines.jsonl', 'guard': True, 'contracts': ['harbour.toml'], 'attributes': {'tenant': 'id'}}
[handler_spans]
class=discreet.OtelSpanHandler
kwargs={'exporter': 'spans.jsonl', 'service': 'answers'}
"""


def test_an_ini_file_names_handlers_and_formatters(load: Load) -> None:
    """fileConfig passes formatters a format, a date format and a style of its own, which are None and the default."""
    found = load(INI, "ini")
    assert (found.refused, found.lines, found.stderr) == ([], LINES, "")
    assert (found.folder / "lines.jsonl").read_text(encoding="utf-8") == found.stdout
    assert [span["name"] for span in spans(found.folder / "spans.jsonl")] == ["boat_moored"]
