"""What a contract says, as frozen records.

A `Contract` is what one file declares. `LoggerPolicy` and `ExceptionRow` are what a
`Registry` derives from all active contracts, for one logger and for one class.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from discreet.seal.types import ValueType

__all__ = [
    "ERROR_CLASSES",
    "FORMAT",
    "RESERVED_ATTRIBUTES",
    "ArgType",
    "Contract",
    "ErrorClass",
    "ErrorCode",
    "Event",
    "ExceptionCondition",
    "ExceptionDeclaration",
    "ExceptionRow",
    "LoggerPolicy",
    "PatternRow",
    "RecordRow",
    "Retired",
    "SafeAttribute",
    "WarningCode",
]

FORMAT: Final = 1
"""The version of the file format that this release reads.

.. versionadded:: 0.1.0
"""

ErrorClass = Literal["input", "configuration", "upstream", "internal"]
"""Who can do something about an error: the caller, the operator, a service, the authors."""

ERROR_CLASSES: Final[tuple[ErrorClass, ...]] = ("input", "configuration", "upstream", "internal")
"""All values of `ErrorClass`.

.. versionadded:: 0.1.0
"""

RESERVED_ATTRIBUTES: Final = frozenset(
    {
        "timestamp",
        "level",
        "logger",
        "message",
        "event",
        "warning_code",
        "error_code",
        "error_class",
        "trace_id",
        "span_id",
        "exception_type",
        "exception_code",
        "exception_chain",
        "exception_frames",
        "exception_message",
        "withheld",
        "code_function",
        "code_line",
        "content",
        "service",
        "truncated",
    }
)
"""Names that every sealed record has itself, so that no contract can declare them.

.. versionadded:: 0.1.0
"""

_NOTHING: Final[Mapping[str, ValueType]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Event:
    """One event that a library's records may name.

    .. versionadded:: 0.1.0
    """

    name: str
    level: str
    meaning: str
    attributes: tuple[str, ...]
    contract: str


@dataclass(frozen=True, slots=True)
class WarningCode:
    """One way in which a result can be degraded and still correct.

    .. versionadded:: 0.1.0
    """

    code: str
    meaning: str
    emitted_by: str | None = None


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One error code under one exception class; None when no class raises it.

    `retryable` is None where the exception's own attribute decides.

    .. versionadded:: 0.1.0
    """

    code: str
    meaning: str
    exception: str | None = None
    retryable: bool | None = None
    error_class: ErrorClass | None = None


@dataclass(frozen=True, slots=True)
class SafeAttribute:
    """A value of an exception that may be exported, under `name`.

    `header` tells that `key` names a header of ``exc.response.headers``; otherwise it
    names an attribute of the instance, or a path of them such as ``orig.sqlstate``.

    .. versionadded:: 0.1.0
    """

    name: str
    type: ValueType
    key: str
    header: bool = False


@dataclass(frozen=True, slots=True)
class ExceptionCondition:
    """Another code for the instances whose attribute is exactly the string or integer `equals`.

    `attribute` may be a path, such as ``response.status_code``.

    .. versionadded:: 0.1.0
    """

    attribute: str
    equals: str | int
    code: str
    error_class: ErrorClass | None = None


@dataclass(frozen=True, slots=True)
class ExceptionDeclaration:
    """What a contract file says about one exception class, by itself.

    None stands for what the file leaves out and the class's bases decide. `safe_message`
    is a specifier when it holds for some releases of `distribution` only.

    .. versionadded:: 0.1.0
    """

    class_name: str
    error_class: ErrorClass | None = None
    code: str | None = None
    own_code: bool | None = None
    code_of_cause: bool | None = None
    safe_message: bool | str = False
    attributes: tuple[SafeAttribute, ...] = ()
    conditions: tuple[ExceptionCondition, ...] = ()
    distribution: str | None = None


@dataclass(frozen=True, slots=True)
class ExceptionRow:
    """What holds for one class, put together from its own row and those of its bases.

    Args:
        class_name: The name in the nearest row.
        contract: The contract which has that row.
        error_class: Who can do something about it.
        code: The code of an instance that carries none of its own.
        own_code: Whether the instance's attribute `code` counts, if it is in `codes`.
        code_of_cause: Whether it only stands for what caused it: the code of that counts, if it has one.
        codes: Codes that instances may carry, of this class or a base.
        safe_message: Whether the text of this very class holds no customer text in the
            installed release; never inherited from a base.
        attributes: What may be exported, nearest class first, each name once.
        conditions: First match wins, before `code`.

    .. versionadded:: 0.1.0
    """

    class_name: str
    contract: str
    error_class: ErrorClass | None = None
    code: str | None = None
    own_code: bool = False
    code_of_cause: bool = False
    codes: Mapping[str, ErrorCode] = field(default_factory=lambda: MappingProxyType({}))
    safe_message: bool = False
    attributes: tuple[SafeAttribute, ...] = ()
    conditions: tuple[ExceptionCondition, ...] = ()


@dataclass(frozen=True, slots=True)
class ArgType:
    """What one slot of a template may show; `type` None for nothing but what deny mode lets.

    `attribute` is the name under which the value is exported as well.

    .. versionadded:: 0.1.0
    """

    type: ValueType | None = None
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class RecordRow:
    """What a record means whose message was made from one template.

    Either `logger` or `module` is given: the record's logger, or the module of the call
    site. `literals` are the texts before, between and after the slots and `key` is the
    template as the file has it. A row without event and codes is listed as meaning nothing.

    .. versionadded:: 0.1.0
    """

    contract: str
    key: str
    literals: tuple[str, ...]
    logger: str | None = None
    module: str | None = None
    source: Literal["log", "print"] = "log"
    levelno: int | None = None
    event: str | None = None
    warning_code: str | None = None
    error_code: str | None = None
    error_code_from: Literal["handled"] | None = None
    error_class: ErrorClass | None = None
    args: tuple[ArgType, ...] = ()
    note: str | None = None

    @property
    def means_nothing(self) -> bool:
        """Whether the row only says that the template is known and means nothing."""
        return not (self.event or self.warning_code or self.error_code or self.error_code_from)


@dataclass(frozen=True, slots=True)
class PatternRow:
    """What a finished message means whose shape its library computes.

    `regex` must match the whole message; `message` is shown in its place, with the safe
    values of `groups` in ``{name}``.

    .. versionadded:: 0.1.0
    """

    contract: str
    logger: str
    regex: re.Pattern[str]
    message: str
    groups: Mapping[str, ArgType]
    event: str | None = None
    warning_code: str | None = None
    error_code: str | None = None
    error_code_from: Literal["handled"] | None = None
    error_class: ErrorClass | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Retired:
    """A name that an earlier release of the contract had and that stays reserved.

    .. versionadded:: 0.1.0
    """

    kind: Literal["event", "warning_code", "error_code", "attribute"]
    name: str
    since: str


@dataclass(frozen=True, slots=True)
class LoggerPolicy:
    """What holds for one logger.

    Args:
        contract: The contract which owns the logger; None when no active one does.
        content: Whether it is a content logger, exactly by this name.
        attributes: What `extra` may carry on it, with the type of each.

    .. versionadded:: 0.1.0
    """

    contract: str | None = None
    content: bool = False
    attributes: Mapping[str, ValueType] = field(default_factory=lambda: _NOTHING)


@dataclass(frozen=True, slots=True)
class Contract:
    """All that one contract file declares.

    Args:
        name: The contract's own name.
        summary: One sentence for people.
        file: The file, as messages name it.
        covers: Distribution name to PEP 440 specifier of the releases it was written for.
        loggers: Names that it owns with all their dotted children.
        content_loggers: Exact names on which customer text may be logged at DEBUG.
        wrappers: Qualified functions, or classes, whose callers' argument is the message.
        attributes: What `extra` may carry on its loggers.

    .. versionadded:: 0.1.0
    """

    name: str
    summary: str
    file: str = field(compare=False)
    format: int = FORMAT
    covers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    loggers: tuple[str, ...] = ()
    content_loggers: tuple[str, ...] = ()
    wrappers: tuple[str, ...] = ()
    attributes: Mapping[str, ValueType] = field(default_factory=lambda: _NOTHING)
    events: tuple[Event, ...] = ()
    warning_codes: tuple[WarningCode, ...] = ()
    error_codes: tuple[ErrorCode, ...] = ()
    exceptions: tuple[ExceptionDeclaration, ...] = ()
    records: tuple[RecordRow, ...] = ()
    patterns: tuple[PatternRow, ...] = ()
    retired: tuple[Retired, ...] = ()
