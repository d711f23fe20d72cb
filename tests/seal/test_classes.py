from __future__ import annotations

import contextlib
import enum
import functools
import http
import json
import sys
import types
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from discreet.seal.classes import class_name, member_name, name_of, shown_class
from tests.seal.sites import imported

HERE = __name__
SENTENCE = "the tenant in flat nine owes two months of rent"


class Outer:
    class Failure(ValueError):
        """A class inside another."""

    def method(self) -> type:
        class Inside(KeyError):
            class Nested(OSError):
                pass

        return Inside

    @property
    def made(self) -> type:
        class OfProperty(Exception):
            pass

        return OfProperty


def maker() -> type:
    class Local(RuntimeError):
        pass

    return Local


def decorated(function):
    @functools.wraps(function)
    def wrapper():
        return function()

    return wrapper


@decorated
def wrapped_maker() -> type:
    class Local(RuntimeError):
        pass

    return Local


@contextlib.contextmanager
def generator() -> Iterator[type]:
    class Local(RuntimeError):
        pass

    yield Local


class Colour(enum.Enum):
    RED = "red"
    CRIMSON = RED


class Word(enum.StrEnum):
    YES = "yes"


class Mode(enum.Flag):
    READ = 1
    WRITE = 2


@pytest.mark.parametrize(
    ("cls", "name"),
    [
        (ValueError, "ValueError"),
        (int, "int"),
        (ExceptionGroup, "ExceptionGroup"),
        (json.JSONDecodeError, "json.decoder.JSONDecodeError"),
        (IOError, "OSError"),
        (Outer, f"{HERE}.Outer"),
        (Outer.Failure, f"{HERE}.Outer.Failure"),
        (type(None), None),
    ],
)
def test_a_class_is_named_when_importing_its_name_gives_it(cls: type, name: str | None) -> None:
    """The module's namespace and the classes in it are walked; built-in classes have no module."""
    assert class_name(cls) == name


def test_a_class_of_a_function_is_named_when_the_code_of_the_function_makes_it() -> None:
    """The function is found under its name, also behind decorators, in a class, or a property."""
    with generator() as of_generator:
        found = [maker(), wrapped_maker(), of_generator, Outer().method(), Outer().method().Nested, Outer().made]
    assert [class_name(cls) for cls in found] == [
        f"{HERE}.maker.<locals>.Local",
        f"{HERE}.wrapped_maker.<locals>.Local",
        f"{HERE}.generator.<locals>.Local",
        f"{HERE}.Outer.method.<locals>.Inside",
        f"{HERE}.Outer.method.<locals>.Inside.Nested",
        f"{HERE}.Outer.made.<locals>.OfProperty",
    ]


def test_a_class_made_of_a_text_has_the_name_of_its_nearest_proven_base() -> None:
    """Neither its name nor its module nor its qualified name are shown, whatever they claim."""
    made = [
        type(SENTENCE, (Outer.Failure,), {}),
        type("Tenant", (Outer.Failure,), {}),
        type("Tenant", (LookupError,), {"__module__": SENTENCE}),
        type("Outer", (LookupError,), {"__module__": HERE}),
        type("Tenant", (LookupError,), {"__qualname__": "maker.<locals>.Tenant", "__module__": HERE}),
        type("Tenant", (LookupError,), {"__qualname__": "maker.<locals>", "__module__": HERE}),
        type("Tenant", (LookupError,), {"__qualname__": "<locals>.Tenant", "__module__": HERE}),
        type("Tenant", (LookupError,), {"__qualname__": "HERE.Tenant", "__module__": HERE}),
        type("Tenant", (LookupError,), {"__qualname__": "Outer.RED.Tenant", "__module__": HERE}),
        type("T" * 81, (LookupError,), {}),
        type("Tenant", (LookupError,), {"__qualname__": ".".join("abcdefghijklmnopq"), "__module__": HERE}),
        type("Tenant", (), {}),
    ]
    assert [shown_class(cls) for cls in made] == [
        f"{HERE}.Outer.Failure+",
        f"{HERE}.Outer.Failure+",
        *["LookupError+"] * 9,
        "object+",
    ]
    assert [class_name(cls) for cls in made] == [None] * len(made)


def test_a_name_with_other_letters_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only ASCII identifiers are names, also when the class can be imported."""
    cls = type("Schlüssel", (ValueError,), {"__module__": HERE})
    monkeypatch.setitem(globals(), "Schlüssel", cls)
    assert shown_class(cls) == "ValueError+"


def test_a_class_whose_module_is_no_text_has_no_name() -> None:
    """What a class says of itself can be any object."""

    class Text(str):
        __slots__ = ()

    made = [type("Outer", (ValueError,), {"__module__": module}) for module in (None, 3, Text(HERE), property())]
    assert [shown_class(cls) for cls in made] == ["ValueError+"] * 4


def test_a_lazy_module_is_not_asked_for_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """A module's `__getattr__` runs an import or anything else, so only what is there counts."""
    module = types.ModuleType("lazy_one")
    module.__getattr__ = lambda name: pytest.fail(f"asked for {name}")  # type: ignore[method-assign]
    monkeypatch.setitem(sys.modules, "lazy_one", module)
    cls = type("Tenant", (ValueError,), {"__module__": "lazy_one"})
    assert shown_class(cls) == "ValueError+"


def test_what_stands_in_place_of_a_module_is_not_asked_either(monkeypatch: pytest.MonkeyPatch) -> None:
    """An object in `sys.modules` that is no module has no names."""

    class Proxy:
        def __getattr__(self, name: str) -> object:
            pytest.fail(f"asked for {name}")

    monkeypatch.setitem(sys.modules, "proxied", Proxy())
    cls = type("Tenant", (ValueError,), {"__module__": "proxied"})
    assert shown_class(cls) == "ValueError+"


def test_a_class_is_looked_for_again_once_its_module_has_been_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception that is logged while its module is being imported may not stand there yet."""
    module = types.ModuleType("half_way")
    module.__spec__ = ModuleSpec("half_way", None)
    module.__spec__._initializing = True  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "half_way", module)
    cls = type("Late", (ValueError,), {"__module__": "half_way"})
    before = shown_class(cls)
    module.Late = cls  # type: ignore[attr-defined]
    assert (before, shown_class(cls)) == ("ValueError+", "half_way.Late")


def test_names_don_t_keep_classes_alive() -> None:
    """A class that nobody else holds goes away with its entry."""
    import gc

    from discreet.seal import classes

    gc.collect()
    before = len(classes._names)
    for _ in range(50):
        shown_class(type("Passing", (ValueError,), {}))
    gc.collect()
    assert len(classes._names) <= before


def test_an_enum_member_is_named_by_its_class_and_its_own_name() -> None:
    """An alias has the name of the member that it stands for."""
    assert [member_name(v) for v in (Colour.RED, Colour.CRIMSON, Word.YES, Mode.READ, http.HTTPStatus.OK)] == [
        f"{HERE}.Colour.RED",
        f"{HERE}.Colour.RED",
        f"{HERE}.Word.YES",
        f"{HERE}.Mode.READ",
        "http.HTTPStatus.OK",
    ]


def test_what_is_no_member_of_an_importable_enum_has_no_member_name() -> None:
    """Combined flags, members of enums made at run time, members that were renamed, other values."""

    class Here(enum.Enum):
        LOCAL = 1

    forged = enum.Enum("Forged", [("TENANT", 1)], module=HERE)
    renamed = object.__new__(Colour)
    renamed._name_ = SENTENCE
    double = object.__new__(Colour)
    double._name_ = "RED"
    values = (Mode.READ | Mode.WRITE, Here.LOCAL, forged.TENANT, renamed, double, "RED", Colour, None)
    assert [member_name(value) for value in values] == [None] * len(values)


def joined(*words: str) -> str:
    return "_".join(words)


def test_a_member_that_is_in_no_code_of_its_module_has_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """A schema or a list of topics makes enums that can be imported; their members are data."""
    made = enum.StrEnum("Topic", [joined("the", "tenant", "owes"), "RISING"], module=HERE)
    monkeypatch.setattr(sys.modules[HERE], "Topic", made, raising=False)
    assert [member_name(value) for value in made] == [None, f"{HERE}.Topic.RISING"]


def test_a_member_that_is_made_when_it_is_missing_has_no_name() -> None:
    """``_missing_`` may put anything into the class."""
    value = joined("the", "tenant", "owes")
    member = str.__new__(Word, value)
    member._name_ = member._value_ = value
    Word._member_map_[value] = member
    try:
        assert member_name(member) is None
    finally:
        del Word._member_map_[value]


def test_a_class_that_is_in_no_code_of_its_module_has_the_name_of_its_base(monkeypatch: pytest.MonkeyPatch) -> None:
    """It can be imported, but somebody put it there under a name from data."""
    name = joined("Tenant", "Owes")
    made = type(name, (Outer.Failure,), {"__module__": HERE})
    monkeypatch.setattr(sys.modules[HERE], name, made, raising=False)
    inner = type(name, (), {"__module__": HERE, "__qualname__": f"Outer.{name}"})
    monkeypatch.setattr(Outer, name, inner, raising=False)
    assert [shown_class(made), shown_class(inner)] == [f"{HERE}.Outer.Failure+", "object+"]


def test_a_class_that_a_metaclass_makes_has_its_name(tmp_path: Path) -> None:
    """The name is in the metaclass's code, as that of Django's DoesNotExist is."""
    text = (
        "class Meta(type):\n"
        "    def __init__(cls, name, bases, space):\n"
        "        cls.Missing = type('Missing', (Exception,), "
        "{'__module__': cls.__module__, '__qualname__': cls.__qualname__ + '.Missing'})\n"
    )
    maker_module = imported(tmp_path, text)
    user = imported(tmp_path, f"from {maker_module.__name__} import Meta\nclass Model(metaclass=Meta): pass\n")
    assert class_name(user.Model.Missing) == f"{user.__name__}.Model.Missing"


def test_without_its_code_a_module_names_classes_and_no_members() -> None:
    """A class stands in the module under its name; a member is only as good as what made it."""
    module = types.ModuleType("made_of_nothing")
    sys.modules["made_of_nothing"] = module
    try:
        module.Plain = type("Plain", (), {"__module__": "made_of_nothing"})
        module.Topic = enum.Enum("Topic", "RISING", module="made_of_nothing")
        assert class_name(module.Plain) == "made_of_nothing.Plain"
        assert member_name(module.Topic.RISING) is None
    finally:
        del sys.modules["made_of_nothing"]


def test_the_parts_of_a_name_are_at_hand() -> None:
    """A stand-in needs module and name apart, and whether they are the class's own."""
    assert [tuple(name_of(cls)) for cls in (Outer.Failure, type("Tenant", (Outer.Failure,), {}))] == [
        (HERE, "Outer.Failure", True),
        (HERE, "Outer.Failure", False),
    ]
