"""What applications with text scopes say at each place that a call comes to: one word of the customer's text."""

from __future__ import annotations

import logging

import discreet

log = logging.getLogger("scoped")
matched = logging.getLogger("scoped.matched")


def note(place: str, text: str) -> None:
    """Log a place and the fourth word of a text, as what the program declares public, and in match mode."""
    word = text.split()[3]
    log.info("At %s: %s", discreet.public(place), discreet.public(word))
    matched.info("At %s: %s", place, word)


def plain(place: str, text: str) -> None:
    """Log a place, and a word that nothing declares: where there is no scope any more."""
    word = text.split()[3]
    log.info("At %s: %s", discreet.public(place), word)
    matched.info("At %s: %s", place, word)
