"""Exceptions that do all they can to be asked something."""

from __future__ import annotations

import contextlib
import gc
import pickle
from collections.abc import Iterator

from discreet.contract import Registry, load_text
from discreet.seal import standin
from discreet.seal.classes import class_name, member_name, shown_class
from discreet.seal.exceptions import ExceptionFacts, code_of, describe, from_exc_info
from discreet.seal.standin import stand_in

HERE = __name__
FILE = f"{HERE.replace('.', '/')}.py"
SENTENCE = "we buried the cat beneath the apple tree"
CALLS: list[str] = []
WATCHED: list[bool] = []
ASKED = (
    *("__str__", "__repr__", "__eq__", "__ne__", "__hash__", "__bool__", "__len__", "__iter__", "__format__"),
    *("__getattribute__", "__getattr__", "__dir__", "__reduce__", "__reduce_ex__", "__getstate__", "__copy__"),
    *("__deepcopy__", "__lt__", "__contains__", "__getitem__", "__sizeof__", "__int__", "__index__", "__float__"),
    *("__bytes__", "__fspath__", "__call__", "with_traceback", "add_note", "split", "subgroup", "derive"),
)
READ = (
    *("__cause__", "__context__", "__suppress_context__", "__traceback__", "__notes__", "__dict__", "__class__"),
    *("args", "exceptions", "message", "code", "status", "response", "param", "__name__"),
)
OF_CLASSES = (
    *("__repr__", "__eq__", "__ne__", "__hash__", "__bool__", "__len__", "__iter__", "__getattribute__", "__dir__"),
    *("__instancecheck__", "__subclasscheck__", "__lt__", "__contains__", "__or__", "__getitem__", "mro"),
)


def call(name: str):
    """Return a method that notes that it was called, while somebody watches."""

    def called(*args: object, **kwargs: object) -> object:
        if WATCHED:
            CALLS.append(name)
        owner = type if issubclass(type(args[0]), type) else object
        if not hasattr(owner, name):
            raise AttributeError(name)
        return getattr(owner, name)(*args, **kwargs)

    return called


HOSTILE = {**{name: call(name) for name in ASKED}, **{name: property(call(name)) for name in READ}}
HostileMeta = type("HostileMeta", (type,), {name: call(name) for name in OF_CLASSES})


def make(name: str, base: type[BaseException]) -> type[BaseException]:
    return HostileMeta(name, (base,), {"__module__": HERE, "__qualname__": name, **HOSTILE})


class Garden(ValueError):
    """What the contract knows; the hostile classes derive from it."""


class Stranger:
    __slots__ = ("__dict__", "param")


Hostile = make("Hostile", Garden)
HostileGroup = make("HostileGroup", ExceptionGroup)
HostileHeld = HostileMeta("HostileHeld", (), HOSTILE)


@contextlib.contextmanager
def watched() -> Iterator[None]:
    """Fail if anything of the hostile classes is called in the block."""
    CALLS.clear()
    WATCHED.append(True)
    try:
        yield
    finally:
        WATCHED.clear()
    assert CALLS == []


class Key(str):
    """A key of a dict that wants to compare."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if WATCHED:
            CALLS.append("key")
        return str.__eq__(self, other)  # type: ignore[arg-type]

    __hash__ = str.__hash__


CONTRACT = f"""
contract = {{ name = "garden", format = 1, summary = "Errors of a garden." }}
[[exceptions]]
class = "{HERE}.Garden"
code = "garden_error"
error_class = "internal"
own_code = true
safe_message = true
[exceptions.attributes]
status = "http_status"
param = "param"
retry_after = {{ type = "duration_s", from = "header:retry-after" }}
[[exceptions.when]]
attribute = "message"
equals = "apple"
code = "apple_error"
"""
REGISTRY = Registry([load_text(CONTRACT, file="garden.toml")])
OF_THE_LIBRARY = (object, type, BaseException, Exception, ValueError, standin._no_text, standin._reduced)
STATE = BaseException.__dict__["__dict__"]


def hostile(cls: type[BaseException] = Hostile, *args: object, **attributes: object) -> BaseException:
    error = cls.__new__(cls, *(args or (SENTENCE,)))
    STATE.__get__(error).update(attributes)
    return error


def test_nothing_of_an_exception_is_called() -> None:
    """Its chain, traceback and attributes are read through the built-in types' own descriptors."""
    error = hostile(status=503, param=HostileHeld(), message=HostileHeld(), code=HostileHeld())
    group = hostile(HostileGroup, SENTENCE, [hostile(), KeyError(SENTENCE), hostile()])
    cause = BaseException.__dict__["__cause__"]
    cause.__set__(error, group)
    cause.__set__(group, hostile(response=HostileHeld()))
    try:
        raise error
    except ValueError as caught:
        traceback = BaseException.__dict__["__traceback__"].__get__(caught)
    with watched():
        found = describe(error, traceback, REGISTRY)
        stand = stand_in(error, traceback)[1]
        again = pickle.loads(pickle.dumps(stand))
    chain = (f"{HERE}.Hostile", f"{HERE}.HostileGroup(3: {HERE}.Hostile x2, KeyError)", f"{HERE}.Hostile")
    assert found == ExceptionFacts(
        type=f"{HERE}.Hostile",
        code="undeclared",
        error_class="internal",
        attributes={"status": 503},
        chain=chain,
        codes=("undeclared", None, "garden_error"),
        frames=(f"{FILE}:test_nothing_of_an_exception_is_called:{traceback.tb_lineno}",),
        undeclared=True,
    )
    assert [describe(one, None, REGISTRY).chain for one in (stand, again)] == [chain] * 2


def test_nothing_is_called_to_find_the_exception_in_a_record() -> None:
    """Nor to see that something is none."""
    error, held = hostile(), HostileHeld()
    shapes = (error, (Hostile, error, held), [held, error, held], (held, held, held), held, Hostile, {held: held})
    with watched():
        found = [from_exc_info(shape)[0] for shape in shapes]
    assert [one is error for one in found] == [True] * 3 + [False] * 4
    assert found[3:] == [None] * 4


def test_nothing_is_called_to_name_a_class_or_a_member() -> None:
    """Also for a metaclass that answers for its classes, and for values that are no members."""
    held = HostileHeld()
    with watched():
        found = (class_name(Hostile), shown_class(HostileHeld), member_name(held), class_name(HostileMeta))
    assert found == (f"{HERE}.Hostile", f"{HERE}.HostileHeld", None, f"{HERE}.HostileMeta")


def test_the_keys_of_an_exception_s_dict_are_not_compared() -> None:
    """A key may be of a class of its own, with an equality of its own."""
    error = hostile()
    STATE.__get__(error).update({Key("status"): 503, Key("code"): SENTENCE, Key("param"): "x"})
    with watched():
        found = code_of(error, REGISTRY)
    assert found == ("garden_error", "internal", {}, False)


def test_a_dict_of_an_exception_with_methods_of_its_own_is_read_as_a_dict() -> None:
    """It may be replaced by any dict."""
    names = ("__getitem__", "get", "items", "keys", "__iter__", "__len__", "__contains__")
    sly = type("Sly", (dict,), {name: call(name) for name in names})
    error = hostile()
    STATE.__set__(error, sly(status=503))
    with watched():
        found = code_of(error, REGISTRY)
    assert found.attributes == {"status": 503}


def test_a_property_that_hides_the_storage_of_a_held_object_is_passed_by() -> None:
    """A response may be of any class; what it holds is read where it is stored, or not at all."""

    class Plain:
        pass

    hiding = HostileMeta("Hiding", (Plain,), HOSTILE)
    response, headers = Plain(), Plain()
    headers.__dict__["_list"] = [(b"retry-after", b"7")]
    response.__dict__["headers"] = headers
    response.__class__ = headers.__class__ = hiding
    errors = [hostile(response=response), hostile(response=HostileHeld())]
    with watched():
        found = [code_of(error, REGISTRY).attributes for error in errors]
    assert found == [{"retry_after": 7.0}, {}]


def test_a_slot_taken_from_another_class_gives_nothing() -> None:
    """It doesn't fit the instance, whatever namespace it stands in."""
    taken = {name: vars(Stranger)[name] for name in ("param", "__dict__")}
    response = type("Taking", (), {"headers": taken["param"], **taken})()
    error = type("Taking", (Garden,), {"status": taken["param"], **taken})(SENTENCE)
    STATE.__get__(error)["response"] = response
    assert code_of(error, REGISTRY) == ("garden_error", "internal", {}, False)


def test_a_stand_in_holds_nothing_of_the_exception() -> None:
    """Neither it nor its class nor what hangs on it, by whatever way one goes."""
    error = hostile(held=HostileHeld())
    cause = hostile()
    BaseException.__dict__["__cause__"].__set__(error, cause)
    forbidden = {id(error), id(cause), id(Hostile), id(HostileHeld), id(STATE.__get__(error)), id(globals())}
    reached: list[object] = [stand_in(error, None)[1]]
    seen = {id(reached[0])}
    while reached:
        for found in gc.get_referents(reached.pop()):
            if id(found) not in seen and id(found) not in map(id, OF_THE_LIBRARY):
                seen.add(id(found))
                reached.append(found)
    assert seen.isdisjoint(forbidden)
