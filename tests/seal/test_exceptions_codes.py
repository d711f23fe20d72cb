from __future__ import annotations

import email.message
import enum
import gc
import weakref
from types import SimpleNamespace

import pytest

from discreet.contract import Registry, load_text
from discreet.export.ledger import LEDGER
from discreet.seal.exceptions import CodeFacts, code_of, describe, set_message_check

HERE = __name__
SENTENCE = "the lump under my arm has grown since Easter"


class BaseFailure(Exception):
    def __init__(self, message: str = SENTENCE, **attributes: object) -> None:
        super().__init__(message)
        self.__dict__.update(attributes)

    @property
    def seconds(self) -> float:
        return 2.5

    @property
    def failing(self) -> float:
        raise ZeroDivisionError(SENTENCE)


class InputFailure(BaseFailure):
    param = "chunks[3].id"


class UpstreamFailure(BaseFailure):
    __slots__ = ("status",)
    retries = 3


class Quota(UpstreamFailure):
    pass


class Outside(Exception):
    status_code = "200"


class Unlisted(InputFailure):
    pass


TEXT = f"""
[contract]
name = "clinic"
format = 1
summary = "Errors of a clinic."

[[exceptions]]
class = "{HERE}.BaseFailure"
error_class = "internal"
code = "clinic_error"
own_code = true
safe_message = true
attributes = {{ seconds = "duration_s", failing = "duration_s", status = "http_status" }}

[[exceptions]]
class = "{HERE}.InputFailure"
error_class = "input"
code = "invalid_input"
attributes = {{ param = "param" }}

[[exceptions]]
class = "{HERE}.UpstreamFailure"
error_class = "upstream"
code = "upstream_error"

[exceptions.attributes]
retries = "count"
retryable = "bool"
retry_after = {{ type = "duration_s", from = "header:Retry-After" }}
model = "model_id"

[[exceptions.when]]
attribute = "kind"
equals = "insufficient_quota"
code = "quota_exceeded"
error_class = "configuration"

[[exceptions.when]]
attribute = "kind"
equals = "burst"
code = "rate_limited"

[[exceptions.when]]
attribute = "answer.status"
equals = 403
code = "permission_denied"

[[error_codes]]
code = "timeout"
exception = "{HERE}.UpstreamFailure"
retryable = true
meaning = "No answer in time."

[[error_codes]]
code = "clinic_error"
exception = "{HERE}.BaseFailure"
meaning = "Without a code of its own."
"""


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry([load_text(TEXT, file="clinic.toml")])


def test_a_class_has_the_code_of_its_row_or_of_its_nearest_base(registry: Registry) -> None:
    """A subclass that the contract doesn't list has what its base has."""
    assert code_of(Unlisted(), registry) == CodeFacts(
        "invalid_input", "input", {"seconds": 2.5, "param": "chunks[3].id"}, undeclared=False
    )
    assert code_of(Outside(), registry) == CodeFacts(None, None, {}, undeclared=False)


def test_a_declared_code_of_its_own_wins(registry: Registry) -> None:
    """Its row also says whether the call may be tried again; a member of an enum is its string."""

    class Code(enum.StrEnum):
        TIMEOUT = "timeout"

    for code in ("timeout", Code.TIMEOUT):
        assert code_of(UpstreamFailure(code=code, retryable=False, kind="burst"), registry) == CodeFacts(
            "timeout", "upstream", {"retries": 3, "retryable": True, "seconds": 2.5}, undeclared=False
        )


def test_a_code_that_is_declared_for_another_class_or_not_at_all_is_undeclared(registry: Registry) -> None:
    """It may be any text, so the text is not shown; what the class means is."""
    for code in ("timeout", SENTENCE, 404, SimpleNamespace()):
        assert code_of(InputFailure(code=code), registry) == CodeFacts(
            "undeclared", "input", {"seconds": 2.5, "param": "chunks[3].id"}, undeclared=True
        )
    assert code_of(InputFailure(code=None), registry).code == "invalid_input"


def test_a_condition_gives_another_code(registry: Registry) -> None:
    """The first that matches, and only exactly: a string or a number, also of what it holds."""

    class Sly(str):
        __slots__ = ()

    answers = [SimpleNamespace(status=status) for status in (403, 403.0, True, "403")]
    errors = [
        *(Quota(kind=kind) for kind in ("insufficient_quota", "burst", Sly("burst"), 3)),
        *(Quota(kind="other", answer=answer) for answer in answers),
    ]
    assert [code_of(error, registry)[:2] for error in errors] == [
        ("quota_exceeded", "configuration"),
        ("rate_limited", "upstream"),
        ("upstream_error", "upstream"),
        ("upstream_error", "upstream"),
        ("permission_denied", "upstream"),
        *[("upstream_error", "upstream")] * 3,
    ]


def test_attributes_come_out_in_their_types_and_others_not_at_all(registry: Registry) -> None:
    """From the instance, a slot or the class; a value that its type withholds is left out."""
    error = UpstreamFailure(retries=SENTENCE, retryable="no", model=SENTENCE, patient=SENTENCE)
    error.status = 503  # type: ignore[misc]
    assert code_of(error, registry).attributes == {"seconds": 2.5, "status": 503}


def test_a_property_that_fails_leaves_its_attribute_out_and_is_counted(registry: Registry) -> None:
    """The record lacks one value; the log call goes on."""
    LEDGER.clear()
    assert "failing" not in code_of(InputFailure(), registry).attributes
    assert LEDGER.failures == {("exception attribute", "ZeroDivisionError"): 1}


def test_a_property_is_not_called_for_a_class_of_another_package(registry: Registry) -> None:
    """It calls what it likes of the instance, and there a subclass may have overridden anything."""
    foreign = type("Foreign", (InputFailure,), {"__module__": "builtins"})
    overriding = type("Overriding", (InputFailure,), {"seconds": property(lambda self: pytest.fail("called"))})
    for cls in (foreign, overriding):
        assert code_of(cls(), registry).attributes == {"param": "chunks[3].id"}


class Headers:
    """Stores what it is given under the name that an HTTP client uses."""

    def __init__(self, **stored: object) -> None:
        self.__dict__.update(stored)

    def __getattr__(self, name: str) -> object:
        if name == "__name__":  # pytest asks for it, to name the test
            raise AttributeError
        pytest.fail(f"asked for {name}")


@pytest.mark.parametrize(
    "headers",
    [
        Headers(_list=[(b"Other", b"other", b"x"), (b"Retry-After", b"retry-after", b"7")]),
        Headers(_list=[(b"retry-after", b"7")]),
        Headers(_headers=[("Retry-After", "7")]),
        Headers(_store={"retry-after": ("Retry-After", "7")}),
        Headers(_container={"retry-after": ["Retry-After", "7"]}),
        {"Retry-After": "7"},
    ],
)
def test_a_header_is_read_out_of_the_response_s_storage(registry: Registry, headers: object) -> None:
    """httpx, starlette, urllib, requests, urllib3, and a plain dict; no method is called."""
    error = UpstreamFailure(response=SimpleNamespace(headers=headers))
    assert code_of(error, registry).attributes["retry_after"] == 7.0


@pytest.mark.parametrize(
    "response",
    [
        None,
        SENTENCE,
        SimpleNamespace(),
        SimpleNamespace(headers=None),
        SimpleNamespace(headers=[("retry-after", "7")]),
        SimpleNamespace(headers=Headers()),
        SimpleNamespace(headers=Headers(_list=SENTENCE)),
        SimpleNamespace(headers=Headers(_list=[("retry-after",), 3, SENTENCE, (3, 4)])),
        SimpleNamespace(headers=Headers(_store={3: (), "retry-after": ()})),
        SimpleNamespace(headers={"retry-after": SENTENCE}),
        SimpleNamespace(headers=email.message.Message()),
    ],
)
def test_a_header_that_is_not_there_or_no_number_is_left_out(registry: Registry, response: object) -> None:
    """Whatever stands in the place of a response."""
    assert "retry_after" not in code_of(UpstreamFailure(response=response), registry).attributes


def test_every_link_of_a_chain_has_its_code(registry: Registry) -> None:
    """The code of the record is the outermost one's, also when only an inner one is known."""
    outer = ValueError(SENTENCE)
    outer.__cause__ = UpstreamFailure(code="timeout")
    outer.__cause__.__cause__ = KeyError(SENTENCE)
    found = describe(outer, None, registry)
    assert (found.code, found.chain, found.codes) == (
        None,
        ("ValueError", f"{HERE}.UpstreamFailure", "KeyError"),
        (None, "timeout", None),
    )


def test_a_safe_message_is_shown_for_the_very_class_after_the_check(registry: Registry) -> None:
    """Not that of a subclass, not an argument that is no exact string, and never unchecked."""

    class Text(str):
        __slots__ = ()

    wanted = BaseFailure("chunks[3] has no id")
    assert describe(wanted, None, registry).message is None
    try:
        set_message_check(lambda text: "lump" not in text)
        assert [
            describe(error, None, registry).message
            for error in (
                wanted,
                BaseFailure(SENTENCE),
                BaseFailure("x" * 2_000),
                BaseFailure(Text("chunks")),
                BaseFailure(17),  # type: ignore[arg-type]
                BaseFailure.__new__(BaseFailure),
                Unlisted("chunks[3] has no id"),
                ValueError("chunks[3] has no id"),
            )
        ] == ["chunks[3] has no id", None, "x" * 1_000 + "...", *[None] * 5]
    finally:
        set_message_check(None)


def test_a_new_registry_is_asked_anew() -> None:
    """What is remembered of a class belongs to the contracts that were active."""
    other = TEXT.replace("invalid_input", "refused").replace("clinic_error", "general")
    found = [code_of(InputFailure(), Registry([load_text(text, file="clinic.toml")])).code for text in (TEXT, other)]
    assert (found, code_of(InputFailure(), Registry()).code) == (["invalid_input", "refused"], None)


def test_what_is_remembered_of_a_class_doesn_t_keep_it_alive(registry: Registry) -> None:
    """Nor that of an object which an exception held."""
    holder = type("Holder", (), {})
    passing = type("Passing", (UpstreamFailure,), {"__slots__": ("model",)})
    gone = [weakref.ref(cls) for cls in (holder, passing)]
    headers = holder()
    headers._list = [(b"retry-after", b"7")]
    error = passing(response=SimpleNamespace(headers=headers))
    error.model = "m-1"
    assert describe(error, None, registry).attributes["retry_after"] == 7
    del holder, passing, headers, error
    gc.collect()
    assert [reference() for reference in gone] == [None, None]
