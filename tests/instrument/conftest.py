"""Each test has counts, a ledger, a tracer provider and instrumentors of its own."""

from __future__ import annotations

from importlib.util import find_spec

from tests.calls.conftest import _clock, _fresh, sinks  # noqa: F401  # fixtures

# Without the extra, or without the libraries of the dependency group `integration`, there is nothing to observe.
collect_ignore_glob = [] if find_spec("opentelemetry.instrumentation") else ["test_*.py"]
collect_ignore_glob += [] if find_spec("groundkit") else ["test_groundkit*.py", "test_command_line*.py"]
collect_ignore_glob += [] if find_spec("openai") else ["test_openai*.py", "test_verbatim*.py"]
collect_ignore_glob += [] if find_spec("stamina") else ["test_retries_*.py"]
collect_ignore_glob += [] if find_spec("oloproof") else ["test_oloproof*.py", "test_command_line*.py"]
