"""The stand-in for verbatim 0.3 loads a model, extracts with it and fails in two ways."""

from __future__ import annotations

import logging

from verbatim_standin import InvalidInputError, ModelSpanExtractor, UpstreamError
from worlds import Spelling, documents, questions

from discreet import observe_call

logger = logging.getLogger("demo.standin")

MODEL = "example-org/verbatim-standin-small"


def run_standin(spell: Spelling) -> None:
    """Run it."""
    question = questions(spell)[0]
    chunks = documents(spell)[question.document].chunks
    extractor = ModelSpanExtractor.from_pretrained(MODEL)
    texts = {"question": question.text, "chunks": chunks}
    with observe_call("verbatim.extract", **texts) as call:
        extraction = call.result(extractor.extract(question.text, chunks))
    logger.info("%d quotes, %d warnings", len(extraction.quotes), len(extraction.warnings))
    try:
        with observe_call("verbatim.rerank", **texts):
            extractor.rerank(question.text, chunks)
    except UpstreamError:
        logger.warning("results keep the order of the search", exc_info=True)
    try:
        with observe_call("verbatim.extract", **texts):
            extractor.extract(question.text, (*chunks, ""))
    except InvalidInputError:
        logger.error("extraction refused its input", exc_info=True)
