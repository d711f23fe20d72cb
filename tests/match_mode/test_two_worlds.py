"""Two worlds under match mode: texts that are withheld leave no trace but their length."""

from __future__ import annotations

import io
import logging
import re
from urllib.parse import quote

import pytest

import discreet
from tests.match_mode.lines import NAME
from tests.worlds.texts import SENTENCES, TEXTS, World, permuted

TIME = re.compile(r'"timestamp":"[^"]+"')
# The number of a text says where it stands, so one world is as good as another for it; shorter ones than the matcher
# looks at, and those that stand in another one too, are let through or told by the other's place.
WHOLE = tuple(index for index, text in enumerate(TEXTS) if len(text) >= 5 and index != 10)
LONG = tuple(index for index in SENTENCES if len(TEXTS[index]) >= 60)
log = logging.getLogger(NAME)


def run(world: World) -> str:
    """Log every text in every way; return the lines."""
    texts = [world(text) for text in TEXTS]
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    log.propagate, log.handlers[:] = False, [handler]
    log.setLevel(logging.INFO)
    with discreet.customer_text(texts=texts):
        for index in WHOLE:
            text = texts[index]
            log.info("Asked %s on %s", text, "shelf 12")
            log.info("Asked %(it)r", {"it": text.upper()})
            log.info(f"Asked {text} on a shelf")
            log.info("Asked " + text)
            log.info(text)
            log.info("Asked %s", [text], extra={"text": text})
            log.error("Failed with %s", ValueError(text), exc_info=ValueError(text))
        for index in LONG:
            text = texts[index]
            log.info("Asked %s", text[4:40])
            log.info(f"Asked {text[:30]}, {text[30:]}")
            log.info("Answer: it was asked: " + text[:40] + " and nothing else")
            log.info("Asked " + "%s", quote(text) if index % 2 else repr(text))
    return TIME.sub("", stream.getvalue())


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_texts_with_other_letters_leave_the_same_bytes(seed: int) -> None:
    """Whatever the matcher withholds is told by place and length, which are the same."""
    first = run(lambda text: text)
    assert first == run(lambda text: text)
    assert first == run(permuted(seed))


def test_something_is_let_through_and_something_withheld() -> None:
    """The test above is one of something."""
    lines = run(lambda text: text)
    assert "shelf 12" in lines
    assert "<texts[0] 64-255>" in lines
