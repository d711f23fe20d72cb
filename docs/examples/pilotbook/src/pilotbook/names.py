"""The names that are public API: a released one keeps its spelling and its meaning.

`contract.toml` says what each means, and a test holds the two together.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["ErrorClass", "ErrorCode", "Event", "WarningCode"]

ErrorClass = Literal["input", "configuration", "upstream", "internal"]

ErrorCode = Literal[
    # input
    "empty_question",
    "invalid_value",
    # configuration
    "authentication_failed",
    "invalid_setting",
    "no_notes",
    "not_readable",
    "permission_denied",
    # upstream
    "connection_failed",
    "invalid_reply",
    "rate_limited",
    "request_rejected",
    "server_error",
    "timeout",
    # internal
    "index_broken",
]

WarningCode = Literal["note_skipped", "question_shortened", "synonyms_unavailable"]

Event = Literal["fallback_used", "notes_loaded", "search_finished"]
