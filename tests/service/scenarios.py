"""What is done to each request of the steady load, and the calls that have to be counted for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

Call = tuple[str, str, str | None]
"""Operation, outcome, and the error code or the warning code."""

Parts = Mapping[str, tuple[str | int, ...]]
"""By what the LLM is asked for, how it answers the first attempt, the second and so on; the last one is repeated."""

TRIES = 2
"""Attempts that the service's client makes."""


@dataclass(frozen=True)
class Scenario:
    """One way in which a request goes."""

    name: str
    calls: Counter[Call]
    parts: Parts = field(default_factory=dict)
    weight: int = 1
    path: str = "/ask"
    patience: float | None = None
    leaves: bool = False
    """Whether the client leaves once the LLM is at work."""

    attempts: tuple[str, ...] = ()
    """The error codes of attempts that were repeated."""

    violations: tuple[str, ...] = ()
    """The error codes after which verbatim went on although it shouldn't."""

    @property
    def outcome(self) -> str:
        """The outcome of the request's own call."""
        (found,) = (outcome for operation, outcome, _ in self.calls if operation.startswith("desk."))
        return found


def _call(operation: str, said: str) -> Call:
    outcome, _, code = said.partition(" ")
    return operation, outcome, code or None


def _ask(desk: str, transform: str, extract: str, *requests: str) -> Counter[Call]:
    found = [_call("desk.answer", desk), _call("verbatim.transform", transform), _call("verbatim.extract", extract)]
    for said in requests:
        found += [_call("verbatim.complete", said), _call("openai.chat", said)]
    return Counter(found)


def _stream(said: str) -> Counter[Call]:
    return Counter([_call("desk.stream", said), _call("openai.chat", said)])


def _nothing(code: str, *requests: str) -> Counter[Call]:
    """Nothing was extracted; verbatim returns an empty answer then, and the service refuses that."""
    return _ask("error", f"error {code}", f"error {code}", *requests)


def _unanswered(calls: Counter[Call], requests: int = 1) -> Counter[Call]:
    """As many requests were answered by nothing: they went well, but nothing was completed by them."""
    change = {("verbatim.complete", "ok", None): -requests, ("verbatim.complete", "error", "empty_reply"): requests}
    return +Counter({call: calls[call] + change.get(call, 0) for call in {*calls, *change}})


def _empty(requests: int) -> Counter[Call]:
    return _unanswered(_nothing("empty_reply", *["ok"] * requests), requests)


_GOOD = _ask("ok", "ok", "ok", "ok", "ok")
_BOTH = ("batch", "first", "second")


def _always(*answers: str | int) -> Parts:
    return dict.fromkeys(_BOTH, answers)


def scenarios(*, cancels: bool) -> tuple[Scenario, ...]:
    """Return all.

    Args:
        cancels: Whether the service gives up what nobody waits for any more.
    """
    gone = _ask("cancelled", "cancelled", "cancelled", "cancelled") if cancels else _GOOD
    no_answer = "error server_error"
    return (
        Scenario("good", _GOOD, weight=14),
        Scenario("rate limited once", _GOOD, {"batch": (429, "good")}, weight=2, attempts=("rate_limited",)),
        Scenario("overloaded once", _GOOD, {"template": (503, "good")}, attempts=("server_error",)),
        Scenario("hung up once", _GOOD, {"batch": ("hang up", "good")}, attempts=("connection_failed",)),
        Scenario("down", _nothing("server_error", *[no_answer] * 3), _always(500), attempts=("server_error",) * 3),
        Scenario(
            "key refused",
            _nothing("authentication_failed", *["error authentication_failed"] * 3),
            _always(401),
            violations=("authentication_failed",),
        ),
        Scenario(
            "hangs up",
            _nothing("connection_failed", *["error connection_failed"] * 3),
            _always("hang up"),
            attempts=("connection_failed",) * 3,
        ),
        Scenario(
            "silent",
            _nothing("timeout", *["error timeout"] * 3),
            _always("silent"),
            patience=0.25,
            attempts=("timeout",) * 3,
        ),
        Scenario("broken JSON", _nothing("invalid_reply", "ok"), {"batch": ("broken",)}),
        Scenario("no JSON at all", _nothing("invalid_reply", "error invalid_reply"), {"batch": ("garbled",)}),
        Scenario("empty", _empty(1), {"batch": ("empty",)}),
        Scenario("no text", _empty(3), _always("no text")),
        Scenario(
            "quotes what is not there",
            _ask("degraded quote_not_found", "degraded quote_not_found", "degraded quote_not_found", "ok", "ok"),
            {"batch": ("altered",)},
            weight=2,
        ),
        Scenario(
            "half",
            _ask("degraded", "degraded", "degraded", no_answer, "ok", no_answer, "ok"),
            {"batch": (500,), "second": (500,)},
            attempts=("server_error",) * 2,
        ),
        Scenario(
            "template refused",
            _ask("degraded template_fallback", "degraded template_fallback", "ok", "ok", "error request_rejected"),
            {"template": (400,)},
        ),
        Scenario(
            "template empty",
            _unanswered(_ask("degraded template_fallback", "degraded template_fallback", "ok", "ok", "ok")),
            {"template": ("empty",)},
        ),
        Scenario("client leaves", gone, {"batch": ("wait",)}, weight=2, leaves=True),
        Scenario("stream", _stream("ok"), weight=3, path="/stream"),
        Scenario("stream refused", _stream(no_answer), {"stream": (500,)}, path="/stream", attempts=("server_error",)),
        Scenario("stream fails", _stream(no_answer), {"stream": ("fail",)}, path="/stream"),
        Scenario("stream hangs up", _stream("error connection_failed"), {"stream": ("hang up later",)}, path="/stream"),
        Scenario(
            "client leaves stream", _stream("cancelled"), {"stream": ("go on",)}, weight=2, path="/stream", leaves=True
        ),
    )


class Plan:
    """Deals the scenarios to requests: in each round all of them, in an order of its own.

    Args:
        seed: Of the order.
        cancels: As for :func:`scenarios`.
    """

    def __init__(self, seed: int, *, cancels: bool) -> None:
        self.seed = seed
        self.cancels = cancels
        self._deck = [one for one in scenarios(cancels=cancels) for _ in range(one.weight)]

    @property
    def round(self) -> int:
        """Requests of a round."""
        return len(self._deck)

    def scenario(self, number: int) -> Scenario:
        """Return the scenario of a request."""
        turn, place = divmod(number, self.round)
        order = self._deck.copy()
        Random(f"{self.seed} {turn}").shuffle(order)
        return order[place]
