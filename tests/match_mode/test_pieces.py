"""Match mode and texts that come in pieces: cut by their format, or beside values that are declared public."""

from __future__ import annotations

import discreet
from discreet import public
from tests.match_mode.lines import log, logged

QUESTION = "Does Wagtailmere still pay for the boat house on the hill?"


def messages() -> list[str]:
    def emit() -> None:
        with discreet.customer_text(question=QUESTION):
            log.info("%.11s|%.9s|%.12s", "agtailmere stone", "still pay iron", "for the boat wood")
            log.info("%.11s|%.9s|%r", "agtailmere stone", "still pay iron", "for the boat ho")
            log.info(
                "%(a).11s|%(b)-30.9s|%(c).12s", {"a": "agtailmere st", "b": "still pay iron", "c": "for the boat w"}
            )
            log.info("%s|%s|%s", "agtailmere s", public("till pay fo"), "r the boat ho")
            log.info("%.13s|%s|%5s", "agtailmere stone", public("ill pay fo"), "r the boat ho")
            log.info("%s|%s", public("shelf twelve"), "shelf nine")
            log.info("%.5s|%s", "shelf twelve", public("shelf nine"))

    return [one["message"] for one in logged(emit)]


def test_strings_are_put_together_as_they_are_shown() -> None:
    """What is declared public stays, which its declaration answers for; the strings beside it are withheld."""
    assert messages() == [
        "<str 16-63>|<str 1-15|<str 16-63>",
        "<str 16-63>|<str 1-15|<str 1-15>",
        "<str 1-15>|<str 1-15                     |<str 1-15>",
        "<str 1-15>|till pay fo|<str 1-15>",
        "<str 16-63>|ill pay fo|<str 1-15>",
        "shelf twelve|shelf nine",
        "shelf|shelf nine",
    ]
