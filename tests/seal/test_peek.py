from __future__ import annotations

import functools
import gc
import sys
import types

import pytest

from discreet.seal.peek import (
    MISSING,
    ClassCache,
    attribute,
    class_level,
    instance_dict,
    is_class,
    is_exception,
    module_dict,
)


class Slotted:
    __slots__ = ("filled", "never")
    constant = 7
    text = "a"

    def __init__(self) -> None:
        self.filled = 3

    @property
    def computed(self) -> int:
        return 5

    def method(self) -> int:
        return 5


class Stored(Slotted):
    def __init__(self) -> None:
        super().__init__()
        self.own = 1
        self.constant = 2


class Answers:
    """Asked for its class, it lies."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return ValueError


def test_an_attribute_comes_from_the_instance_else_a_slot_else_a_plain_value_of_the_class() -> None:
    """Properties, methods and what isn't there give nothing."""
    names = ("own", "constant", "text", "filled", "never", "computed", "method", "missing")
    assert [attribute(Stored(), name) for name in names] == [1, 2, "a", 3, *[MISSING] * 4]
    assert [attribute(Slotted(), name) for name in names] == [MISSING, 7, "a", 3, *[MISSING] * 4]
    assert attribute(None, "own") is MISSING


def test_a_property_is_read_only_of_a_class_that_is_trusted() -> None:
    """Who asks says which; the nearest class that has the name decides."""
    trusting = class_level(Stored, "computed", lambda cls: cls is Slotted)
    assert trusting is not None
    assert trusting(Stored()) == 5
    assert class_level(Stored, "computed", lambda cls: cls is Stored) is None
    hiding = type("Hiding", (Stored,), {"computed": property(lambda self: pytest.fail("called"))})
    assert class_level(hiding, "computed", lambda cls: cls is Slotted) is None


def test_what_a_class_was_given_later_is_not_read_through_what_was_there() -> None:
    """Neither another attribute of that name nor other bases."""

    class Left:
        __slots__ = ("name",)

    class Middle(Left):
        __slots__ = ()

    class Late(Middle):
        __slots__ = ()

    read = class_level(Late, "name")
    assert read is not None
    one = Late()
    one.name = 3
    before = read(one)
    Left.name = property(lambda self: pytest.fail("called"))  # type: ignore[assignment,method-assign]
    after = read(one)
    Late.__bases__ = (Left,)
    del Left.name
    assert (before, after, read(one), attribute(one, "name")) == (3, MISSING, MISSING, MISSING)


def test_the_dict_of_an_instance_is_found_or_there_is_none() -> None:
    """Of exceptions, modules, functions, compiled classes and plain objects; not that of a class."""

    def function() -> None:
        pass

    holding = (ValueError(), types, function, types.SimpleNamespace(), functools.partial(function), Stored())
    assert [instance_dict(value) is value.__dict__ for value in holding] == [True] * len(holding)
    assert [instance_dict(value) for value in (Slotted(), 3, "a", None, Stored, object())] == [None] * 6


def test_kinds_are_told_without_asking_the_object() -> None:
    """An object may say that it is of any class."""
    values = (ValueError(), ValueError, Answers(), KeyboardInterrupt(), int, None)
    assert [is_exception(value) for value in values] == [True, False, False, True, False, False]
    assert [is_class(value) for value in values] == [False, True, False, False, True, False]


def test_a_module_is_not_imported_to_look_into_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is anything but a module looked into."""
    monkeypatch.setitem(sys.modules, "no_module", Answers())  # type: ignore[arg-type]
    assert module_dict(__name__) is globals()
    assert [module_dict(name) for name in ("no_module", "antigravity", "")] == [None] * 3


def test_a_cache_by_class_forgets_classes_that_are_gone() -> None:
    """And takes a new value for a class that it knows."""
    cache: ClassCache[int] = ClassCache()
    kept, passing = type("Kept", (), {}), type("Passing", (), {})
    for number, cls in enumerate((kept, passing, kept)):
        cache.set(cls, number)
    found = (cache.get(kept), cache.get(passing), cache.get(int), len(cache))
    del passing, cls
    gc.collect()
    cache.set(kept, 3)
    assert (found, cache.get(kept), len(cache)) == ((2, 1, None, 2), 3, 1)
    cache.clear()
    assert (cache.get(kept), len(cache)) == (None, 0)
