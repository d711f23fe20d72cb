"""Exception classes are found by identity, with what their bases declare."""

from __future__ import annotations

import gc
import sys
import types
import weakref
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from typing import Any

import pytest

from discreet.contract import Registry, SafeAttribute, load_text
from discreet.contract.classes import find_class, find_object, mro
from discreet.seal.types import value_type
from tests.contract.small import other

PORT = other(
    "port",
    exceptions=[
        {
            "class": "port.PortError",
            "error_class": "internal",
            "code": "port_error",
            "own_code": True,
            "safe_message": True,
            "attributes": {"berth": "count", "status": "http_status"},
            "when": [{"attribute": "kind", "equals": "fog", "code": "port_fog"}],
        },
        {
            "class": "port.TideError",
            "error_class": "upstream",
            "attributes": {"status": {"type": "http_status", "from": "n"}},
        },
        {
            "class": "port.ice.IceError",
            "code": "port_ice",
            "when": [{"attribute": "n", "equals": 3, "code": "thin_ice"}],
        },
        {"class": "port.Outer.Inner", "code": "inner"},
        {"class": "KeyError", "code": "no_key"},
    ],
    error_codes=[
        {"code": "berth_taken", "exception": "port.PortError", "retryable": True, "meaning": "Taken."},
        {"code": "berth_taken", "exception": "port.ice.IceError", "meaning": "Taken by ice."},
        {"code": "ebb", "exception": "port.TideError", "meaning": "Too low."},
    ],
)


def classes() -> dict[str, Any]:
    base = type("PortError", (Exception,), {"__module__": "port"})
    tide = type("TideError", (base,), {"__module__": "port"})
    ice = type("IceError", (tide,), {"__module__": "port.ice"})
    inner = type("Inner", (Exception,), {"__module__": "port", "__qualname__": "Outer.Inner"})
    outer = type("Outer", (), {"__module__": "port", "Inner": inner})
    return {"PortError": base, "TideError": tide, "IceError": ice, "Outer": outer}


def install(made: dict[str, Any]) -> types.ModuleType:
    port, ice = types.ModuleType("port"), types.ModuleType("port.ice")
    for name, cls in made.items():
        setattr(ice if name == "IceError" else port, name, cls)
    sys.modules["port"], sys.modules["port.ice"] = port, ice
    return port


@pytest.fixture(autouse=True)
def _no_port() -> Iterator[None]:
    yield
    sys.modules.pop("port", None)
    sys.modules.pop("port.ice", None)


@pytest.fixture
def registry() -> Registry:
    return Registry((load_text(PORT, "port.toml"),))


def shown(registry: Registry, cls: type) -> Any:
    row = registry.exception(cls)
    return None if row is None else (row.class_name, row.code, row.error_class)


def test_a_class_has_its_own_row_and_a_stranger_has_none(registry):
    """Builtins are named without a module."""
    made = classes()
    install(made)
    assert shown(registry, made["PortError"]) == ("port.PortError", "port_error", "internal")
    assert shown(registry, made["Outer"].Inner) == ("port.Outer.Inner", "inner", None)
    assert shown(registry, KeyError) == ("KeyError", "no_key", None)
    assert registry.exception(ValueError) is None


def test_a_row_takes_from_its_bases_what_it_does_not_say(registry):
    """Codes, attributes and error class come from the nearest class that has them; a code ends the conditions."""
    made = classes()
    install(made)
    row = registry.exception(made["IceError"])
    assert (row.class_name, row.contract, row.code, row.error_class, row.own_code) == (
        "port.ice.IceError",
        "port",
        "port_ice",
        "upstream",
        True,
    )
    assert {code: (one.retryable, one.meaning) for code, one in row.codes.items()} == {
        "berth_taken": (None, "Taken by ice."),
        "ebb": (None, "Too low."),
    }
    assert row.attributes == (
        SafeAttribute("status", value_type("http_status"), "n"),
        SafeAttribute("berth", value_type("count"), "berth"),
    )
    assert [(when.attribute, when.equals, when.code) for when in row.conditions] == [("n", 3, "thin_ice")]
    tide = registry.exception(made["TideError"])
    assert (tide.code, [when.code for when in tide.conditions]) == ("port_error", ["port_fog"])


def test_a_subclass_that_is_not_listed_has_its_nearest_bases_row(registry):
    """Also when the application makes it, as long as the base is the real one."""
    made = classes()
    install(made)
    storm = type("StormError", (made["TideError"], ValueError), {"__module__": "harbour_app"})
    assert shown(registry, storm) == ("port.TideError", "port_error", "upstream")


def test_a_safe_message_is_that_of_the_very_class(registry):
    """Whoever writes a subclass writes its messages, and has promised nothing."""
    made = classes()
    install(made)
    assert registry.exception(made["PortError"]).safe_message is True
    assert registry.exception(made["TideError"]).safe_message is False
    assert registry.exception(type("Other", (made["PortError"],), {})).safe_message is False


def test_a_safe_message_of_some_releases_asks_which_is_installed():
    """The specifier is compared with the installed release of the class's distribution."""
    made = classes()
    install(made)
    text = PORT.replace('"safe_message" = true', '"safe_message" = ">=2"').replace(
        '"class" = "port.PortError"', '"class" = "port.PortError", "distribution" = "port-lib"'
    )
    asked: list[tuple[str, str]] = []

    def release_in(distribution: str, specifier: str) -> bool:
        asked.append((distribution, specifier))
        return True

    registry = Registry((load_text(text),), release_in=release_in)
    assert registry.exception(made["PortError"]).safe_message is True
    assert asked == [("port-lib", ">=2")]
    assert Registry((load_text(text),)).exception(made["PortError"]).safe_message is False


def test_a_class_of_the_same_name_is_a_stranger(registry):
    """A row counts for the object that stands in the module, whatever another class calls itself."""
    install(classes())
    forged = classes()["PortError"]
    assert (forged.__module__, forged.__qualname__) == ("port", "PortError")
    assert registry.exception(forged) is None


def test_a_module_that_is_imported_later_is_seen(registry):
    """A class that had no row before its module was in sys.modules has one afterwards."""
    made = classes()
    assert registry.exception(made["PortError"]) is None
    install(made)
    assert shown(registry, made["PortError"]) == ("port.PortError", "port_error", "internal")


def test_a_module_that_is_being_imported_is_looked_at_again(registry):
    """An exception may be raised before the package has bound its name; then nothing is remembered for good."""
    made = classes()
    port = install(made)
    del port.PortError
    spec = ModuleSpec("port", None)
    spec._initializing = True
    port.__spec__ = spec
    assert registry.exception(made["PortError"]) is None
    port.PortError = made["PortError"]
    spec._initializing = False
    assert shown(registry, made["PortError"]) == ("port.PortError", "port_error", "internal")


def test_a_module_that_was_reloaded_is_seen(registry):
    """Reloading makes new classes without a new module."""
    first, second = classes(), classes()
    install(first)
    assert shown(registry, first["PortError"]) is not None
    install(second)
    assert shown(registry, second["PortError"]) == ("port.PortError", "port_error", "internal")


def test_nothing_is_imported_for_a_row(registry):
    """A contract may name classes of libraries that the program doesn't use."""
    registry.exception(ValueError)
    assert "port" not in sys.modules
    assert find_class("wave.Error") is None or "wave" in sys.modules


def test_no_code_of_a_class_its_metaclass_or_its_module_runs(registry):
    """Hash, equality, MRO and attributes of a class can all be faked; so can a module's."""

    class Meta(type):
        def __getattribute__(cls, name: str) -> Any:
            raise AssertionError(name)

        def __hash__(cls) -> int:
            raise AssertionError("hashed")

        def __eq__(cls, other: object) -> bool:
            raise AssertionError("compared")

    class Module(types.ModuleType):
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

    made = classes()
    hostile = Meta("Hostile", (made["PortError"],), {})
    port = install({**made, "TideError": hostile})
    lazy = Module("port")
    types.ModuleType.__dict__["__dict__"].__get__(lazy).update(vars(port))
    sys.modules["port"] = lazy
    assert shown(registry, hostile) == ("port.TideError", "port_error", "upstream")
    assert mro(hostile)[1] is made["PortError"]
    assert find_object("port.Outer.Inner") is made["Outer"].Inner


def test_what_stands_under_a_name_may_be_anything(registry):
    """A module can be None, a name no class, a package's name no module."""
    install({"PortError": "no class", "TideError": None, "IceError": 7, "Outer": {"Inner": ValueError}})
    sys.modules["port.ice"] = None
    assert registry.exception(ValueError) is None
    sys.modules["port"] = "no module"
    assert [find_object(name) for name in ("port.PortError", "port.ice.IceError", "port")] == [None, None, "no module"]


def test_a_class_is_not_kept_alive(registry):
    """Programs make classes as they run; what is remembered of one goes with it."""
    install(classes())
    cls = type("Passing", (KeyError,), {})
    assert registry.exception(cls) is registry.exception(cls)
    gone = weakref.ref(cls)
    del cls
    gc.collect()
    assert gone() is None
