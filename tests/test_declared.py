"""Values that a program declares public."""

from __future__ import annotations

import copy
import logging
import pickle

import pytest
import structlog

from discreet.declared import Public, public


@pytest.mark.parametrize(
    ("template", "value"),
    [("%s", "tables"), ("%r", "tables"), ("%d", 7), ("%x", 255), ("%.2f", 1.5), ("%5s|", None), ("%s", ["a"])],
)
def test_a_public_value_prints_as_the_value_itself(template: str, value: object) -> None:
    """In handlers that aren't guarded, and in f-strings."""
    record = logging.LogRecord("app", logging.INFO, "app.py", 1, template, (public(value),), None)

    assert record.getMessage() == template % (value,)
    assert f"{public(3.14159):.2f}" == "3.14"


def test_a_public_value_is_itself_in_json() -> None:
    """As structlog renders it where nothing guards its loggers."""
    render = structlog.processors.JSONRenderer(sort_keys=True)

    assert render(None, "info", {"shards": public(12), "table": public("a")}) == '{"shards": 12, "table": "a"}'


def test_a_value_is_wrapped_once_however_often_it_is_declared() -> None:
    """What is declared already is given back."""
    value = public("a")

    assert public(value) is value
    assert (type(value), value.value) == (Public, "a")


def test_a_public_value_can_be_copied_and_sent_to_another_process() -> None:
    """Queues pickle records."""
    value = public({"a": 1})

    copies = [copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]

    assert [(type(one), one.value) for one in copies] == [(Public, {"a": 1})] * 3


def test_a_public_value_stays_what_it_is() -> None:
    """No subclass that prints something else, no change after the check."""
    with pytest.raises(TypeError, match="no subclasses"):
        type("Mine", (Public,), {})
    for change in (lambda: setattr(public(1), "value", 2), lambda: delattr(public(1), "value")):
        with pytest.raises(AttributeError, match="can't be changed"):
            change()


@pytest.mark.parametrize("convert", [int, float, lambda it: "%x" % it])
def test_a_public_text_is_no_number(convert) -> None:
    """The same error as for the text itself."""
    with pytest.raises((TypeError, ValueError)):
        convert(public("a"))
