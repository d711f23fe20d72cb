"""Loading a contract: what a good file gives, and what is said about a bad one."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import pytest

from discreet.contract import load, load_text
from discreet.contract.model import (
    ArgType,
    ErrorCode,
    Event,
    ExceptionCondition,
    ExceptionDeclaration,
    PatternRow,
    RecordRow,
    Retired,
    SafeAttribute,
    WarningCode,
)
from discreet.errors import ContractError
from discreet.seal.types import value_type
from tests.contract.small import small, toml

SHELF = value_type({"type": "enum", "values": ["letters", "ledgers"]})


def loaded(change: Any = None) -> Any:
    tables = small()
    if change is not None:
        change(tables)
    return load_text(toml(tables), "harbour.toml")


def test_a_file_becomes_frozen_records():
    """Every table of the format arrives, with names, types and texts between slots."""
    found = {field.name: getattr(loaded(), field.name) for field in dataclasses.fields(loaded())}
    assert found == {
        "name": "harbour",
        "summary": "Search in the papers of a harbour office.",
        "file": "harbour.toml",
        "format": 1,
        "covers": {"harbour-search": ">=1.0,<3"},
        "loggers": ("harbour", "tide.tables"),
        "content_loggers": ("harbour.content",),
        "wrappers": ("harbour.log.say",),
        "attributes": {"shelf": SHELF, "pages": value_type("count"), "took": value_type("duration_ms")},
        "events": (Event("shelf_opened", "INFO", "A shelf is open.", ("shelf", "pages"), "harbour"),),
        "warning_codes": (WarningCode("page_missing", "A page is not where it belongs.", "Shelf"),),
        "error_codes": (
            ErrorCode(
                "shelf_locked", "Someone has the key.", "harbour.ShelfError", retryable=True, error_class="upstream"
            ),
            ErrorCode("office_closed", "Nobody is there.", error_class="upstream"),
        ),
        "exceptions": (
            ExceptionDeclaration(
                class_name="harbour.ShelfError",
                error_class="upstream",
                code="shelf_failed",
                own_code=True,
                safe_message=">=1.5",
                attributes=(
                    SafeAttribute("wait", value_type("duration_s"), "retry-after", header=True),
                    SafeAttribute("status", value_type("http_status"), "reply.status"),
                    SafeAttribute("param", value_type("param"), "param"),
                ),
                conditions=(
                    ExceptionCondition("kind", "burnt", "shelf_lost", "internal"),
                    ExceptionCondition("reply.status", 423, "shelf_locked"),
                ),
                distribution="harbour-search",
            ),
        ),
        "records": (
            RecordRow(
                contract="harbour",
                key="Opened {} with {} pages in {{braces}}",
                literals=("Opened ", " with ", " pages in {braces}"),
                logger="harbour.shelf",
                event="shelf_opened",
                args=(ArgType(SHELF, "shelf"), ArgType(value_type("count"), "pages")),
                note="Said once for each shelf.",
            ),
            RecordRow(
                contract="harbour",
                key="Lost",
                literals=("Lost",),
                logger="harbour.shelf",
                levelno=40,
                error_code="shelf_lost",
                error_class="internal",
            ),
            RecordRow(
                contract="harbour",
                key="Lost",
                literals=("Lost",),
                logger="harbour.shelf",
                warning_code="page_missing",
            ),
            RecordRow(
                contract="harbour",
                key="No page: {}",
                literals=("No page: ", ""),
                module="harbour.old",
                source="print",
                warning_code="page_missing",
                error_code_from="handled",
                args=(ArgType(),),
            ),
        ),
        "patterns": (
            PatternRow(
                contract="harbour",
                logger="tide.tables",
                regex=re.compile("(?P<step>rose|fell) by (?P<size>[0-9]+).*"),
                message="{step} by {size} {{cm}}",
                groups={
                    "step": ArgType(value_type({"type": "enum", "values": ["rose", "fell"]})),
                    "size": ArgType(value_type("count"), "pages"),
                },
                event="shelf_opened",
            ),
        ),
        "retired": (Retired("event", "shelf_closed", "0.9"),),
    }


def test_only_the_head_is_needed():
    """A contract may declare nothing but itself."""
    found = load_text('[contract]\nname = "quay"\nformat = 1\nsummary = "Nothing yet."\n')
    assert (found.name, found.file, found.loggers, found.records) == ("quay", "<text>", (), ())


def test_a_file_is_read_from_its_path(tmp_path):
    """A path gives the same contract as its text, and the path is how messages name it."""
    path = tmp_path / "harbour.toml"
    path.write_text(toml(small()), encoding="utf-8")
    assert load(path) == loaded()
    assert load(path).file == str(path)


def put(*path: Any) -> Any:
    """Return a change that puts the last item at the place that the others lead to."""

    def change(tables: Any) -> None:
        for step in path[:-2]:
            tables = tables[step]
        tables[path[-2]] = path[-1]

    return change


def add(*path: Any) -> Any:
    """Return a change that appends the last item to the list at a place."""

    def change(tables: Any) -> None:
        for step in path[:-1]:
            tables = tables[step]
        tables.append(path[-1])

    return change


BAD: list[tuple[Any, str, str]] = [
    (put("record", []), "record: this key is unknown", "Did you mean `records`?"),
    (put("contract", "nmae", "x"), "contract.nmae: this key is unknown", "Did you mean `name`?"),
    (put("contract", "name", "Harbour"), "contract.name: 'Harbour' can't stand here", "Use small letters"),
    (put("contract", "name", 7), "contract.name: this is a value of type int, not a text", "Use small letters"),
    (put("contract", "format", 2), "contract.format: this release reads one format only", "Write format = 1."),
    (put("contract", "format", True), "contract.format: this release reads one format only", "Write format = 1."),
    (
        put("contract", "covers", "harbour-search", "1.0 or so"),
        "contract.covers.harbour-search: '1.0 or so'",
        ">=0.2.8",
    ),
    (put("loggers", "names", "harbour"), "loggers.names: this is 'harbour', not a list", "Write a list"),
    (put("loggers", "names", ["harbour", "harbour"]), "loggers.names[1]: 'harbour' stands here twice", "Take one out."),
    (put("loggers", "content", ["quay.content"]), "loggers.content[0]: this logger isn't", "Add it to loggers.names."),
    (put("loggers", "content", ["root"]), "loggers.content[0]: the root logger is everybody's", "contract's own"),
    (put("attributes", "message", "count"), "attributes.message: every record has message itself", "another name"),
    (put("attributes", "place", "text"), "attributes.place: there is no such type", "Give a type's name"),
    (put("attributes", "place", {"type": "enum"}), "attributes.place: the type enum needs `values`", "Give a type"),
    (put("attributes", "place", {"type": "count", "max": 3}), "attributes.place: the type count has no", "Give a type"),
    (put("attributes", "place", {"type": "id", "pattern": "("}), "attributes.place: this is no regular", "Give a type"),
    (put("events", 0, "level", "LOUD"), "events[0].level: 'LOUD' can't stand here", "Write one of DEBUG"),
    (put("events", 0, "attributes", ["colour"]), "events[0].attributes[0]: this attribute", "[attributes]"),
    (put("events", 0, "name", "undeclared"), "events[0].name: 'undeclared' can't stand", "`undeclared` is taken"),
    (put("events", 0, "means", "x"), "events[0].means: this key is unknown", "Did you mean `meaning`?"),
    (add("events", small()["events"][0]), "events[1].name: events[0] says this already", "Take one of the two out."),
    (put("events", {}), "events: this is a value of type dict, not a list", "Write a list"),
    (put("events", ["shelf_opened"]), "events[0]: this is 'shelf_opened', not a table", "Write a table."),
    (put("error_codes", 0, "exception", "harbour.Other"), "error_codes[0].exception: this class", "[[exceptions]]"),
    (put("error_codes", 0, "retryable", "yes"), "error_codes[0].retryable: this is 'yes'", "Write true or false"),
    (put("exceptions", 0, "class", "harbour error"), "exceptions[0].class: 'harbour error'", "can be imported"),
    (put("exceptions", 0, "error_class", "them"), "exceptions[0].error_class: 'them' can't", "input, configuration"),
    (put("exceptions", 0, "class", "ValueError"), "exceptions[0].safe_message: every program raises", "of your own"),
    (put("exceptions", 0, "class", "builtins.Exception"), "exceptions[0].safe_message: every program", "of your own"),
    (put("exceptions", 0, "class", "json.JSONDecodeError"), "exceptions[0].safe_message: every program", "of your own"),
    (put("exceptions", 0, "safe_message", 3), "exceptions[0].safe_message: this is neither", ">=0.2.8"),
    (
        put("exceptions", 0, "attributes", "wait", {"from": "header:retry-after"}),
        "exceptions[0].attributes.wait",
        "type",
    ),
    (
        put("exceptions", 0, "attributes", "wait", {"type": "count", "from": "a b"}),
        "exceptions[0].attributes.wait.from: 'a b' can't stand here",
        "header:NAME",
    ),
    (put("exceptions", 0, "when", 0, "equals", 1.5), "exceptions[0].when[0].equals: this is a value", "an integer"),
    (put("records", 0, "args", ["count"]), "records[0].args: the template has 2 slots and this list 1", "one item"),
    (put("records", 0, "args", 1, "number"), "records[0].args[1]: there is no such type", "Give a type's name"),
    (put("records", 0, "args", 1, {"as": "tide"}), "records[0].args[1].as: this attribute isn't", "[attributes]"),
    (put("records", 0, "args", 1, {"type": "int", "as": "pages"}), "records[0].args[1]: pages has another type", "one"),
    (put("records", 0, "template", "Opened {shelf} with {}"), "records[0].template: there is a slot with", "Write {}"),
    (put("records", 0, "template", "Opened { with {}"), "records[0].template: there is a single {", "{{ or }}"),
    (put("records", 0, "module", "harbour.shelf"), "records[0]: it has to say where", "either logger or module"),
    (put("records", 0, "event", "shelf_sold"), "records[0].event: this event isn't declared", "[[events]]"),
    (put("records", 2, "warning_code", "no_ink"), "records[2].warning_code: this code isn't", "[[warning_codes]]"),
    (put("records", 1, "error_code", "no_ink"), "records[1].error_code: this code isn't declared", "[[error_codes]]"),
    (put("records", 0, "source", "print"), "records[0].logger: what is printed has no logger", "Write module"),
    (put("records", 3, "level", "INFO"), "records[3].level: what is printed has no level", "Leave the key out."),
    (put("records", 0, "error_code_from", "log"), "records[0].error_code_from: 'log' can't", "Write one of handled."),
    (add("records", small()["records"][2]), "records[4].template: records[2] says this already", "Take one"),
    (put("patterns", 0, "pattern", "(?P<step>"), "patterns[0].pattern: this is no regular expression", "re.compile()"),
    (
        put("patterns", 0, "groups", {"step": "int"}),
        "patterns[0].groups: the group size has no type",
        'Add it, with ""',
    ),
    (put("patterns", 0, "groups", "mood", "int"), "patterns[0].groups.mood: the pattern has no group", "Take it out."),
    (put("patterns", 0, "message", "{mood}"), "patterns[0].message: the pattern has no group mood", "Name one"),
    (put("patterns", 0, "message", "{}"), "patterns[0].message: there is a slot without a name", "Write {name}"),
    (put("retired", 0, "name", "shelf_opened"), "retired[0].name: this event is retired and in use", "another name"),
    (put("retired", 0, "kind", "colour"), "retired[0].kind: 'colour' can't stand here", "Write one of event"),
    (put("a key\n", 1), "'a key\\n': this key is unknown", "The keys here are contract"),
]


@pytest.mark.parametrize(("change", "cause", "remedy"), BAD, ids=[cause.partition(": ")[0] for _, cause, _ in BAD])
def test_what_is_wrong_is_named_with_its_place_and_a_remedy(change, cause, remedy):
    """One error class for all faults, and its text starts with file and key and ends with what to do."""
    with pytest.raises(ContractError) as caught:
        loaded(change)
    assert str(caught.value).startswith(f"harbour.toml: {cause}")
    assert remedy in (caught.value.remedy or "")
    assert (caught.value.file, caught.value.code) == ("harbour.toml", "invalid_contract")


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (b"name = ", "this is no TOML"),
        (b"a = 1" + b"0" * 5000, "this is no TOML"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "this is no TOML"),
        (b"a = 2026-02-31", "this is no TOML"),
        (b"a = '\xff'", "the file isn't UTF-8 at byte 5"),
        (b"#" * (2**20 + 1), "the file is larger than 1 MiB"),
    ],
)
def test_a_file_that_is_no_toml_is_refused(tmp_path, content, cause):
    """Whatever the parser raises, also RecursionError and ValueError, comes as a ContractError."""
    path = tmp_path / "odd.toml"
    path.write_bytes(content)
    with pytest.raises(ContractError, match=re.escape(f"{path}: {cause}")) as caught:
        load(path)
    assert caught.value.remedy


@pytest.mark.parametrize("name", ["", "missing.toml", "a\0b.toml", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path, monkeypatch, name):
    """No file, a directory, a name that no file can have."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ContractError, match="the file can't be read"):
        load(name)


def test_a_specifier_for_a_message_needs_a_distribution():
    """With two covered distributions, neither of them named like the package, the row has to say which is meant."""

    def change(tables: Any) -> None:
        tables["contract"]["covers"] = {"tide": ">=1", "quay": ">=1"}

    with pytest.raises(ContractError, match=r"exceptions\[0\]\.safe_message: it isn't known which distribution"):
        loaded(change)

    def say(tables: Any) -> None:
        change(tables)
        tables["exceptions"][0]["distribution"] = "tide"

    assert loaded(say).exceptions[0].distribution == "tide"
