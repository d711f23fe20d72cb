"""What spans and log records of other instrumentations have in common, and what may leave of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from opentelemetry.attributes import BoundedAttributes
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from discreet.call_counts import CALLS
from discreet.contract import Registry
from discreet.export.ledger import LEDGER
from discreet.export.span_names import safe_scope, safe_version
from discreet.export.span_rules import Rule, Safe, SpanRules, exported
from discreet.export.spans import SCOPE
from discreet.seal.types import ValueType, Withheld

__all__ = ["ForeignGuard"]

_NOTHING: Final[Mapping[str, Rule]] = MappingProxyType({})
_OPERATION: Final = "operation"
_SCHEMA: Final = re.compile(r"https://opentelemetry\.io/schemas/\d{1,3}(?:\.\d{1,4}){1,2}")


class ForeignGuard:
    """The work on one span or log record; counts what it leaves out, by the scope that made it.

    Args:
        rules: the allow-lists.
        registry: the active contracts.
        what: ``span`` or ``log``, for the ledger.

    .. versionadded:: 0.1.0
    """

    def __init__(self, rules: SpanRules, registry: Registry, what: str) -> None:
        self.rules = rules
        self.registry = registry
        self._what = what
        self._scope = ""

    def instrumentation(self, scope: InstrumentationScope | None) -> InstrumentationScope | None:
        """Return what may leave of an instrumentation scope; what follows is counted as its own."""
        if scope is None:
            return None
        name = safe_scope(scope.name, self.rules, self.registry)
        if name is None:
            self.count("scope name")
            return InstrumentationScope("")
        self._scope = name
        schema = scope.schema_url
        return InstrumentationScope(
            name,
            safe_version(scope.version),
            schema if type(schema) is str and _SCHEMA.fullmatch(schema) else None,
            self.attributes(scope.attributes, 0, "scope attribute"),
        )

    def resource(self, resource: Resource) -> Resource:
        """Return what may leave of a resource."""
        kept, gone = _chosen(resource.attributes, (self.rules.resource,))
        if gone:
            self.count("resource attribute", gone)
        schema = resource.schema_url
        return Resource(kept, schema if _SCHEMA.fullmatch(schema) else None)

    def attributes(
        self, given: Mapping[str, Any] | None, dropped: int, kind: str, more: Mapping[str, Rule] = _NOTHING
    ) -> BoundedAttributes:
        """Return the attributes that pass; `dropped` tells the receiver how many did not.

        Args:
            given: all of them.
            dropped: how many the SDK has left out already.
            kind: what they are, for the ledger.
            more: further keys that may pass.
        """
        given = given or {}
        logger = given.get("logger")
        policy = self.registry.policy(logger if type(logger) is str else "")
        lists: tuple[Mapping[str, Rule | ValueType], ...] = (self.rules.keys, more, policy.attributes)
        if self._scope == SCOPE:
            lists = (*lists, exported(self.registry))
        kept, gone = _chosen(given, lists)
        if gone:
            self.count(kind, gone)
        attributes = BoundedAttributes(attributes=kept)
        attributes.dropped = dropped + gone
        return attributes

    def count(self, kind: str, count: int = 1) -> None:
        """Count what was left out."""
        site = f"{self._what} of {self._scope or '?'}"
        LEDGER.withhold(site, "", kind, count, scope=(self._what, self._scope))


def _chosen(given: Mapping[str, Any], lists: tuple[Mapping[str, Rule | ValueType], ...]) -> tuple[dict[str, Any], int]:
    """Return what passes of some attributes by the first list that has the key, and how many don't."""
    kept: dict[str, Any] = {}
    gone = 0
    for key, value in given.items():
        kind = next((found[key] for found in lists if key in found), None) if type(key) is str else None
        if key == _OPERATION and kind is not None and type(value) is str and CALLS.known(value):
            # The program's code says it: that it is missing would tell what the customer wrote.
            kept[key] = value
            continue
        safe: Safe = Withheld.WITHHELD if kind is None else kind.safe(value)
        if isinstance(safe, Withheld):
            gone += 1
        elif safe is not None:
            kept[key] = safe
    return kept, gone
