"""What is known of one request to a model: numbers and names of the GenAI conventions, its retries and its reply."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, Final, NamedTuple

from discreet.call import Call
from discreet.export.ledger import LEDGER
from discreet.export.span_rules import span_rules
from discreet.instrument.attempts import Reason, attempt_failed
from discreet.instrument.openai_texts import strings_in
from discreet.instrument.quiet import never_raises
from discreet.scope_replies import register_reply
from discreet.seal.types import Withheld, value_type
from discreet.seal.types.hosts import UNKNOWN_HOST

__all__ = ["RUNNING", "Kind", "Watch"]

_REQUEST: Final = {
    "model": "gen_ai.request.model",
    "max_tokens": "gen_ai.request.max_tokens",
    "max_completion_tokens": "gen_ai.request.max_tokens",
    "max_output_tokens": "gen_ai.request.max_tokens",
    "temperature": "gen_ai.request.temperature",
    "top_p": "gen_ai.request.top_p",
    "frequency_penalty": "gen_ai.request.frequency_penalty",
    "presence_penalty": "gen_ai.request.presence_penalty",
    "stream": "gen_ai.request.stream",
    "n": "gen_ai.request.choice.count",
    "dimensions": "gen_ai.embeddings.dimension.count",
}
"""Parameters of requests, and the attributes that the GenAI conventions have for them."""

_COUNT: Final = value_type("count")
_SERVER: Final = {"server.address": "host", "server.port": "port"}
"""Attributes of the server, and the parts of the client's URL that they are."""


_NO_SPEECH: Final = frozenset({"tool_calls", "role", "index", "finish_reason", "logprobs"})
"""Fields of a piece of a reply that have no text, or are looked at by themselves."""


class Kind(NamedTuple):
    """A kind of request.

    .. versionadded:: 0.1.0
    """

    operation: str
    """The operation's name."""

    name: str
    """Its name in the GenAI conventions."""

    text: str
    """The parameter with what the model is given."""


class Watch:
    """Watches one request.

    Args:
        call: Its call.
        kind: The kind of request.

    .. versionadded:: 0.1.0
    """

    def __init__(self, call: Call, kind: Kind) -> None:
        self._call = call
        self._kind = kind
        self._retries = 0
        self._model = ""
        self._said: dict[str, list[str]] = {}
        self._reasons: dict[int, object] = {}

    def asked(self, arguments: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """Take the request.

        Args:
            arguments: Its positional arguments, the client's resource first.
            kwargs: The others.

        .. versionadded:: 0.1.0
        """
        if not self._call._is_traced:  # noqa: SLF001 -- of ours
            return
        try:
            found: dict[str, object] = {
                "gen_ai.operation.name": self._kind.name,
                "gen_ai.provider.name": "openai",
                **{key: kwargs[name] for name, key in _REQUEST.items() if kwargs.get(name) is not None},
            }
            count = found.get("gen_ai.request.choice.count")
            if type(count) is int and count == 1:
                # As the conventions say: only where it isn't one.
                del found["gen_ai.request.choice.count"]
            url = getattr(getattr(arguments[0], "_client", None), "base_url", None)
            for key, name in _SERVER.items():
                part = getattr(url, name, None)
                if part is not None:
                    found[key] = part
            self._tell(found)
        except Exception as error:
            # The request is made; its span will know less.
            LEDGER.failure("instrument", error)

    @never_raises
    def retried(self, wait: float) -> None:
        """Log that an attempt failed, for the exception that is being handled.

        Args:
            wait: Seconds until the next attempt.

        .. versionadded:: 0.1.0
        """
        self._retries += 1
        attempt_failed(
            Reason.of(sys.exc_info()[1]),
            self._retries,
            wait,
            operation=self._kind.operation,
            call=self._call,
        )

    def answered(self, value: Any) -> None:
        """Take a whole reply.

        Args:
            value: What the client returned.

        .. versionadded:: 0.1.0
        """
        try:
            self._response(value)
            choices = getattr(value, "choices", None) or ()
            for choice in choices:
                self._reasons[len(self._reasons)] = getattr(choice, "finish_reason", None)
            self._said["reply"] = ["\n".join(strings_in([choices, getattr(value, "output", None)]))]
            self.told()
        except Exception as error:
            # A reply of another shape, such as a raw one.
            LEDGER.failure("instrument", error)

    def piece(self, value: Any) -> None:
        """Take a piece of a reply.

        Args:
            value: What the stream yields.

        .. versionadded:: 0.1.0
        """
        try:
            self._response(getattr(value, "response", value))
            for choice in getattr(value, "choices", None) or ():
                reason = getattr(choice, "finish_reason", None)
                if reason is not None:
                    self._reasons[choice.index] = reason
                self._add(f"{getattr(choice, 'index', 0)}", getattr(choice, "delta", choice))
            delta = getattr(value, "delta", None)
            if type(delta) is str:
                places = (getattr(value, name, None) for name in ("type", "output_index", "content_index"))
                self._said.setdefault(f"{[*places]}", []).append(delta)
        except Exception as error:
            # As for a whole reply.
            LEDGER.failure("instrument", error)

    def _add(self, place: str, delta: Any) -> None:
        """Add what a piece of a choice says; pieces of several choices and tools come in any order."""
        tools = getattr(delta, "tool_calls", None) or ()
        for tool in tools:
            for text in strings_in(tool):
                self._said.setdefault(f"{place} {getattr(tool, 'index', 0)}", []).append(text)
        fields = {**getattr(delta, "__dict__", {}), **(getattr(delta, "__pydantic_extra__", None) or {})}
        for name, part in fields.items():
            if name not in _NO_SPEECH:
                for text in strings_in(part):
                    self._said.setdefault(f"{place} {name}", []).append(text)

    @never_raises
    def told(self) -> None:
        """Register the reply, of which nothing more comes.

        .. versionadded:: 0.1.0
        """
        if self._reasons:
            self._tell({"gen_ai.response.finish_reasons": tuple(self._reasons.values())})
        # The call's own scope ends with it.
        register_reply("\n".join(map("".join, self._said.values())) or None, outside=self._call)
        self._said = {}

    def _response(self, value: Any) -> None:
        found: dict[str, object] = {}
        model = getattr(value, "model", None)
        if type(model) is str and model != self._model:
            # Each piece of a stream says it again.
            self._model = found["gen_ai.response.model"] = model
        usage = getattr(value, "usage", None)
        if usage is not None:
            sent = getattr(usage, "prompt_tokens", getattr(usage, "input_tokens", None))
            came = getattr(usage, "completion_tokens", getattr(usage, "output_tokens", None))
            found |= {"gen_ai.usage.input_tokens": sent, "gen_ai.usage.output_tokens": came}
            counts = {"input_tokens": _COUNT.safe(sent), "output_tokens": _COUNT.safe(came)}
            self._call._tell_record(  # noqa: SLF001 -- of ours
                {name: count for name, count in counts.items() if type(count) is int}
            )
        if found:
            self._tell(found)

    def _tell(self, found: Mapping[str, object]) -> None:
        if not self._call._is_traced:  # noqa: SLF001 -- of ours
            # The name of a model is looked for in all texts of the call.
            return
        rules = span_rules()
        typed = {
            key: (rules.keys.get(key) or rules.client[key]).safe(value)
            for key, value in found.items()
            if value is not None
        }
        # The place of a host that nobody has declared would say nothing.
        shown = {key: one for key, one in typed.items() if not isinstance(one, Withheld) and one != UNKNOWN_HOST}
        if shown:
            self._call._tell_span(shown)  # noqa: SLF001 -- of ours


RUNNING: Final[ContextVar[Watch | None]] = ContextVar("discreet_openai_request", default=None)
"""The request that is being made."""
