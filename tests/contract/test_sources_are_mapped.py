"""Each logging call of the libraries is mapped or listed as meaning nothing, and no row is about a call that's gone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from logging import getLevelNamesMapping

import pytest
from packaging.specifiers import SpecifierSet

from discreet.contract.model import Contract, RecordRow
from discreet.contract.source import load_shipped
from tests.contract.library_sources import installed, verbatim_rag
from tests.contract.log_calls import LogCall, calls

pytestmark = pytest.mark.integration

CONTRACTS = ("verbatim", "groundkit")

# What these handle came of a file, a training step or an import, so its code would say something else than it says
# of a call to a service.
NOT_ABOUT_CALLS = (
    "groundkit.telemetry",
    "verbatim_core.cli",
    "verbatim_core.extractor_models",
    "verbatim_core.templates.manager",
    "verbatim_core.templates.random",
    "verbatim_rag.cli",
    "verbatim_rag.tools",
)


@pytest.fixture(scope="module", params=CONTRACTS)
def contract(request) -> Contract:
    return load_shipped(request.param)


def _calls(contract: Contract) -> Iterator[LogCall]:
    if contract.name == "verbatim":
        yield from calls(installed("verbatim_core"), "verbatim_core")
        yield from calls(verbatim_rag(), "verbatim_rag")
    else:
        yield from calls(installed(contract.name), contract.name)


def _row(contract: Contract, call: LogCall) -> RecordRow | None:
    """Return the row for a call, looked up as the registry does: by logger, then by module."""
    rows = {(row.source, row.logger, row.module, row.key): row for row in contract.records}
    by_logger = rows.get((call.source, call.logger, None, call.key or ""))
    return by_logger or rows.get((call.source, None, call.module, call.key or ""))


def test_the_installed_releases_are_those_the_contract_covers(contract):
    """The walk below says something about the covered releases only if one of them is installed."""
    covered = {name: spec for name, spec in contract.covers.items() if name != "verbatim-rag"}
    found = {name: version(name) in SpecifierSet(spec) for name, spec in covered.items()}
    assert found == dict.fromkeys(covered, True)


def test_every_logging_call_and_print_of_a_failure_has_a_row(contract):
    """A call of a covered release that no row names would be a record nobody has looked at."""
    looked_at = [call for call in _calls(contract) if call.source == "log" or call.tells_of_failure]
    missing = [str(call) for call in looked_at if _row(contract, call) is None]
    assert (len(looked_at) > 50, missing) == (True, [])


def test_no_row_is_about_a_call_that_the_covered_release_does_not_make(contract):
    """A template that was reworded leaves a row behind that maps nothing any more."""
    used = {id(_row(contract, call)) for call in _calls(contract)}
    stale = [f"{row.logger or row.module}: {row.key}" for row in contract.records if id(row) not in used]
    assert stale == []


def test_a_row_with_a_level_has_that_of_its_calls(contract):
    """A row that asks for another level than its call logs at would never be found."""
    wrong = [
        str(call)
        for call in _calls(contract)
        if (row := _row(contract, call)) is not None
        and row.levelno is not None
        and row.levelno != getLevelNamesMapping().get(call.level or "")
    ]
    assert wrong == []


def test_a_failure_that_is_logged_where_it_is_handled_takes_its_code_from_the_exception(contract):
    """These releases log a failure and go on, so the exception in hand is the only trace of what it was."""
    without = [
        str(call)
        for call in _calls(contract)
        if call.handled
        and (row := _row(contract, call)) is not None
        and row.error_code is None
        and row.error_code_from is None
        and not call.module.startswith(NOT_ABOUT_CALLS)
    ]
    assert without == []


def test_every_extra_of_a_logging_call_is_declared(contract):
    """An extra that the contract doesn't type stays out of the record."""
    undeclared = {extra for call in _calls(contract) for extra in call.extras} - set(contract.attributes)
    assert undeclared == set()
