"""GuardedSpanExporter: what leaves of the spans that other instrumentations make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Final

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import Event, ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.sdk.util import BoundedList
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import Link, SpanContext, SpanKind, Status, TraceState

from discreet.contract import Registry, activate, active
from discreet.errors import ConfigurationError
from discreet.export.foreign_guard import ForeignGuard
from discreet.export.ledger import LEDGER
from discreet.export.span_names import EVENT, SPAN, safe_span_name
from discreet.export.span_rules import SpanRules, span_rules

__all__ = ["GuardedSpanExporter"]

# OpenTelemetry's own entry holds sampling thresholds; all others are their vendors' text.
# https://opentelemetry.io/docs/specs/otel/trace/tracestate-handling/
_OT_STATE: Final = re.compile(r"(?:th|rv|p|r):[0-9a-f]{1,16}(?:;(?:th|rv|p|r):[0-9a-f]{1,16})*")


class GuardedSpanExporter(SpanExporter):
    """Hand spans on to another exporter without the text that they may carry.

    Each span is made anew. Attributes pass by key, from a list that is shipped, and only in
    the closed type of that key; declared attributes of contracts pass as well. Names pass
    when they are known, else the span is called ``span`` and the event ``event``. Times,
    ids, kinds, parents and links stay. A status keeps its code and loses its description,
    an exception event keeps the type alone. What is left out is counted, by scope.

    Args:
        exporter: The exporter that gets the guarded spans.
        attributes: Further attribute keys of spans with their types, as in a contract, such
            as ``{"rpc.method": {"type": "enum", "values": ["Search"]}}``.
        resource: The same for resource attributes.
        names: Further names of spans and events: constants of the operator's own program.
        name: What the ledger calls this sink, which counts spans.
        contracts: Contracts to make active, as for every component.

    Raises:
        ConfigurationError: The exporter is none, or an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    exporter: SpanExporter
    """The exporter behind the guard."""

    def __init__(
        self,
        exporter: SpanExporter,
        *,
        attributes: Mapping[str, Any] | None = None,
        resource: Mapping[str, Any] | None = None,
        names: Iterable[str] = (),
        name: str = "guarded_spans",
        contracts: Iterable[str | PathLike[str]] = (),
    ) -> None:
        if not callable(getattr(exporter, "export", None)):
            raise ConfigurationError("is no span exporter", place="exporter", remedy="Give an object with `export`.")
        self.exporter = exporter
        self._rules = span_rules().extended(attributes=attributes, resource=resource, names=names)
        self._name = name
        self._last: tuple[Resource, Resource] | None = None
        activate(contracts, None)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Hand the guarded forms of spans on.

        Raises:
            Exception: What the exporter behind raises, after it was counted; the SDK's
                processors expect and handle it.
        """
        counts = LEDGER.sink(self._name)
        guarded = [self.guarded(span) for span in spans]
        result: SpanExportResult | None = None
        try:
            result = self.exporter.export(guarded)
        finally:
            for _ in guarded:
                if result is SpanExportResult.SUCCESS:
                    counts.count_observed()
                else:
                    counts.count_missing("export_failed")
        return result

    def guarded(self, span: ReadableSpan) -> ReadableSpan:
        """Return a span that holds what may be exported of another.

        When the guard itself fails, ids, times and kind are all that is left.

        Args:
            span: A finished span; it isn't changed.
        """
        try:
            return _Guard(self._rules, active()).span(span, self._resource)
        except Exception as error:
            LEDGER.failure("span_guard", error)
            return _bare(span)

    def _resource(self, resource: Resource) -> Resource:
        # One process has one resource, or a few in a row after forks.
        last = self._last
        if last is not None and last[0] is resource:
            return last[1]
        safe = _Guard(self._rules, active()).resource(resource)
        self._last = (resource, safe)
        return safe

    def shutdown(self) -> None:
        """Shut the exporter behind the guard down."""
        self.exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the exporter behind the guard.

        Args:
            timeout_millis: How long it may take, in milliseconds.
        """
        return self.exporter.force_flush(timeout_millis)


class _Guard(ForeignGuard):
    """The work on one span."""

    def __init__(self, rules: SpanRules, registry: Registry) -> None:
        super().__init__(rules, registry, "span")

    def span(self, span: ReadableSpan, resource: Callable[[Resource], Resource]) -> ReadableSpan:
        scope = self.instrumentation(span.instrumentation_scope)
        calls = span.kind in {SpanKind.CLIENT, SpanKind.PRODUCER}
        attributes = self.attributes(
            span.attributes, span.dropped_attributes, "attribute", self.rules.client if calls else {}
        )
        name = safe_span_name(span.name, attributes, self.rules, self.registry)
        if name is None:
            self.count("span name")
        events = BoundedList.from_seq(None, [self._event(event) for event in span.events])
        events.dropped = span.dropped_events
        links = BoundedList.from_seq(None, [self._link(link) for link in span.links])
        links.dropped = span.dropped_links
        if span.status.description:
            self.count("status description")
        return ReadableSpan(
            name=SPAN if name is None else name,
            context=_context(span.get_span_context()),
            parent=_context(span.parent),
            resource=resource(span.resource),
            attributes=attributes,
            events=events,
            links=links,
            kind=span.kind,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=scope,
        )

    def _event(self, event: Event) -> Event:
        name = event.name
        if type(name) is not str or not (name in self.rules.event_names or self.registry.is_event(name)):
            self.count("event name")
            name = EVENT
        attributes = self.attributes(event.attributes, event.dropped_attributes, "event attribute")
        return Event(name, attributes, event.timestamp)

    def _link(self, link: Link) -> Link:
        dropped = link.dropped_attributes
        attributes = self.attributes(link.attributes, dropped, "link attribute")
        context = _context(link.context)
        return Link(link.context if context is None else context, attributes)


def _context(context: SpanContext | None) -> SpanContext | None:
    """Return a span context whose trace state holds no vendor's text."""
    if context is None or not context.trace_state:
        return context
    own = context.trace_state.get("ot")
    kept = [("ot", own)] if type(own) is str and _OT_STATE.fullmatch(own) else []
    return SpanContext(
        context.trace_id,
        context.span_id,
        context.is_remote,
        context.trace_flags,
        TraceState(kept),
    )


def _bare(span: ReadableSpan) -> ReadableSpan:
    """Return a span without anything that a person or program wrote."""
    context = span.get_span_context()
    parent = span.parent
    return ReadableSpan(
        name=SPAN,
        context=context and SpanContext(*context[:4]),
        parent=parent and SpanContext(*parent[:4]),
        resource=Resource({}),
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=InstrumentationScope(""),
    )
