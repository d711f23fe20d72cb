"""discreet keeps its own contract."""

from __future__ import annotations

import inspect

import pytest

from discreet import errors
from discreet.contract import Registry, load_shipped
from discreet.errors import DiscreetError

OWN = [cls for cls in vars(errors).values() if inspect.isclass(cls) and issubclass(cls, DiscreetError)]


@pytest.mark.parametrize("cls", OWN, ids=lambda cls: cls.__name__)
def test_each_of_our_errors_has_the_code_that_it_is_raised_with(cls):
    """The contract and the class agree, and the instance's own code counts if it is listed."""
    row = Registry((load_shipped("discreet"),)).exception(cls)
    assert (row.class_name, row.code, row.own_code) == (f"discreet.errors.{cls.__name__}", cls.default_code, True)
    assert cls.default_code in row.codes


def test_the_events_are_those_that_the_design_has():
    """A released name stays; this list only grows."""
    found = load_shipped("discreet")
    assert [(event.name, event.level) for event in found.events] == [
        ("contract_loaded", "INFO"),
        ("content_logging_enabled", "WARNING"),
        ("match_mode_enabled", "WARNING"),
        ("content_withheld", "INFO"),
        ("undeclared_name", "WARNING"),
        ("guard_failed", "ERROR"),
        ("text_unknown", "WARNING"),
        ("level_changed", "INFO"),
        ("records_left_out", "WARNING"),
        ("canary_sent", "WARNING"),
        ("output_line", "INFO"),
        ("uncaught_exception", "CRITICAL"),
        ("ignored_exception", "ERROR"),
        ("records_missing", "WARNING"),
        ("pipeline_closed", "INFO"),
        ("call_finished", "INFO"),
        ("fallback_used", "WARNING"),
        ("attempt_failed", "INFO"),
        ("contract_violated", "WARNING"),
    ]
    assert (found.loggers, found.content_loggers) == (("discreet", "stdout", "stderr"), ())
