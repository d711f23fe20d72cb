from __future__ import annotations

from importlib.resources import files
from typing import get_args

import pytest

import pilotbook
from discreet.contract import Contract, active, coverage, load_text
from pilotbook import ConfigurationError, InternalError, InvalidInputError, PilotbookError, UpstreamError
from pilotbook.names import ErrorCode, Event, WarningCode


@pytest.fixture
def contract() -> Contract:
    return load_text((files(pilotbook) / "contract.toml").read_text(encoding="utf-8"), "contract.toml")


def test_discreet_finds_the_contract_of_the_installed_package(contract: Contract) -> None:
    """By the entry point; this release is one that it covers."""
    assert contract in active().contracts
    assert active().problems == ()
    assert [found.covered for found in coverage() if found.contract == "pilotbook"] == [True]


def test_the_contract_declares_the_names_that_the_code_uses(contract: Contract) -> None:
    """All of them and no other; a type checker holds the code to the same lists."""
    assert {event.name for event in contract.events} == set(get_args(Event))
    assert {warning.code for warning in contract.warning_codes} == set(get_args(WarningCode))
    assert {error.code for error in contract.error_codes} == set(get_args(ErrorCode))


@pytest.mark.parametrize("kind", [InvalidInputError, ConfigurationError, UpstreamError, InternalError])
def test_a_class_of_errors_is_the_one_that_the_contract_means(kind: type[PilotbookError]) -> None:
    """A class that was moved or renamed would have no code in any record."""
    row = active().exception(kind)

    assert row is not None
    assert (row.class_name, row.error_class, row.own_code, row.safe_message) == (
        f"{kind.__module__}.{kind.__name__}",
        kind.error_class,
        True,
        True,
    )


def test_no_released_name_is_gone(contract: Contract) -> None:
    """Dashboards ask for them. This list only grows; what is given up goes to `[[retired]]`."""
    retired = {(one.kind, one.name) for one in contract.retired}
    now = {
        *(("event", event.name) for event in contract.events),
        *(("warning_code", warning.code) for warning in contract.warning_codes),
        *(("error_code", error.code) for error in contract.error_codes),
    }

    assert RELEASED - now - retired == set()


RELEASED = {
    ("event", "fallback_used"),
    ("event", "notes_loaded"),
    ("warning_code", "note_skipped"),
    ("warning_code", "synonyms_unavailable"),
    ("error_code", "invalid_value"),
    ("error_code", "timeout"),
}
