"""Runs generated programs in one world: a fixed clock, seeded ids, all sinks into files."""

from __future__ import annotations

import gc
import importlib
import logging
import random
import sys
import threading
from pathlib import Path
from typing import Any

import discreet
from tests.worlds.sent import send_into
from tests.worlds.texts import TEXTS, WORLDS, turned

NAMES = Path(__file__).with_name("names.toml")
FIELDS = (
    "asctime levelname levelno name pathname filename module funcName lineno threadName "
    "processName taskName msg args exc_text stack_info prompt model who message"
)
PLAIN_TEXT = "plain.log"


class Everything(logging.Formatter):
    """Writes the attributes of a record, whatever they are."""

    def format(self, record: logging.LogRecord) -> str:
        shown = {
            key: value for key, value in sorted(vars(record).items()) if key not in ("thread", "process", "exc_info")
        }
        return f"{shown!r}\n{super().format(record)}"


def foreign_handlers(out: Path) -> list[logging.Handler]:
    formatters = {
        PLAIN_TEXT: logging.Formatter(),
        "fields.log": logging.Formatter(
            "|".join(f"%({name})s" for name in FIELDS.split()),
            defaults=dict.fromkeys(("taskName", "prompt", "model", "who"), "-"),
        ),
        "everything.log": Everything(),
    }
    handlers = []
    for name, formatter in formatters.items():
        handler = logging.StreamHandler((out / name).open("w", encoding="utf-8", errors="backslashreplace"))
        handler.setFormatter(formatter)
        handlers.append(handler)
    return handlers


def streams_to(out: Path) -> None:
    sys.stderr = (out / "stderr").open("w", encoding="utf-8", errors="backslashreplace", buffering=1)
    sys.stdout = (out / "stdout").open("w", encoding="utf-8", errors="backslashreplace", buffering=1)


def run(job: dict[str, Any]) -> None:
    """Run every program of a directory on the texts of one world."""
    out = Path(job["out"])
    out.mkdir(parents=True)
    streams_to(out)
    random.seed(0)
    texts = [WORLDS[job["world"]](text) for text in TEXTS]
    for handler in foreign_handlers(out):
        logging.root.addHandler(handler)
    if job["guarded"]:
        console = logging.StreamHandler((out / "console.log").open("w", encoding="utf-8"))
        console.setFormatter(discreet.ConsoleFormatter())
        logging.root.addHandler(console)
        handle = discreet.configure(
            contracts=[NAMES],
            level="DEBUG",
            json=out / "logs.jsonl",
            spans=out / "spans.jsonl",
            **send_into(out),
        )
    logging.root.setLevel(1)
    sys.path.insert(0, job["programs"])
    gc.disable()
    for path in sorted(Path(job["programs"]).glob("p*.py*")):
        random.seed(path.name)
        # The clock stands still; so do the names that threading counts up.
        threading._counter = iter(range(1, 1_000_000)).__next__
        logging.getLogger("other").info("== %s", int(path.stem[1:]))
        program = importlib.import_module(path.stem)
        program.run(texts, 123, 4.5)
        # What was remembered of a call site must not speak of the next text.
        program.run(turned(texts), 7, 0.25)
        gc.collect()
        # What lives on is not looked at again, or a run would take minutes.
        gc.freeze()
    if job["guarded"]:
        (out / "ledger.txt").write_text(repr(handle.ledger.as_dict()), encoding="utf-8")
        handle.close()
    logging.shutdown()
