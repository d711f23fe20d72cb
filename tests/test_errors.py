"""Our own errors: codes, fields, sentences, and that they survive a process border."""

from __future__ import annotations

import copy
import pickle

import pytest

from discreet.errors import (
    ConfigurationError,
    ContractError,
    DiscreetError,
    InvalidInputError,
    UpstreamError,
)

EVERY_FIELD_SET = [
    DiscreetError("the thing broke", code="thing_broke"),
    InvalidInputError("must not be empty", param="chunks[3].id", code="missing_field"),
    ConfigurationError(
        "is not a level",
        place="DISCREET_LEVEL",
        remedy="Use INFO.",
        code="invalid_value",
    ),
    ContractError(
        "is not a known type",
        file="mine.toml",
        key="records[3].args[1]",
        remedy="Use one of the listed types.",
        code="unknown_type",
    ),
    UpstreamError(
        "answered 503",
        service="llm",
        retryable=True,
        retry_after=2.5,
        code="server_error",
    ),
]


def _name(error: DiscreetError) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", EVERY_FIELD_SET, ids=_name)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickled_error_keeps_all_its_fields(error: DiscreetError, protocol: int) -> None:
    """An error that comes from a worker process is the same error."""
    twin = pickle.loads(pickle.dumps(error, protocol=protocol))

    assert type(twin) is type(error)
    assert twin.args == error.args
    assert vars(twin) == vars(error)
    assert str(twin) == str(error)


@pytest.mark.parametrize("error", EVERY_FIELD_SET, ids=_name)
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copied_error_keeps_all_its_fields(error: DiscreetError, duplicate: object) -> None:
    """Copies hold equal fields, and a change of the copy leaves the first alone."""
    assert callable(duplicate)
    twin = duplicate(error)
    assert (type(twin), twin.args, vars(twin)) == (type(error), error.args, vars(error))

    twin.code = "changed"

    assert error.code != "changed"


def test_notes_survive_pickling() -> None:
    """What `add_note` added is a field like the others."""
    error = InvalidInputError("must not be empty", param="question")
    error.add_note("seen in the second pass")

    assert pickle.loads(pickle.dumps(error)).__notes__ == ["seen in the second pass"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (DiscreetError("x"), "discreet_error"),
        (InvalidInputError("x", param="p"), "invalid_input"),
        (ConfigurationError("x"), "configuration_error"),
        (ContractError("x"), "invalid_contract"),
        (UpstreamError("x", service="llm"), "upstream_error"),
    ],
    ids=lambda value: value if isinstance(value, str) else _name(value),
)
def test_an_error_without_a_code_of_its_own_has_its_class_code(error: DiscreetError, code: str) -> None:
    """`default_code` stands in, and a given code wins over it."""
    assert error.code == code
    assert type(error).default_code == code


def test_a_library_can_adopt_the_tree_with_default_codes_of_its_own() -> None:
    """A subclass changes `default_code` and nothing else."""

    class IndexError_(ConfigurationError):
        default_code = "index_broken"

    assert IndexError_("can't be read", place="index").code == "index_broken"


def test_an_invalid_input_error_is_a_value_error() -> None:
    """Callers that catch ValueError catch it too."""
    with pytest.raises(ValueError, match=r"^top_k: must be positive$"):
        raise InvalidInputError("must be positive", param="top_k")


def test_every_error_is_a_discreet_error() -> None:
    """One `except` clause catches all of them, and the contract error by its parent."""
    assert [type(error).__mro__[1] for error in EVERY_FIELD_SET] == [
        Exception,
        DiscreetError,
        DiscreetError,
        ConfigurationError,
        DiscreetError,
    ]


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (DiscreetError("the thing broke"), "the thing broke"),
        (
            InvalidInputError("must not be empty", param="chunks[3].id"),
            "chunks[3].id: must not be empty",
        ),
        (ConfigurationError("no sink is set"), "no sink is set"),
        (ConfigurationError("is not a level", place="level"), "level: is not a level"),
        (
            ConfigurationError("is not a level", place="level", remedy="Use INFO."),
            "level: is not a level. Use INFO.",
        ),
        (
            ConfigurationError("no sink is set.", remedy="Give a path."),
            "no sink is set. Give a path.",
        ),
        (
            ContractError("unknown key", file="mine.toml", key="events[0].lvl", remedy="Drop it."),
            "mine.toml: events[0].lvl: unknown key. Drop it.",
        ),
        (ContractError("is not TOML", file="mine.toml"), "mine.toml: is not TOML"),
        (ContractError("unknown key", key="events[0]"), "events[0]: unknown key"),
        (UpstreamError("answered 503", service="llm"), "llm: answered 503"),
    ],
)
def test_a_message_says_place_cause_and_remedy(error: DiscreetError, sentence: str) -> None:
    """In that order, as one readable line; what is not known is left out."""
    assert str(error) == sentence


def test_the_fields_are_those_that_were_given() -> None:
    """The parts of the sentence can be read apart again."""
    assert [vars(error) for error in EVERY_FIELD_SET] == [
        {"message": "the thing broke", "code": "thing_broke"},
        {
            "message": "must not be empty",
            "code": "missing_field",
            "param": "chunks[3].id",
        },
        {
            "message": "is not a level",
            "code": "invalid_value",
            "place": "DISCREET_LEVEL",
            "remedy": "Use INFO.",
        },
        {
            "message": "is not a known type",
            "code": "unknown_type",
            "place": "mine.toml: records[3].args[1]",
            "file": "mine.toml",
            "key": "records[3].args[1]",
            "remedy": "Use one of the listed types.",
        },
        {
            "message": "answered 503",
            "code": "server_error",
            "service": "llm",
            "retryable": True,
            "retry_after": 2.5,
        },
    ]
