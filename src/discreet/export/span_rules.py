"""Which attributes, names and scopes of foreign spans may be exported, and in which types."""

from __future__ import annotations

import functools
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Protocol

from discreet.contract import Registry, active
from discreet.contract.model import PatternRow, RecordRow
from discreet.errors import ConfigurationError
from discreet.export.span_exceptions import CHAIN, sealed_exceptions
from discreet.export.spans import OTHER_ERROR
from discreet.seal.classes import class_name
from discreet.seal.names import logger_name
from discreet.seal.types import WITHHELD, Scalar, ValueType, Withheld, value_type

__all__ = ["SPECIAL", "Rule", "SpanRules", "span_rules"]

Safe = Scalar | tuple[Scalar, ...] | Withheld

UNDECLARED: Final = "undeclared"
"""What annotation puts for an event or code that no contract declares."""

_MAX_MEMBERS: Final = 64
_LABEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,127}", re.ASCII)
_STATUS: Final = re.compile(r"[1-5][0-9]{2}", re.ASCII)
_CLASS: Final[ValueType] = value_type("class")
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z]{1,16} [0-9+-]{1,9}>", re.ASCII)
LEVELS: Final = frozenset(
    {
        *("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
        *("TRACE", "VERBOSE", "NOTICE", "SUCCESS", "ALERT", "EMERGENCY"),
    }
)


class _SafeType(Protocol):
    def safe(self, value: object) -> Scalar | Withheld: ...


@dataclass(frozen=True, slots=True)
class Rule:
    """The type that an attribute's value must have, or each member of it.

    .. versionadded:: 0.1.0
    """

    kind: _SafeType
    each: bool = False

    def safe(self, value: object) -> Safe:
        """Return what may be exported of a value, or WITHHELD."""
        if not self.each:
            return self.kind.safe(value)
        # The SDK makes a tuple of every sequence.
        if type(value) is not tuple or len(value) > _MAX_MEMBERS:
            return WITHHELD
        members = tuple(self.kind.safe(member) for member in value)
        kept = tuple(member for member in members if not isinstance(member, Withheld))
        return kept if len(kept) == len(members) else WITHHELD


class _Truth:
    """A bool, or what `str()` makes of one: the SDK's `record_exception` writes that."""

    def safe(self, value: object) -> Scalar | Withheld:
        if type(value) is bool:
            return value
        if type(value) is str and value in {"True", "False"}:
            return value == "True"
        return WITHHELD


class _Text:
    """A type whose values are strings that a function accepts."""

    def __init__(self, accepts: Any) -> None:
        self._accepts = accepts

    def safe(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and self._accepts(value) else WITHHELD


def _is_exception(text: str) -> bool:
    """Accept a class that can be imported, and what sealing wrote for an exception itself."""
    return all(part in sealed_exceptions or _CLASS.safe(part) == part for part in text.split(CHAIN))


class _LoadedExceptions:
    """The unqualified names of exception classes that can be imported: instrumentations shorten them."""

    def __init__(self) -> None:
        self._names: frozenset[str] = frozenset()
        self._modules = 0

    def __contains__(self, name: object) -> bool:
        # Classes come with modules; those that a running program makes later aren't importable.
        modules = len(sys.modules)
        if modules != self._modules:
            self._names = frozenset(_importable(BaseException))
            self._modules = modules
        return name in self._names


def _importable(base: type) -> Iterator[str]:
    found = class_name(base)
    if found is not None:
        yield found.rpartition(".")[2]
    # `type`'s own method: a metaclass may have another.
    children: list[type] = type.__subclasses__(base)
    for child in children:
        yield from _importable(child)


_LOADED: Final = _LoadedExceptions()


def _is_error_type(text: str) -> bool:
    return (
        text in {OTHER_ERROR, UNDECLARED}
        or _STATUS.fullmatch(text) is not None
        or active().is_error_code(text)
        or text in _LOADED
        or _is_exception(text)
    )


def _is_logger(text: str) -> bool:
    head, dot, tail = text.partition(".<")
    if dot and _PLACEHOLDER.fullmatch(f"<{tail}"):
        text = head
    elif _PLACEHOLDER.fullmatch(text):
        return True
    return logger_name(text, None, None) == text


def _declared(check: str) -> _Text:
    return _Text(lambda text: text == UNDECLARED or getattr(active(), check)(text))


SPECIAL: Final[Mapping[str, _SafeType]] = {
    "event_name": _declared("is_event"),
    "warning_code": _declared("is_warning_code"),
    "error_code": _declared("is_error_code"),
    "error_type": _Text(_is_error_type),
    "exception": _Text(_is_exception),
    "exception_name": _Text(_LOADED.__contains__),
    "logger_name": _Text(_is_logger),
    "truth": _Truth(),
    "level_name": _Text(LEVELS.__contains__),
    "label": _Text(lambda text: _LABEL.fullmatch(text) is not None),
}
"""Types that only spans need, beside those of contracts.

`label` is a name that the operator gave to a service or machine, and is only for resources.

.. versionadded:: 0.1.0
"""


@dataclass(frozen=True, slots=True)
class SpanRules:
    """The allow-lists of one guard.

    Args:
        keys: Attribute keys of spans, events and links.
        client: Further keys of spans that call another service. In a span that serves a call the
            same keys hold what the caller sent.
        resource: Attribute keys of resources.
        span_names: Names that spans may have as they are.
        event_names: The same for events.
        scopes: Instrumentation scopes known without their module.

    .. versionadded:: 0.1.0
    """

    keys: Mapping[str, Rule]
    client: Mapping[str, Rule]
    resource: Mapping[str, Rule]
    span_names: frozenset[str]
    event_names: frozenset[str]
    scopes: frozenset[str]

    def extended(
        self,
        *,
        attributes: Mapping[str, Any] | None = None,
        resource: Mapping[str, Any] | None = None,
        names: Iterable[str] = (),
    ) -> SpanRules:
        """Return these rules and the operator's own.

        Args:
            attributes: Attribute key to type, as in a contract.
            resource: The same for resource attributes.
            names: Names of spans and events that are constants in the operator's program.

        Raises:
            ConfigurationError: A type or name is wrong.
        """
        own = frozenset([names] if isinstance(names, str) else names)
        if not all(type(name) is str and name for name in own):
            raise ConfigurationError("a name must be a text", place="names", remedy="Give a list of span names.")
        return SpanRules(
            keys={**self.keys, **_rules(attributes or {}, {}, "attributes")},
            client=self.client,
            resource={**self.resource, **_rules(resource or {}, {}, "resource")},
            span_names=self.span_names | own,
            event_names=self.event_names | own,
            scopes=self.scopes,
        )


def _rules(specs: Mapping[str, Any], enums: Mapping[str, list[str]], place: str) -> dict[str, Rule]:
    if not isinstance(specs, Mapping):
        raise ConfigurationError(
            "must be a mapping of attribute keys to types",
            place=place,
            remedy='Give a JSON object such as {"app.tenant": "id"}.',
        )
    return {key: _rule(spec, enums, f"{place}[{key!r}]") for key, spec in specs.items()}


def _rule(spec: Any, enums: Mapping[str, list[str]], place: str) -> Rule:
    each = False
    if isinstance(spec, Mapping):
        spec = dict(spec)
        each = spec.pop("each", False) is True
        if set(spec) == {"type"}:
            spec = spec["type"]
    if isinstance(spec, str):
        if spec in SPECIAL:
            return Rule(SPECIAL[spec], each)
        if spec in enums:
            spec = {"type": "enum", "values": enums[spec]}
    try:
        return Rule(value_type(spec), each)
    except ValueError as error:
        raise ConfigurationError(str(error), place=place, remedy="Use a type of a contract's attributes.") from error


@functools.cache
def span_rules() -> SpanRules:
    """Return the rules that are shipped.

    .. versionadded:: 0.1.0
    """
    text = resources.files("discreet.export").joinpath("span_keys.toml").read_text("utf-8")
    data = tomllib.loads(text)
    enums = data["enums"]
    return SpanRules(
        keys=_rules(data["keys"], enums, "keys"),
        client=_rules(data["client"], enums, "client"),
        resource=_rules(data["resource"], enums, "resource"),
        span_names=frozenset(data["names"]["spans"]),
        event_names=frozenset(data["names"]["events"]),
        scopes=frozenset(data["scopes"]["names"]),
    )


class _AnyOf(_SafeType):
    """What several contracts call by one name: the first type that lets a value through."""

    def __init__(self, types: list[ValueType]) -> None:
        self._types = types

    def safe(self, value: object) -> Scalar | Withheld:
        for one in self._types:
            found = one.safe(value)
            if not isinstance(found, Withheld):
                return found
        return WITHHELD


@functools.lru_cache(4)
def exported(registry: Registry) -> Mapping[str, ValueType | Rule]:
    """Return the types of what records get by contracts beside their logger's own attributes.

    That is what exceptions carry and what messages' arguments are exported as: a record of any logger may have it.

    Args:
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    types: dict[str, list[ValueType]] = {"retryable": [value_type("bool")]}
    for contract in registry.contracts:
        for declared in contract.exceptions:
            for attribute in declared.attributes:
                types.setdefault(attribute.name, []).append(attribute.type)
        rows: tuple[RecordRow | PatternRow, ...] = (*contract.records, *contract.patterns)
        for row in rows:
            for arg in row.args if isinstance(row, RecordRow) else row.groups.values():
                if arg.type is not None and arg.attribute is not None:
                    types.setdefault(arg.attribute, []).append(arg.type)
    return {name: Rule(_AnyOf(found)) for name, found in types.items()}
