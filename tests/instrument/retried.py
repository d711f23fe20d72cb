"""What a repeated call leaves: its attempts' records and its own, without times."""

from __future__ import annotations

import json
from typing import Any

from tests.calls.seen import CHANGING, Seen

QUESTION = "When does Ottilie Brandvold's cutter leave Skagen?"
CANARIES = ("Ottilie", "Brandvold", "cutter", "Skagen")
SLOW = {"error_code": "timeout", "error_class": "upstream"}
TOO_SLOW = {
    "error_code": "timeout",
    "error_class": "upstream",
    "retryable": True,
    "exception_type": "httpx.ReadTimeout",
    "exception_code": "timeout",
}


def told(sinks: Seen) -> list[dict[str, Any]]:
    """All records of calls and attempts."""
    lines = [json.loads(line) for line in sinks.out.getvalue().splitlines()]
    found = [line for line in lines if line.get("event") in {"call_finished", "attempt_failed"}]
    for line in found:
        for name in (*CHANGING, "duration_ms", "exception_frames"):
            line.pop(name, None)
        if line["event"] == "call_finished":
            line["message"] = line["message"].partition(",")[0]
    return found


def finished(outcome: str, operation: str = "harbour.fetch", **more: Any) -> dict[str, Any]:
    """The record of a call."""
    return {
        "level": "INFO",
        "logger": "discreet",
        "message": f"{operation}: {outcome}",
        "event": "call_finished",
        "operation": operation,
        "outcome": outcome,
        **more,
    }


def attempt(number: int, wait: float, operation: str | None = "harbour.fetch", **more: Any) -> dict[str, Any]:
    """The record of an attempt that is repeated."""
    said = f"attempt {number} failed, the next comes in {wait:.3f} s"
    return {
        "level": "INFO",
        "logger": "discreet",
        "message": said.capitalize() if operation is None else f"{operation}: {said}",
        "event": "attempt_failed",
        **({} if operation is None else {"operation": operation}),
        "attempt": number,
        "wait_s": wait,
        **more,
    }
