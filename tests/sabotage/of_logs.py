"""Sabotages of what leaves of OpenTelemetry's own log records."""

from __future__ import annotations

from discreet.doors import otel_logs
from discreet.export import foreign_guard, log_guard
from tests.sabotage.sabotages import noticed_by


@noticed_by("log_body")
def the_body_of_a_log_record_is_let_through() -> None:
    log_guard._safe_body = lambda body: body


@noticed_by("log_past_logging")
def a_log_record_past_logging_is_taken_for_a_handlers() -> None:
    otel_logs._is_of_a_handler = lambda frame: True


@noticed_by("log_event_name")
def any_event_name_of_a_log_record_is_let_through() -> None:
    log_guard._Guard._event_name = lambda self, name: name


@noticed_by("log_attribute")
def any_attribute_of_a_log_record_is_let_through() -> None:
    foreign_guard._chosen = lambda given, lists: (dict(given), 0)
