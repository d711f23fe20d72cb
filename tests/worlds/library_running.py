"""Runs one program with a real library in one world, with scopes, every logger at DEBUG and all sinks into files."""

from __future__ import annotations

import gc
import importlib
import logging
import random
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import discreet
from tests.worlds.libraries.fake_server import FakeServer
from tests.worlds.libraries.telling import World
from tests.worlds.running import foreign_handlers, streams_to
from tests.worlds.texts import TEXTS

DEMO = Path(__file__).parents[2] / "docs" / "examples" / "demo"
# Two sentences, a name, an address of a street, JSON, and a text with the marks of templates.
CHOSEN = (1, 2, 3, 7, 8, 11)
LIBRARIES = "openai httpx pydantic sqlalchemy jinja2 verbatim groundkit".split()


def load() -> None:
    """Import every program, for all the forks."""
    sys.path.insert(0, str(DEMO))
    for name in LIBRARIES:
        importlib.import_module(f"tests.worlds.libraries.with_{name}")


def run(job: dict[str, Any]) -> None:
    """Run the job's program; what it leaves is in its folder."""
    from worlds import spelling

    out = Path(job["out"])
    out.mkdir(parents=True)
    streams_to(out)
    random.seed(0)
    threading._counter = iter(range(1, 1_000_000)).__next__
    spell = spelling(job["seed"])
    for handler in foreign_handlers(out):
        logging.root.addHandler(handler)
    if job["guarded"]:
        console = logging.StreamHandler((out / "console.log").open("w", encoding="utf-8"))
        console.setFormatter(discreet.ConsoleFormatter())
        logging.root.addHandler(console)
        handle = discreet.configure(
            level="DEBUG", json=out / "logs.jsonl", spans=out / "spans.jsonl", streams=True, service="worlds"
        )
    logging.captureWarnings(capture=True)
    logging.root.setLevel(1)
    program = importlib.import_module(f"tests.worlds.libraries.with_{job['library']}")
    gc.collect()
    gc.freeze()
    gc.disable()
    with FakeServer() as server:
        world = World([spell(TEXTS[number]) for number in CHOSEN], spell, server.url, [server.url])
        program.run(world)
    if job["guarded"]:
        (out / "ledger.txt").write_text(repr(handle.ledger.as_dict()), encoding="utf-8")
        handle.close()
    logging.shutdown()
    for path in out.iterdir():
        text = path.read_text("utf-8")
        for address in world.addresses:
            # The system chooses the port.
            text = text.replace(str(urlsplit(address).port), "PORT")
        path.write_text(text, encoding="utf-8")
