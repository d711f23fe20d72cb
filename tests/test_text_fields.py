"""Objects that hold data as texts: their fields are read from where they are stored, and no code of theirs runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import InitVar, dataclass, field
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple, NoReturn
from uuid import UUID

import attrs
import pydantic
import pydantic.dataclasses
import pytest

import discreet
from discreet.errors import InvalidInputError
from discreet.scope import Scope, current, customer_text
from discreet.scoped import look
from discreet.text_fields import fields

pytestmark = pytest.mark.integration

ASKED = "Who mends the lantern on the east pier?"
WORD = "Sigrun Tjelle lights it on Fridays."


class Kind(Enum):
    PLAIN = "plain words of a program"


def fail(*_: object, **__: object) -> NoReturn:
    raise AssertionError("code of an object was run")


ARMED: list[bool] = []


def watched(self: Any, name: str) -> Any:
    return fail() if ARMED else object.__getattribute__(self, name)


class Watchful:
    """Fails where its code is run while it is read."""

    __slots__ = ()
    __getattr__ = __iter__ = __len__ = __hash__ = __bool__ = __str__ = __repr__ = fail
    __getattribute__ = watched


@contextmanager
def read(value: object) -> Iterator[Scope]:
    """Read a value as a text, while no code of it may run."""
    ARMED.append(True)
    try:
        with customer_text(it=value) as scope:
            yield scope
    finally:
        ARMED.clear()


@dataclass
class Data(Watchful):
    query: str
    more: Any = None
    top_k: int = 3
    named: ClassVar[str] = "no field"
    given: InitVar[object] = None


@dataclass(slots=True)
class Slots(Watchful):
    query: str
    more: object = None
    later: str = field(init=False)


@attrs.define(slots=True, eq=False, repr=False)
class Attrs(Watchful):
    query: str
    more: object = None


@attrs.define(slots=False, eq=False, repr=False)
class AttrsWithDict:
    query: str
    more: object = None


class Named(NamedTuple):
    query: str
    more: object = None
    top_k: int = 5


class Model(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow", arbitrary_types_allowed=True)
    query: str
    more: Any = None
    kind: Kind = Kind.PLAIN

    @property
    def computed(self) -> str:
        fail()

    __getattribute__ = watched


class Inherited(Model):
    top_k: int = 3


class Root(pydantic.RootModel[list[str]]):
    pass


@pydantic.dataclasses.dataclass
class Checked:
    query: str
    more: object = None


FORMS: list[Callable[..., Any]] = [Data, Slots, Attrs, AttrsWithDict, Named, Model, Inherited, Checked]


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_fields_are_texts(form: Callable[..., Any]) -> None:
    """Also of objects within others; numbers and what is not set count as nothing."""
    with read(form(ASKED) if form not in (Model, Inherited) else form(query=ASKED)) as scope:
        assert (scope.places, scope.find(ASKED) is not None) == (("it.query",), True)
    inner = Slots("") if form in (Model, Inherited) else form("")
    inner = form(query=WORD, more=[inner, None, 5])
    with read(form(query=ASKED, more={"question": inner})) as scope:
        assert scope.places == (
            "it.query",
            "it[1].question.query",
            "it[1].question[1][0].query",
        )
        assert [bool(scope.find(text)) for text in (ASKED, WORD)] == [True, True]


def test_what_a_model_has_no_field_for_is_a_text_too() -> None:
    """With its key, if no program would have that; models of one value are that value."""
    more: dict[str, Any] = {"note": [WORD], "Sigrun Tjelle's": 1}
    with read(Model(query="a", **more)) as scope:
        assert scope.places == ("it.query", "it[0][0]", "it[1]")
        assert scope.find(f"x {WORD}") is not None
    with read(Root([ASKED])) as scope:
        assert scope.places == ("it[0][0]",)


class Zone(tzinfo):
    utcoffset = tzname = dst = fail


def test_values_of_the_standard_library_are_texts_as_they_are_written() -> None:
    """Numbers, identifiers and members of enums say nothing that a customer wrote."""
    moment = datetime(2026, 3, 4, 5, 6, 7, tzinfo=Zone())
    value = {
        "a": [moment, date(2026, 3, 4), time(5, 6, tzinfo=UTC), PurePosixPath("east/pier")],
        "b": [Kind.PLAIN, Decimal("1.5"), timedelta(1), UUID(int=7)],
    }
    with read(Data("", value)) as scope:
        assert scope.places == ("it.query", *(f"it[1][0][{number}]" for number in range(4)))
        found = [scope.find(text) for text in ("2026-03-04 05:06:07", "east/pier")]
    assert None not in found


@dataclass(repr=False)
class Node:
    query: str
    nodes: list[Node] = field(default_factory=list)


def test_objects_that_hold_one_another_are_read_once() -> None:
    """However many ways lead to each."""
    nodes = [Node(f"{ASKED} {number}") for number in range(7)]
    for node in nodes:
        node.nodes += nodes
    with read(nodes[0]) as scope:
        assert len(scope.places) == 7


class Deferred:
    """A descriptor: what it gives is only known by asking it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        fail()


@pytest.mark.parametrize(
    ("make", "place"),
    [
        (lambda: Model(query=ASKED, more=object()), "it[1]"),
        (lambda: Data(ASKED, [iter([WORD])]), "it[1][0]"),
        (lambda: Named(ASKED, Data), "it[1]"),
    ],
    ids=["object", "iterator", "class"],
)
def test_a_field_that_is_no_text_is_refused_with_its_place(make: Callable[[], object], place: str) -> None:
    """In a call it is counted and the others are known, but match mode lets nothing through."""
    value = make()
    with pytest.raises(InvalidInputError) as caught, read(value):
        pass
    assert caught.value.param == place
    with discreet.observe_call("lamp.ask", it=value):
        scope = current()
        assert (scope is not None and scope.find(ASKED) is not None, look()) == (True, None)


def test_a_field_behind_a_descriptor_can_not_be_read() -> None:
    """It may hold a text, and to ask for it would run its code."""
    made = Data(ASKED)
    Data.more = Deferred()
    try:
        object.__getattribute__(made, "__dict__").pop("more")
        with pytest.raises(InvalidInputError, match=r"^it\[1\]: can't be read without"), read(made):
            pass
    finally:
        Data.more = None


def test_what_has_a_text_stands_for_it() -> None:
    """As before: what is beside it may be anything, such as an embedding; a property is asked."""

    @dataclass
    class Chunk:
        content: str
        embedding: object

    @dataclass
    class Page:
        number: object

        @property
        def text(self) -> str:
            return ASKED

    with read([Chunk(ASKED, object()), Page(object())]) as scope:
        assert scope.places == ("it[0]", "it[1]")


def test_a_named_tuple_of_another_length_is_read_whole() -> None:
    """A class may have made it of more than its names."""
    made: Any = tuple.__new__(Named, (ASKED, None, 5, WORD))
    assert list(fields(made)) == [("query", ASKED), ("more", None), ("top_k", 5), ("3", WORD)]


def test_a_handler_that_takes_a_model_is_observed() -> None:
    """The usual form of an endpoint."""

    @discreet.observe_call("lamp.ask", "query")
    def ask(query: Model) -> Iterator[str] | tuple[str, ...]:
        scope = current()
        return scope.places if scope is not None and look() is not None else ()

    assert ask(Model(query=ASKED)) == ("query.query",)
