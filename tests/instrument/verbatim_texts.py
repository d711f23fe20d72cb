"""Texts of verbatim's customers, which are looked for in all that comes out."""

from __future__ import annotations

from typing import Any

from tests.instrument.models import Step

QUESTION = "Which of Eilif Sørgaard's barrels leaked on the quay?"
CHUNK = "The third barrel of Eilif Sørgaard's leaked, wrote the harbour master."
CANARIES = ("Eilif", "rgaard", "barrel", "leaked", "quay", "harbour master")
REFUSAL = f"{QUESTION} We won't say, since {CHUNK}"


def refused(status: int, *, code: str | None = None, **more: Any) -> Step:
    """An answer of the service whose message quotes everything that it was asked."""
    return {"status": status, "error": {"message": REFUSAL, "type": "error", "param": None, "code": code}, **more}
