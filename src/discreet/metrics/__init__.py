"""Counts of events, calls and records as OpenTelemetry metrics."""
