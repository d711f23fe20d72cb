"""Searches with groundkit and evaluates with oloproof; with the argument `code` it sets discreet up itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from pathlib import Path

if sys.argv[1:] == ["code"]:
    import discreet
    from discreet.instrument.groundkit import GroundkitInstrumentor
    from discreet.instrument.oloproof import OloproofInstrumentor

    discreet.configure(json="records.jsonl", spans="spans.jsonl", report_every=0)
    GroundkitInstrumentor().instrument()
    OloproofInstrumentor().instrument()

import oloproof
from groundkit.errors import GroundkitError
from groundkit.providers.synthesis import Synthesizer

from tests.instrument.shelf import QUESTION, Chat, shelf
from tests.instrument.suite import at_least, options, system


async def search() -> None:
    async with shelf(Path()) as at:
        found = await (await at.retriever()).search(QUESTION)
        logging.getLogger("harbour").warning("Found %s for %s", len(found.results), QUESTION)
        with contextlib.suppress(GroundkitError):
            await Synthesizer(Chat("As Brandvold says [9]")).synthesize(QUESTION, found.results)


asyncio.run(search())
oloproof.evaluate(system=system(40), policy=at_least(0.8), **options(Path(), 40))
