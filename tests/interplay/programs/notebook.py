"""Cells of a notebook, run by IPython's own shell."""

from __future__ import annotations

import logging

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import discreet
from tests.interplay.calls import SENTENCES

CELLS = [
    "import logging, asyncio\nfrom tests.interplay.calls import LOGGER, told, work, work_in_scope",
    "log = logging.getLogger(LOGGER)",
    f"log.warning({SENTENCES[0]!r})",
    f"log.warning('Asked %s about ' + {SENTENCES[1]!r}, 12)",
    f'answer = lambda question: log.warning(f"{{question}} {SENTENCES[2]}")\nanswer({SENTENCES[0]!r})',
    f"def f():\n    raise ValueError({SENTENCES[3]!r})\ntry:\n    f()\nexcept ValueError:\n    log.exception('x')",
    f"await asyncio.sleep(0); log.warning({SENTENCES[1]!r}, extra={{{SENTENCES[2]!r}: 1}})",
    "work(log)",
    "work_in_scope(log)",
    # A scope that a cell enters and another leaves.
    f"import discreet\ntexts = discreet.customer_text(question={SENTENCES[0]!r})\ntexts.__enter__()",
    "told(log, 'Caspian')",
    "await asyncio.sleep(0); texts.__exit__(None, None, None); told(log, 'rhubarb')",
]

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config)
discreet.configure(json="ours.jsonl", attributes={"shard": "int"})
plain = logging.FileHandler("plain.log", encoding="utf-8")
plain.setFormatter(logging.Formatter("%(levelname)s %(funcName)s %(message)s"))
logging.root.addHandler(plain)
for cell in CELLS:
    result = shell.run_cell(cell, store_history=True)
    result.raise_error()
