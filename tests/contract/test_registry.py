"""Look-ups over all active contracts."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from discreet.contract import LoggerPolicy, Registry, load_text
from discreet.contract.template import split_template
from discreet.errors import ContractError
from discreet.seal.percent import slot_key
from discreet.seal.types import value_type
from tests.contract.small import other, small, toml


class Impostor(str):
    """A text that claims to be every other one."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    def __hash__(self) -> int:
        raise AssertionError("hashed")


STRANGE: list[Any] = [None, 7, b"harbour", ["harbour"], Impostor("harbour"), object()]


@pytest.fixture
def registry() -> Registry:
    quay = other(
        "quay",
        loggers={"names": ["harbour.quay"]},
        attributes={"berth": "count"},
        error_codes=[{"code": "office_closed", "error_class": "input", "meaning": "Out of hours."}],
    )
    harbour = load_text(toml(small()), "harbour.toml")
    return Registry((harbour, load_text(quay, "quay.toml")), {"tenant": value_type("id"), "took": value_type("count")})


def test_a_logger_belongs_to_the_contract_with_the_longest_name(registry):
    """A contract owns a logger and its dotted children, up to where another contract's begins."""
    owners = {
        name: registry.policy(name).contract
        for name in ("harbour", "harbour.shelf.top", "harbour.quay", "harbour.quay.north", "harbourside", "root", "")
    }
    assert owners == {
        "harbour": "harbour",
        "harbour.shelf.top": "harbour",
        "harbour.quay": "quay",
        "harbour.quay.north": "quay",
        "harbourside": None,
        "root": None,
        "": None,
    }


def test_extra_may_carry_what_the_contract_and_the_application_declare(registry):
    """An attribute that both declare has the contract's type; a stranger's logger has the application's only."""
    shelf = value_type({"type": "enum", "values": ["letters", "ledgers"]})
    everywhere = {"tenant": value_type("id"), "took": value_type("count")}
    assert registry.policy("harbour.shelf").attributes == {
        **everywhere,
        "shelf": shelf,
        "pages": value_type("count"),
        "took": value_type("duration_ms"),
    }
    assert registry.policy("elsewhere") == LoggerPolicy(attributes=everywhere)


def test_a_content_logger_is_one_by_its_exact_name(registry):
    """Its children and parents are not."""
    names = ("harbour.content", "harbour.content.deep", "harbour", "harbour.contents")
    assert [registry.policy(name).content for name in names] == [True, False, False, False]


def test_a_content_logger_that_another_contract_owns_is_none():
    """A longer name of another contract takes the logger over, and with it the say in its content."""
    quay = load_text(other("quay", loggers={"names": ["harbour.content"]}), "quay.toml")
    registry = Registry((load_text(toml(small())), quay))
    assert registry.policy("harbour.content") == LoggerPolicy("quay")


@pytest.mark.parametrize("strange", STRANGE, ids=lambda value: type(value).__name__)
def test_what_is_no_text_is_unknown_and_not_touched(registry, strange):
    """A subclass of str could answer every comparison with yes, so it isn't asked."""
    assert registry.policy(strange) == registry.policy("elsewhere")
    assert not registry.is_event(strange)
    assert not registry.is_warning_code(strange)
    assert not registry.is_error_code(strange)
    assert registry.event(strange) is None
    assert registry.error_class(strange) is None
    assert registry.record(strange, strange, "Lost") is None
    assert registry.record("harbour.shelf", None, strange) is None
    assert registry.record("harbour.shelf", None, "Lost", strange).levelno is None
    assert registry.printed(strange, strange) is None
    assert registry.templates(strange) == ()
    assert registry.patterns(strange) == ()


def test_names_of_any_contract_are_known(registry):
    """Events, warning codes and error codes, the latter also where only a class or a condition has them."""
    assert registry.is_event("shelf_opened")
    assert not registry.is_event("page_missing")
    assert registry.is_warning_code("page_missing")
    codes = ["shelf_locked", "office_closed", "shelf_failed", "shelf_lost"]
    assert [registry.is_error_code(code) for code in [*codes, "page_missing"]] == [True, True, True, True, False]
    assert registry.event("shelf_opened").level == "INFO"
    assert registry.event("undeclared") is None


def test_a_code_has_an_error_class_if_all_its_rows_agree(registry):
    """`office_closed` is upstream's in one contract and the caller's in the other."""
    found = {code: registry.error_class(code) for code in ("shelf_locked", "shelf_failed", "shelf_lost")}
    assert found == {"shelf_locked": "upstream", "shelf_failed": "upstream", "shelf_lost": "internal"}
    assert registry.error_class("office_closed") is None
    assert registry.error_class("unheard_of") is None


def test_a_row_is_found_by_exact_logger_template_and_level(registry):
    """A row for one level is found at that level only, the one for all levels at any other."""
    at_error = registry.record("harbour.shelf", None, "Lost", logging.ERROR)
    at_info = registry.record("harbour.shelf", None, "Lost", logging.INFO)
    assert (at_error.error_code, at_info.warning_code) == ("shelf_lost", "page_missing")
    assert registry.record("harbour.shelf", None, "Lost").warning_code == "page_missing"
    assert registry.record("harbour", None, "Lost", logging.ERROR) is None
    assert registry.record("harbour.shelf.top", None, "Lost", logging.ERROR) is None


def test_a_row_for_a_module_is_found_on_any_logger():
    """A library that logs on the root logger is known by its module; a row for the logger goes first."""
    text = other(
        "quay",
        loggers={"names": ["quay"]},
        warning_codes=[{"code": "fog", "meaning": "Fog."}, {"code": "ice", "meaning": "Ice."}],
        records=[
            {"module": "quay.crane", "template": "Stopped", "warning_code": "fog"},
            {"logger": "quay", "template": "Stopped", "warning_code": "ice"},
        ],
    )
    registry = Registry((load_text(text),))
    assert registry.record("root", "quay.crane", "Stopped").warning_code == "fog"
    assert registry.record("quay", "quay.crane", "Stopped").warning_code == "ice"
    assert registry.record("quay", "quay.crane", "Started") is None


def test_what_is_printed_is_no_record(registry):
    """Rows for prints are found by module and template, and never for a log record."""
    assert registry.printed("harbour.old", "No page: {}").error_code_from == "handled"
    assert registry.record("root", "harbour.old", "No page: {}") is None
    assert registry.printed("harbour.new", "No page: {}") is None


def test_the_templates_of_a_logger_are_listed(registry):
    """Rows for records only, of exactly this logger."""
    assert [row.key for row in registry.templates("harbour.shelf")] == [
        "Opened {} with {} pages in {{braces}}",
        "Lost",
        "Lost",
    ]
    assert registry.templates("harbour") == ()


def test_patterns_count_for_children_too(registry):
    """A pattern belongs to a logger and all loggers below it."""
    assert [row.message for row in registry.patterns("tide.tables.north")] == ["{step} by {size} {{cm}}"]
    assert registry.patterns("tide") == ()
    assert Registry().patterns("tide.tables") == ()


def test_wrappers_and_logger_names_of_all_contracts_are_joined(registry):
    """Both are read by whoever proves a call site or a logger's name."""
    assert registry.wrappers == {"harbour.log.say"}
    assert registry.logger_prefixes == ("harbour", "harbour.quay", "tide.tables")


def test_names_of_made_up_loggers_are_not_kept(registry):
    """Logging keeps the names of its loggers; a name that only a record has may be anything."""
    logging.getLogger("harbour.kept")
    registry.policy("harbour.kept")
    registry.policy("harbour.what my neighbour owes")
    registry.patterns("tide.tables.what my neighbour owes")
    assert list(registry._policies) == ["harbour.kept"]
    assert list(registry._patterns) == []


@pytest.mark.parametrize(
    ("parts", "key", "cause"),
    [
        ({"loggers": {"names": ["harbour"]}}, "loggers.names[0]", "logger harbour is declared by the contract harbour"),
        (
            {"exceptions": [{"class": "harbour.ShelfError"}]},
            "exceptions[0].class",
            "exception class harbour.ShelfError is declared by the contract harbour",
        ),
        (
            {"records": [{"logger": "harbour.shelf", "template": "Lost"}]},
            "records[0].template",
            "template log harbour.shelf Lost",
        ),
        (
            {"records": [{"module": "harbour.old", "template": "No page: {}", "source": "print"}]},
            "records[0].template",
            "module template print harbour.old No page: {}",
        ),
    ],
)
def test_two_contracts_cannot_claim_the_same(parts, key, cause):
    """Loggers, classes and template rows are unique over all active contracts; codes are not."""
    harbour = load_text(toml(small()), "harbour.toml")
    with pytest.raises(ContractError, match=cause.replace("{}", r"\{\}")) as caught:
        Registry((harbour, load_text(other("quay", **parts), "quay.toml")))
    assert (caught.value.file, caught.value.key) == ("quay.toml", key)
    assert caught.value.remedy == "Take it out here or don't make harbour (harbour.toml) active."


def test_two_contracts_cannot_have_one_name():
    """Policies and rows say which contract they are of, so a name is one contract's."""
    with pytest.raises(ContractError) as caught:
        Registry((load_text(toml(small()), "one.toml"), load_text(other("harbour"), "two.toml")))
    assert str(caught.value) == (
        "two.toml: contract.name: the contract harbour of one.toml is active already. Take another name; "
        "or, if this is a newer text of it, install the package that brings it."
    )


@pytest.mark.parametrize("text", ["Lost", "{}", "Opened {} with {}", "{{}}", "{{{}}}", "a {{b}} {} c"])
def test_a_template_is_the_key_of_its_own_literals(text):
    """The call site's key and the contract's are the same text."""
    assert slot_key(split_template(text)) == text
