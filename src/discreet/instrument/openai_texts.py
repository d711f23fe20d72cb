"""The texts of a request to a model: all that it is given, but for the words of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from discreet.export.ledger import LEDGER

__all__ = ["strings_in", "texts_of"]

_DEEPEST: Final = 16
_MOST: Final = 65_536
"""Values that are looked at: a request with more is one whose texts aren't all known."""

_PARAMETERS: Final = (
    *("instructions", "prediction", "suffix", "prompt"),
    *("metadata", "user", "safety_identifier", "extra_body"),
)
"""Parameters that may hold text, beside the one with what the model is given."""

_PROTOCOL: Final = frozenset(
    {"type", "role", "id", "call_id", "tool_call_id", "file_id", "container_id", "vector_store_id", "item_reference"}
    | {"finish_reason", "logprobs", "status", "phase", "detail", "format", "model", "object", "encrypted_content"}
    | {"created_at", "version"}
)
"""Keys whose values are words or identifiers of the protocol. Any other may hold text."""

_OF_A_TOOL: Final = frozenset({"arguments", "input", "parameters", "description"})
"""Keys beside which a `name` is that of a function, and no person's."""

_NOT_GIVEN: Final = frozenset({"NotGiven", "Omit"})
"""Classes of the client's own marks for what isn't given."""

_NO_TEXT: Final = (int, float, complex, bool, type(None))
_UNKNOWN: Final = object()
"""Is no text, and said to be one where there is one that can't be read."""


def texts_of(name: str, kwargs: Mapping[str, Any]) -> dict[str, object]:
    """Return what a model is given, as texts by parameter.

    No code of the objects is called, but for mappings. Where something can't be read, such as an iterator, which can
    be read only once, something is among them that isn't a text.

    Args:
        name: The parameter with what the model is given.
        kwargs: The arguments of the request.

    .. versionadded:: 0.1.0
    """
    found: dict[str, object] = {}
    whole = True
    for parameter in dict.fromkeys((name, *_PARAMETERS)):
        value = kwargs.get(parameter)
        if value is None:
            continue
        texts: list[str | bytes] = []
        try:
            whole = _read(value, texts) and whole
        except Exception as error:
            # What was read before it stays; the request is made.
            LEDGER.failure("observe_call", error)
            whole = False
        found[parameter] = texts
    return found if whole else {**found, "others": _UNKNOWN}


def strings_in(value: Any) -> list[str]:
    """Return the texts in a reply or a piece of one, as far as they can be read.

    Args:
        value: What the client made of it.

    .. versionadded:: 0.1.0
    """
    found: list[str | bytes] = []
    _read(value, found)
    return [text for text in found if type(text) is str]


def _read(value: Any, texts: list[str | bytes]) -> bool:
    """Read a value, and tell whether it was read whole."""
    whole = True
    seen = 0
    waiting: list[tuple[Any, int]] = [(value, 0)]
    while waiting:
        one, depth = waiting.pop()
        seen += 1
        if isinstance(one, str | bytes):
            texts.append(one)
        elif isinstance(one, _NO_TEXT) or type(one).__name__ in _NOT_GIVEN:
            continue
        elif depth > _DEEPEST or seen > _MOST:
            whole = False
        elif isinstance(one, list | tuple):
            if one and all(type(member) is int for member in one):
                # A text as its tokens, which nobody logs as words.
                continue
            waiting.extend((member, depth + 1) for member in reversed(one))
        elif (mapping := _mapping(one)) is None:
            whole = False
        else:
            waiting.extend((member, depth + 1) for member in reversed(_values(mapping)))
    return whole


def _mapping(value: Any) -> Mapping[str, Any] | None:
    if isinstance(value, Mapping):
        return value
    if type(value).__module__.partition(".")[0] != "openai":
        return None
    # Of the client's own replies, which go into the next request. What it has no field for is among the others.
    fields = getattr(value, "__dict__", None)
    if type(fields) is not dict:
        return None
    return {**fields, **(getattr(value, "__pydantic_extra__", None) or {})}


def _values(mapping: Mapping[str, Any]) -> list[Any]:
    members = list(mapping.items())
    keys = {key for key, _ in members}
    return [
        member
        for key, member in members
        if key not in _PROTOCOL
        and not (key == "name" and not keys.isdisjoint(_OF_A_TOOL))
        # A picture or a document, whose text the model alone reads.
        and not (type(member) is str and member.startswith("data:"))
        and not (key == "data" and "format" in keys)
    ]
