"""Names of foreign spans and scopes, made anew from parts that are known to be safe."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from typing import Final

from discreet.call_counts import CALLS
from discreet.contract import Registry
from discreet.export.span_rules import SpanRules
from discreet.seal.types import ValueType, Withheld, value_type

__all__ = ["EVENT", "SPAN", "safe_scope", "safe_span_name", "safe_version"]

SPAN: Final = "span"
"""The name of a span whose own name isn't known to be safe.

.. versionadded:: 0.1.0
"""

EVENT: Final = "event"
"""The name of a span event whose own name isn't known to be safe.

.. versionadded:: 0.1.0
"""

# The ASGI instrumentation ends a route's name so in the spans of its messages.
_ASGI_ENDS: Final = tuple(f" {kind} {way}" for kind in ("http", "websocket") for way in ("send", "receive"))
_VERSION: Final = re.compile(r"\d{1,4}(?:\.\d{1,6}){0,3}(?:(?:a|b|rc|\.post|\.dev)\d{1,6}){0,3}", re.ASCII)
_METHOD: Final[ValueType] = value_type("http_method")
_ROUTE: Final[ValueType] = value_type("route")
_VERB: Final[ValueType] = value_type("sql_verb")
_MODEL: Final[ValueType] = value_type("model_id")


def safe_span_name(name: object, attributes: Mapping[str, object], rules: SpanRules, registry: Registry) -> str | None:
    """Return what of a span's name may be exported, None when nothing may.

    A name passes when it is an event of a contract, an observed operation or a constant of an instrumentation. Of
    ``GET /chunks/{id}``, ``chat gpt-4o`` and ``SELECT answers`` those parts are kept that have
    a closed type: method and route, operation and model, the verb.

    Args:
        name: The span's own name.
        attributes: Its attributes as they will be exported.
        rules: The allow-lists.
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    if type(name) is not str:
        return None
    if registry.is_event(name) or name in rules.span_names or CALLS.known(name):
        return name
    head, _, rest = name.partition(" ")
    if head == "HTTP":
        # Older HTTP instrumentations say "HTTP GET".
        head, _, rest = rest.partition(" ")
        return _exactly(_METHOD, head) and f"HTTP {head}"
    method = _exactly(_METHOD, head)
    if method is not None:
        return _http(method, rest)
    if not isinstance(rules.keys["gen_ai.operation.name"].safe(head), Withheld):
        return _generative(head, rest, attributes)
    return _exactly(_VERB, head)


def _http(method: str, rest: str) -> str:
    end = next((end for end in _ASGI_ENDS if rest.endswith(end)), "")
    route = _text(_ROUTE, rest.removesuffix(end))
    return f"{method}{end}" if route is None else f"{method} {route}{end}"


def _generative(operation: str, rest: str, attributes: Mapping[str, object]) -> str:
    # What follows execute_tool or invoke_agent is a name that somebody gave, and a model's
    # name counts only if the span says that it is one, or it can be nothing else.
    if operation.startswith(("execute_", "invoke_", "create_")):
        return operation
    model = attributes.get("gen_ai.request.model", _MODEL.safe(rest) if rest else None)
    return f"{operation} {rest}" if type(model) is str and model == rest else operation


def _exactly(kind: ValueType, word: str) -> str | None:
    """Return a word that is written as its type writes it: names of spans are in capitals."""
    return word if _text(kind, word) == word else None


def _text(kind: ValueType, value: str) -> str | None:
    """Return the safe form of a word, None when it has none."""
    safe = kind.safe(value) if value else None
    return safe if type(safe) is str else None


def safe_scope(name: object, rules: SpanRules, registry: Registry) -> str | None:
    """Return an instrumentation scope's name if it is a module's or a known one, else None.

    Args:
        name: The scope's own name.
        rules: The allow-lists.
        registry: The active contracts, whose loggers' names count too.

    .. versionadded:: 0.1.0
    """
    if type(name) is not str:
        return None
    known = name in rules.scopes or name in sys.modules or name in registry.logger_prefixes
    return name if known else None


def safe_version(version: object) -> str | None:
    """Return a scope's version if it is a release number, else None.

    .. versionadded:: 0.1.0
    """
    return version if type(version) is str and _VERSION.fullmatch(version) else None
