"""Uses a release of verbatim that says itself what is wrong: one call for each of its errors and warnings."""

from __future__ import annotations

import sys

import verbatim_core
from verbatim_core.extractors import ModelSpanExtractor
from verbatim_core.transform import ERRORS, WARNINGS, Transformer

import discreet
from discreet.instrument.verbatim import VerbatimInstrumentor

QUESTION = "Who repaired Ottilie Brandvold's capstan?"
CHUNKS = ["Thorvald repaired the capstan on Monday."]

VerbatimInstrumentor().instrument()
with discreet.configure(json=sys.stdout):
    for code in ERRORS:
        try:
            Transformer(code).transform(QUESTION, CHUNKS)
        except verbatim_core.VerbatimError:
            pass
    for code in WARNINGS:
        Transformer(code).transform(QUESTION, CHUNKS)
    ModelSpanExtractor.from_pretrained("example-org/small-1", seconds=0.01)
    try:
        ModelSpanExtractor.from_pretrained("example-org/small-1", device="abacus")
    except verbatim_core.ConfigurationError:
        pass
