"""Logs and spans over OTLP: queue, requests, answers, retries and the counts of what became of each record."""
