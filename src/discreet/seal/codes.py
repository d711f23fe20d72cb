"""What a contract makes of one exception: its code, whose concern it is, safe attributes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from discreet.contract.classes import find_class
from discreet.export.ledger import LEDGER
from discreet.seal.classes import name_of, shown_class
from discreet.seal.peek import MISSING, ClassCache, attribute, behind, class_level, instance_dict, items, mro
from discreet.seal.types import WITHHELD, Scalar

if TYPE_CHECKING:
    from discreet.contract.model import ErrorClass, ErrorCode, ExceptionRow

__all__ = ["UNDECLARED", "ClassFacts", "CodeFacts", "Rows", "code_of", "facts_of"]

UNDECLARED: Final = "undeclared"
"""The code of an exception that carries one which no contract declares for its class.

.. versionadded:: 0.1.0
"""

_MAX_HEADERS: Final = 200
_MAX_LINKS: Final = 20
_STORES: Final = ("_list", "_headers", "_store", "_container")
_NO_ATTRIBUTES: Final[Mapping[str, Scalar]] = MappingProxyType({})

_Own = dict[str, object]
_Reader = Callable[[BaseException, _Own], object]


class Rows(Protocol):
    """Where the rows of exception classes come from; a `discreet.contract.Registry` is one.

    .. versionadded:: 0.1.0
    """

    def exception(self, cls: type) -> ExceptionRow | None:
        """Return what holds for a class, None when neither it nor a base has a row."""


class CodeFacts(NamedTuple):
    """What a contract says of one exception.

    Args:
        code: Its code; None when no active contract has a row for its class.
        error_class: Who can do something about it.
        attributes: The values that its row types, each in its closed type. Not to be changed.
        undeclared: Whether it carries a code that no contract declares for its class.

    .. versionadded:: 0.1.0
    """

    code: str | None
    error_class: ErrorClass | None
    attributes: Mapping[str, Scalar]
    undeclared: bool


_NOTHING: Final = CodeFacts(None, None, _NO_ATTRIBUTES, undeclared=False)


class ClassFacts:
    """What is known of an exception class, so that nothing is looked up twice.

    Args:
        cls: The class; it is not kept.
        row: What the active contracts say of it.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("conditions", "exported", "group", "own_code", "row", "shown")

    def __init__(self, cls: type, row: ExceptionRow | None) -> None:
        self.row = row
        self.shown = shown_class(cls)
        self.group = issubclass(cls, BaseExceptionGroup)
        self.own_code: _Reader | None = None
        self.conditions: tuple[_Reader, ...] = ()
        self.exported: tuple[_Reader, ...] = ()
        if row is not None:
            trusted = _trust(cls, row)
            self.own_code = _reader(cls, "code", trusted) if row.own_code else None
            self.conditions = tuple(_reader(cls, one.attribute, trusted) for one in row.conditions)
            self.exported = tuple(
                _header_reader(cls, one.key, trusted) if one.header else _reader(cls, one.key, trusted)
                for one in row.attributes
            )


_known: Final[ClassCache[ClassFacts]] = ClassCache()


def facts_of(cls: type, registry: Rows) -> ClassFacts:
    """Return what is known of an exception class under the active contracts.

    Args:
        cls: The class. Nothing of it or its metaclass is called.
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    row = registry.exception(cls)
    facts = _known.get(cls)
    if facts is None or facts.row is not row or (facts.shown[-1] == "+" and facts.shown != shown_class(cls)):
        facts = ClassFacts(cls, row)
        _known.set(cls, facts)
    return facts


def code_of(exc: BaseException, registry: Rows) -> CodeFacts:
    """Return what the active contracts say of this exception, not of its causes but where they say so.

    The code is the exception's own if its row lets it carry one and declares it for the class,
    else the one that a condition of the row gives, else the row's. An exception that only
    stands for its cause has the code, error class and attributes of that, if that has a code. Values are read without
    running code of the exception: from its dict, its class's C-level members, or a property
    of the class that the row names or of one of its bases in the same package, as long as the
    exception's own class is of that package too.

    Args:
        exc: The exception.
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    return read_codes(exc, facts_of(type(exc), registry), registry)


def read_codes(exc: BaseException, facts: ClassFacts, registry: Rows) -> CodeFacts:
    """Return the same, when the facts of the class are at hand.

    Args:
        exc: The exception.
        facts: Those of its class.
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    row = facts.row
    if row is None:
        return _NOTHING
    own = items(instance_dict(exc))
    code, error_class, undeclared = _code(exc, own, facts, row)
    attributes: dict[str, Scalar] = {}
    for one, read in zip(row.attributes, facts.exported, strict=True):
        value = read(exc, own)
        if value is MISSING:
            continue
        safe = one.type.safe(value)
        if safe is not None and safe is not WITHHELD:
            attributes[one.name] = safe
    declared: ErrorCode | None = row.codes.get(code) if code is not None else None
    if declared is not None and declared.retryable is not None:
        attributes["retryable"] = declared.retryable
    if row.code_of_cause:
        found = _of_cause(exc, registry)
        if found is not None:
            return found._replace(attributes={**attributes, **found.attributes})
    return CodeFacts(code, error_class, attributes, undeclared)


def _of_cause(exc: BaseException, registry: Rows) -> CodeFacts | None:
    """Return what is said of the first exception behind one that itself doesn't only stand for another."""
    for _ in range(_MAX_LINKS):
        link = behind(exc)
        if link is None:
            return None
        facts = facts_of(type(link), registry)
        if facts.row is None or not facts.row.code_of_cause:
            found = read_codes(link, facts, registry)
            return found if found.code is not None else None
        exc = link
    return None


def _code(
    exc: BaseException, own: _Own, facts: ClassFacts, row: ExceptionRow
) -> tuple[str | None, ErrorClass | None, bool]:
    found = facts.own_code(exc, own) if facts.own_code is not None else None
    code: str | None = None
    if issubclass(type(found), str):
        # Of a member of an enum of strings this takes the string, without a call to the enum.
        code = str.__str__(found)
        declared = row.codes.get(code)
        if declared is not None:
            return code, declared.error_class or row.error_class, False
    for condition, read in zip(row.conditions, facts.conditions, strict=True):
        value = read(exc, own)
        # Of one built-in type both, so that none has an equality of its own.
        if type(value) is type(condition.equals) and value == condition.equals:
            return condition.code, condition.error_class or row.error_class, False
    if found is None or found is MISSING or (code is not None and code == row.code):
        return row.code, row.error_class, False
    return UNDECLARED, row.error_class, True


def _trust(cls: type, row: ExceptionRow) -> Callable[[type], bool] | None:
    """Return which classes' properties may be called for instances of a class; None for none."""
    named = find_class(row.class_name)
    if named is None:
        return None
    package = _package(named)
    bases = mro(named)

    def trusted(entry: type) -> bool:
        if not any(base is entry for base in bases) or _package(entry) != package:
            return False
        # A property calls what it likes of the instance, also what a subclass has overridden.
        return all(_package(child) == package or any(base is child for base in bases) for child in mro(cls))

    return trusted if package is not None else None


def _package(cls: type) -> str | None:
    name = name_of(cls)
    return name.module.partition(".")[0] if name.exact else None


def _reader(cls: type, key: str, trusted: Callable[[type], bool] | None) -> _Reader:
    """Return a function that reads an attribute, or a path of them, from an exception."""
    name, *path = key.split(".")
    of_class = class_level(cls, name, trusted)

    def read(exc: BaseException, own: _Own) -> object:
        found = own.get(name, MISSING)
        if found is MISSING and of_class is not None:
            try:
                found = of_class(exc)
            except AttributeError:
                # A slot that was never filled: the exception doesn't have the attribute.
                return MISSING
            except Exception as error:
                # A property of the library failed; the record then lacks this one value.
                LEDGER.failure("exception attribute", error)
                return MISSING
        for part in path:
            if found is MISSING:
                break
            found = attribute(found, part)
        return found

    return read


def _header_reader(cls: type, header: str, trusted: Callable[[type], bool] | None) -> _Reader:
    headers_of = _reader(cls, "response.headers", trusted)
    wanted = header.lower()
    names = (wanted, wanted.encode())

    def read(exc: BaseException, own: _Own) -> object:
        return _header(headers_of(exc, own), names)

    return read


def _header(headers: object, names: tuple[str, bytes]) -> object:
    """Return a header's value out of what HTTP clients store headers in.

    httpx and starlette keep a list of tuples whose last two are name and value, email.message
    (urllib) a list of pairs, requests a dict from the lower-case name to a pair, urllib3 one to
    a list of the name and its values.
    """
    stored: Any = headers
    if type(headers) is not dict:
        own = items(instance_dict(headers))
        stored = next((own[name] for name in _STORES if name in own), None)
    if type(stored) is list:
        for entry in stored[:_MAX_HEADERS]:
            if type(entry) is tuple and len(entry) > 1 and _is(entry[-2], names):
                return _text(entry[-1])
    elif issubclass(type(stored), dict):
        for name, value in list(dict.items(stored))[:_MAX_HEADERS]:
            if _is(name, names):
                several = type(value) is tuple or type(value) is list
                return _text(value[-1] if several and value else value)
    return MISSING


def _is(name: object, names: tuple[str, bytes]) -> bool:
    if type(name) is str:
        return name.lower() == names[0]
    return type(name) is bytes and name.lower() == names[1]


def _text(value: object) -> str:
    if type(value) is bytes:
        return value.decode("latin-1")
    return value if type(value) is str else ""
