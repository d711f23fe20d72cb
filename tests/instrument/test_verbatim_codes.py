"""Each error and warning of verbatim's contract has a test that brings it about: the contract says which there are."""

from __future__ import annotations

import pytest

from discreet.contract.source import load_shipped
from tests.instrument import (
    test_verbatim_errors,
    test_verbatim_next,
    test_verbatim_raised,
    test_verbatim_warnings,
)

pytestmark = pytest.mark.integration

CLASSES = {"input": "InvalidInputError", "configuration": "ConfigurationError", "upstream": "UpstreamError"}
NOT_IN_0_2_8 = {
    # Its templates by question make their embedder themselves, so only the package can be missing.
    "ConfigurationError/missing_embedder",
    # It has no classes, whose codes these are.
    "VerbatimError/verbatim_error",
    "InvalidInputError/invalid_input",
    "ConfigurationError/configuration_error",
    "UpstreamError/upstream_error",
    # Of the event that ends a stream, which has tests of its own.
    "VerbatimError/internal_error",
}
NOT_WARNED_OF_IN_0_2_8 = {"span_text_not_found"}
"""It takes the spans of somebody's own extractor as they are."""


def declared() -> set[str]:
    rows = load_shipped("verbatim").error_codes
    return {f"{row.exception.rpartition('.')[2]}/{row.code}" for row in rows}


def test_each_error_of_the_contract_is_raised_by_the_release_that_raises_it() -> None:
    """With a row of its own; and none is raised that the contract doesn't have."""
    ways = ["/".join(row.way.split("/")[:2]) for row in test_verbatim_next.ERRORS]
    assert {*ways, test_verbatim_next.STREAM} == declared()


def test_each_error_of_the_contract_comes_about_in_the_release_that_swallows_it() -> None:
    """Besides those that it can't have."""
    rows = [
        *test_verbatim_errors.SERVICE,
        *(row for _, row, _ in test_verbatim_errors.NO_SERVICE),
        *test_verbatim_raised.ROWS,
    ]
    found = {f"{CLASSES[row.error_class]}/{row.code}" for row in rows}
    assert found == declared() - NOT_IN_0_2_8
    assert declared() >= NOT_IN_0_2_8


def test_each_warning_of_the_contract_is_given() -> None:
    """By both releases."""
    codes = {row.code for row in load_shipped("verbatim").warning_codes}
    assert {row.code for row in test_verbatim_next.WARNINGS} == codes
    assert {row.code for row in test_verbatim_warnings.ROWS} == codes - NOT_WARNED_OF_IN_0_2_8
    assert codes >= NOT_WARNED_OF_IN_0_2_8
