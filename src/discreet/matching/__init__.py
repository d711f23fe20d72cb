"""Tells whether a value holds text that was registered, in whatever form it was written."""

from __future__ import annotations

from discreet.matching.index import Index, Match, Rule, Text

__all__ = ["Index", "Match", "Rule", "Text"]
