"""One observed call, from its begin to its end."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from types import TracebackType
from typing import Any, Final, TypeVar

from opentelemetry import context as otel_context
from opentelemetry import trace
from opentelemetry.context import Context

from discreet.call_counts import CALLS, Counted, Outcome
from discreet.call_warnings import FALLBACK, MOST, codes_of, declared_code, log_fallback, plain
from discreet.contract import active
from discreet.contract.model import ERROR_CLASSES
from discreet.declared import Public
from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.forks import ForkSafeLock
from discreet.operations import in_scope
from discreet.scope import Scope, enter, leave, opened, owners
from discreet.scoped import NOTICES
from discreet.seal.exceptions import ExceptionFacts, describe
from discreet.seal.peek import traceback_of
from discreet.seal.sealed import Sealed
from discreet.seal.types import Scalar
from discreet.undeclared import UNDECLARED, undeclared
from discreet.unknown_texts import say_unknown

__all__ = ["Call", "running"]

T = TypeVar("T")

_NO_CODE: Final = "_OTHER"
"""Error code of an exception that has none by contract."""

_LOGGER: Final = "discreet"
_NOT_TOLD: Final[frozenset[str]] = frozenset()
_warning: Final = ForkSafeLock()
_tracers: list[tuple[trace.TracerProvider, trace.Tracer]] = []


class Call:
    """A running call, as :func:`discreet.observe_call` hands it to a ``with`` block.

    .. versionadded:: 0.1.0
    """

    __slots__ = (
        "__weakref__",
        "_before",
        "_context",
        "_counted",
        "_facts",
        "_failed",
        "_failed_items",
        "_items",
        "_parent",
        "_scope",
        "_span",
        "_started",
        "_told",
        "_warnings",
    )

    def __init__(self) -> None:
        self._started = time.perf_counter()
        self._scope: Scope | None = None
        self._counted: Counted | None = None
        self._parent: Call | None = None
        self._span: trace.Span = trace.INVALID_SPAN
        self._before: Context | None = None
        self._context: Context | None = None
        self._items: int | None = None
        self._failed_items = 0
        self._failed: tuple[BaseException | None, str | None, str | None] | None = None
        self._facts: dict[str, Any] = {}
        self._warnings: dict[str, int] = {}
        self._told = _NOT_TOLD

    def result(self, value: T, *, items: int | None = None, failed: int = 0) -> T:
        """Take the call's result, of which only its warnings are looked at.

        Args:
            value: Anything. Its ``warnings``, an attribute or a key, may be a list of codes, or of objects or
                mappings that have a ``code``.
            items: How many items it is made of, such as chunks or hits, if that is of interest; at most 10**9.
            failed: How many of them failed; then it is degraded.

        Returns:
            The value.
        """
        try:
            # A number without a bound can be a text.
            if type(items) is int and 0 <= items <= MOST:
                self._items = items
            if type(failed) is int and failed > 0:
                self._failed_items = min(failed, MOST)
            if value is None or type(value) is str:
                # A word of a stream: it has none, and there are thousands.
                return value
            found = Counter(codes_of(value))
            if found:
                self._warn(found)
        except Exception as error:
            # Whatever the application's own objects raise there, its call has its result.
            LEDGER.failure("handler result", error)
        return value

    def warn(self, code: str, count: int = 1) -> None:
        """Say that the call's result is degraded.

        Args:
            code: A warning code of an active contract; others are counted as ``undeclared``.
            count: How many such warnings there are.
        """
        self._warn({declared_code(code): min(count, MOST) if type(count) is int else 1})

    def fail(
        self, error: BaseException | None = None, *, code: str | None = None, error_class: str | None = None
    ) -> None:
        """Say that the call has no result, whatever it returns: what it was to do has failed and nothing was raised.

        The first one counts. For an exception that the call raises too, it says which code it has if no contract does.

        Args:
            error: The exception that was swallowed, if it is known.
            code: An error code of an active contract, for an exception that has none by contract, or for none.
            error_class: Who can do something about it: ``input``, ``configuration``, ``upstream`` or ``internal``;
                None for what the contracts say of the code.
        """
        if self._failed is None:
            if error is not None and not issubclass(type(error), BaseException):
                # Somebody's words, perhaps.
                LEDGER.failure("handler call", InvalidInputError("must be an exception", param="error"))
                error = None
            contracts = active()
            code, error_class = plain(code), plain(error_class)
            if code is not None and not contracts.is_error_code(code):
                code = undeclared("error_code")
            if type(error_class) is not str or error_class not in ERROR_CLASSES:
                if error_class is not None:
                    undeclared("error_class")
                error_class = contracts.error_class(code)
            self._failed = (error, code, error_class)

    @property
    def _is_traced(self) -> bool:
        """Whether anybody gets its span: else nothing has to be found out for it."""
        return self._span.is_recording()

    def _tell_span(self, attributes: dict[str, Any]) -> None:
        """Give the call's span more attributes, which an instrumentor has from numbers and declared names."""
        self._span.set_attributes(attributes)

    def _tell_record(self, attributes: dict[str, Scalar]) -> None:
        """Give the call's record and span more attributes, which our contract declares for them."""
        self._facts |= attributes

    def _warn(self, warnings: Mapping[str, int], *, told: bool = False) -> None:
        """Take warnings: the same may come as records, in the result, and from a call inside this one.

        Args:
            warnings: How many there are of each code.
            told: Whether there is a record of each of them.
        """
        with _warning:
            for code, count in warnings.items():
                if count > self._warnings.get(code, 0):
                    self._warnings[code] = count
            if told:
                self._told = self._told.union(warnings)

    def _streamed(self, items: int) -> None:
        """Take how many items a stream has given, unless its own code has said so."""
        if self._items is None:
            self._items = items

    def begin(
        self,
        operation: str | Public[str] | None,
        texts: dict[str, object],
        kind: trace.SpanKind = trace.SpanKind.INTERNAL,
    ) -> None:
        """Begin; called once.

        Args:
            operation: its name, None for one that can't be its name.
            texts: its customer texts by name.
            kind: the kind of its span.
        """
        if not NOTICES:
            NOTICES.append(_notice)
        self._parent = running()
        unknown: list[str] = []
        scope = self._scope = opened(texts, owner=self, unknown=unknown)
        enter(scope)
        name = in_scope(operation)
        self._counted = CALLS.start(UNDECLARED if name is None else name)
        self._span = _tracer().start_span(
            self._counted.operation, kind=kind, record_exception=False, set_status_on_exception=False
        )
        self._before = otel_context.get_current()
        self._context = trace.set_span_in_context(self._span, self._before)
        otel_context.attach(self._context)
        if name is None:
            undeclared("operation")
        say_unknown(self._counted.operation, unknown)
        self._started = time.perf_counter()

    def end(self, error: BaseException | None = None, traceback: TracebackType | None = None) -> None:
        """End, once. Never raises: what fails is counted.

        Args:
            error: what the call raised.
            traceback: where.
        """
        seconds = time.perf_counter() - self._started
        try:
            self._tell(error, traceback, seconds)
        except Exception as failed:
            # The application's call has its result or its exception; neither may be lost for a record.
            LEDGER.failure("handler call", failed)
        finally:
            self._close()

    def _tell(self, error: BaseException | None, traceback: TracebackType | None, seconds: float) -> None:
        counted = self._counted
        if counted is None:
            return
        code, kind = None, None
        swallowed = self._failed is not None and (error is None or error is self._failed[0])
        if swallowed and self._failed is not None:
            error, code, kind = self._failed
            traceback = traceback if error is None else traceback or traceback_of(error)
        facts = describe(error, traceback, active()) if error is not None else None
        if facts is None and swallowed:
            facts = ExceptionFacts("", code, kind)
        elif facts is not None and facts.code is None and code is not None:
            facts = replace(facts, code=code, codes=(code, *facts.codes[1:]), error_class=kind)
        with _warning:
            outcome: Outcome = "error" if error is None and facts is not None else self._outcome(error)
            warnings, told = self._warnings.copy(), self._told
        codes = [code for code in warnings if code]
        failed = None
        if outcome == "error" and facts is not None:
            failed = (facts.code or _NO_CODE, facts.error_class)
        if not counted.end(outcome, codes if outcome == "degraded" else (), failed):
            # In a forked child: the parent's call is the parent's to end.
            return
        for take in CALLS.timed.copy():
            take(counted.operation, outcome, seconds)
        if outcome == "degraded" and self._parent is not None:
            # There is a record of each by now, or will be in a moment: those around it log none.
            self._parent._warn(warnings or {"": 1}, told=True)  # noqa: SLF001 -- of its own class
        attributes = self._attributes(counted.operation, outcome, seconds, min(sum(warnings.values()), MOST))
        code = codes[0] if outcome == "degraded" and codes else None
        self._end_span(attributes, facts, outcome, code)
        for one in codes if outcome == "degraded" else ():
            if one not in told:
                log_fallback(counted.operation, one, warnings[one])
        _log(attributes, facts, error, traceback, code)

    def _attributes(self, operation: str, outcome: Outcome, seconds: float, warnings: int) -> dict[str, Scalar]:
        found: dict[str, Scalar] = {
            "operation": operation,
            "outcome": outcome,
            "duration_ms": round(seconds * 1000, 3),
        }
        if self._items is not None:
            found["items"] = self._items
        if self._failed_items:
            found["items_failed"] = self._failed_items
        if warnings:
            found["warnings"] = warnings
        return found | self._facts

    def _outcome(self, error: BaseException | None) -> Outcome:
        if error is None:
            return "degraded" if self._warnings or self._failed_items else "ok"
        # By its real class: a class can call itself whatever it likes.
        kind = type(error)
        return "error" if issubclass(kind, Exception) and not issubclass(kind, CancelledError) else "cancelled"

    def _end_span(
        self, attributes: dict[str, Scalar], facts: ExceptionFacts | None, outcome: Outcome, code: str | None
    ) -> None:
        span = self._span
        if not span.is_recording():
            return
        from discreet.export.span_exceptions import exception_attributes
        from discreet.export.spans import OF_A_CALL

        found: dict[str, Any] = {
            "event": OF_A_CALL,
            "logger": _LOGGER,
            **attributes,
            **({} if code is None else {"warning_code": code}),
        }
        if facts is not None:
            found = {**facts.attributes, **found, **(exception_attributes(facts) if facts.type else {})}
            if outcome == "error":
                found |= {} if facts.code is None else {"error_code": facts.code}
                found |= {} if facts.error_class is None else {"error_class": facts.error_class}
                found["error.type"] = facts.code or facts.type or _NO_CODE
                span.set_status(trace.StatusCode.ERROR)
        span.set_attributes(found)

    def _close(self) -> None:
        try:
            counted = self._counted
            if counted is not None and counted.mine:
                self._span.end()
        except Exception as error:
            # A span processor may raise whatever it likes.
            LEDGER.failure("spans", error)
        finally:
            self._detach()
            self._span = trace.INVALID_SPAN
            # Its traceback may hold the frame that holds this call.
            self._failed = None
            if self._scope is not None:
                leave(self._scope)
                self._scope = None

    def _detach(self) -> None:
        context, before, parent = self._context, self._before, self._parent
        # Of streams that were begun within one another, each ends when it likes; none that has ended is current again.
        while parent is not None and before is not None:
            if parent._scope is not None or before is not parent._context:  # noqa: SLF001 -- of its own class
                break
            before, parent = parent._before, parent._parent  # noqa: SLF001 -- the same
        # No token: a call may be left in another context than it was begun in, which a token doesn't allow.
        if context is not None and otel_context.get_current() is context:
            otel_context.attach(before or Context())
            context = before = parent = None
        self._context, self._before, self._parent = context, before, parent


def running() -> Call | None:
    """Return the innermost call that runs, None if there is none.

    .. versionadded:: 0.1.0
    """
    return next((owner for owner in owners() if isinstance(owner, Call)), None)


def _tracer() -> trace.Tracer:
    """Return the tracer of the process's present provider, which may be set later than the first call."""
    provider = trace.get_tracer_provider()
    if not _tracers or _tracers[0][0] is not provider:
        _tracers[:] = [(provider, provider.get_tracer(_LOGGER))]
    return _tracers[0][1]


def _log(
    attributes: dict[str, Scalar],
    facts: ExceptionFacts | None,
    error: BaseException | None,
    traceback: TracebackType | None,
    code: str | None,
) -> None:
    logger = logging.getLogger(_LOGGER)
    if not logger.isEnabledFor(logging.INFO):
        return
    from discreet.doors.report import send
    from discreet.seal.standin import stand_in

    send(
        _LOGGER,
        logging.INFO,
        f"{attributes['operation']}: {attributes['outcome']}, {attributes['duration_ms']} ms",
        "call_finished",
        attributes=attributes,
        warning_code=code,
        exception=error,
        facts=facts if error is not None else None,
        error_code=facts.code if facts is not None and attributes["outcome"] == "error" else None,
        error_class=None if facts is None else facts.error_class,
        stand=stand_in(error, traceback) if error is not None else None,
    )


def _notice(sealed: Sealed) -> None:
    """Notice a record that says that a result is degraded."""
    fields = sealed.fields
    if fields.get("event") != FALLBACK:
        return
    call, count = running(), sealed.attributes.get("count")
    if call is not None:
        found = {fields.get("warning_code") or "": count if type(count) is int else 1}
        call._warn(found, told=True)  # noqa: SLF001 -- of this file
