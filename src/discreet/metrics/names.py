"""What every time series is called: declared names only, so that each can start at 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from discreet.contract import Registry
from discreet.contract.model import Contract
from discreet.seal.sealed import Sealed

__all__ = ["WITHHELD_FROM_START", "Attributes", "Names"]

Attributes = dict[str, str | bool | int | float]
"""The attributes of a time series."""

_UNDECLARED: Final = "undeclared"
_OURS: Final = "discreet"

WITHHELD_FROM_START: Final[tuple[tuple[str, str], ...]] = (
    ("unproven", "message"),
    ("undeclared", "argument"),
    ("undeclared", "attribute"),
    ("wrong_type", "argument"),
    ("wrong_type", "attribute"),
    ("matched", "message"),
    ("matched", "argument"),
    ("matched", "attribute"),
    ("failed", "record"),
)
"""Reason and kind of what is usually withheld; others begin when they first happen.

.. versionadded:: 0.1.0
"""


class Names:
    """The time series of events and codes that some contracts have.

    A record with an event and a code counts in the series of both. One series for each combination couldn't start at
    0, because nobody knows beforehand which there will be, and a counter's first value is no increase.

    Args:
        registry: the contracts.

    .. versionadded:: 0.1.0
    """

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self._events: dict[str, dict[str, Attributes]] = {}
        self._warnings: dict[str, Attributes] = {}
        self._errors: dict[str, Attributes] = {}
        # An event that we log for a library that doesn't counts with the library's own.
        for contract in sorted(registry.contracts, key=lambda one: one.name == _OURS):
            for event in contract.events:
                if event.name not in self._events:
                    first = _attributes(event=event.name, level=event.level, contract=contract.name)
                    self._events[event.name] = {event.level: first}
        for contract in registry.contracts:
            for row in contract.warning_codes:
                self._warnings.setdefault(row.code, _attributes(warning_code=row.code, contract=contract.name))
            for code in _error_codes(contract):
                self._errors.setdefault(
                    code, _attributes(error_code=code, error_class=registry.error_class(code), contract=contract.name)
                )

    @property
    def warning_codes(self) -> Iterable[str]:
        """All declared warning codes."""
        return self._warnings

    def declared(self) -> Iterator[Attributes]:
        """Yield the series of all declared names, each event at its declared level."""
        for levels in self._events.values():
            yield from levels.values()
        yield from self._warnings.values()
        yield from self._errors.values()

    def of(self, sealed: Sealed) -> list[Attributes]:
        """Return the series that a record counts in; none for one that means nothing.

        Args:
            sealed: the sealed record.
        """
        found: list[Attributes] = []
        fields: Mapping[str, object] = sealed.fields
        event, warning, error = fields.get("event"), fields.get("warning_code"), fields.get("error_code")
        if event is not None:
            found.append(self._event(str(event), str(fields["level"])))
        if warning is not None:
            found.append(self._warnings.get(str(warning)) or _attributes(warning_code=_UNDECLARED))
        if error is not None:
            found.append(self._errors.get(str(error)) or _attributes(error_code=_UNDECLARED))
        return found

    def _event(self, name: str, level: str) -> Attributes:
        levels = self._events.get(name)
        if levels is None:
            return _attributes(event=_UNDECLARED, level=level)
        found = levels.get(level)
        # A level has one of logging's own names, or one that a program gave it: there are few.
        return {**next(iter(levels.values())), "level": level} if found is None else found


def _error_codes(contract: Contract) -> Iterator[str]:
    yield from (row.code for row in contract.error_codes)
    for declared in contract.exceptions:
        if declared.code is not None:
            yield declared.code
        yield from (condition.code for condition in declared.conditions)


def _attributes(**values: str | None) -> Attributes:
    return {name: value for name, value in values.items() if value is not None}
