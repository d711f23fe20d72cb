"""Closed types: in what form a value may go out, if at all.

A contract gives a type to each attribute, to each argument of a message and to each safe
attribute of an exception. There is no type for free text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from discreet.seal.types.base import WITHHELD, Scalar, ValueType, Withheld
from discreet.seal.types.hosts import (
    ClientAddress,
    Host,
    Origin,
    forget_hosts,
    register_hosts,
    show_client_addresses,
)
from discreet.seal.types.ids import Device, Id, KeyedDigest, ModelId
from discreet.seal.types.names import (
    ClassName,
    Code,
    ContractName,
    Distribution,
    EnumOf,
    Importable,
    ModuleName,
    Param,
    Release,
    SignalName,
    WarningCategory,
)
from discreet.seal.types.numbers import (
    Bool,
    Count,
    CountOf,
    DurationMs,
    DurationS,
    Errno,
    ExitCode,
    Float,
    Int,
    Timestamp,
)
from discreet.seal.types.phrases import Phrase
from discreet.seal.types.routes import RequestLine, Route, forget_routes, register_routes
from discreet.seal.types.web import (
    HttpMethod,
    HttpReason,
    HttpStatus,
    HttpVersion,
    SqlState,
    SqlVerb,
)

__all__ = [
    "TYPE_NAMES",
    "WITHHELD",
    "Scalar",
    "ValueType",
    "Withheld",
    "forget_hosts",
    "forget_routes",
    "register_hosts",
    "register_routes",
    "show_client_addresses",
    "value_type",
]

_CLASSES: Final[tuple[type[ValueType], ...]] = (
    Bool,
    ClassName,
    ClientAddress,
    Code,
    ContractName,
    Count,
    CountOf,
    Device,
    Distribution,
    DurationMs,
    DurationS,
    EnumOf,
    Errno,
    ExitCode,
    Float,
    Host,
    HttpMethod,
    HttpReason,
    HttpStatus,
    HttpVersion,
    Id,
    Importable,
    Int,
    KeyedDigest,
    ModelId,
    ModuleName,
    Origin,
    Param,
    Phrase,
    Release,
    RequestLine,
    Route,
    SignalName,
    SqlState,
    SqlVerb,
    Timestamp,
    WarningCategory,
)
_TYPES: Final[dict[str, type[ValueType]]] = {cls.name: cls for cls in _CLASSES}

TYPE_NAMES: Final = frozenset(_TYPES)
"""The names of all types.

.. versionadded:: 0.1.0
"""


def value_type(spec: str | Mapping[str, object]) -> ValueType:
    """Make a type from what a contract says.

    Args:
        spec: A type's name, or a table with the key `type` and the type's options.

    Raises:
        ValueError: There is no such type, or an option is unknown or wrong. The message is a
            sentence without its full stop.

    .. versionadded:: 0.1.0
    """
    if isinstance(spec, str):
        name: object = spec
        options: Mapping[str, object] = {}
    elif isinstance(spec, Mapping):
        if "type" not in spec:
            raise ValueError("the table has no key `type`")
        name = spec["type"]
        options = {key: value for key, value in spec.items() if key != "type"}
    else:
        raise ValueError("a type is a name or a table")  # noqa: TRY004 -- one class for all faults
    cls = _TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise ValueError(f"there is no such type; the types are {', '.join(sorted(TYPE_NAMES))}")
    return cls.make(options)
