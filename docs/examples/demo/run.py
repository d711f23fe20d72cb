"""The demo: `python docs/examples/demo/run.py [--out demo-out] [--plain]`.

verbatim-core 0.2.8, groundkit and oloproof run over invented customers' papers, with a fake LLM on
loopback that fails in many ways, and with every logger at DEBUG. discreet writes the records to
`logs.jsonl` and spans to `spans.jsonl`; an ordinary handler, which knows nothing of it, writes
`ordinary.log`. Then the demo shows what came of it.
"""

from __future__ import annotations

import argparse
import logging
import os
import time
from pathlib import Path

from beside import BesideHandler
from groundkit_step import run_groundkit
from leaks import found_in, sentences
from oloproof_step import run_oloproof
from questions_step import ask_all
from report import Report
from rich.console import Console
from standin_step import run_standin
from worlds import spelling

import discreet

HERE = Path(__file__).parent


def main() -> None:
    """Run the demo and print its report."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("demo-out"), help="where the files go")
    parser.add_argument("--plain", action="store_true", help="print without colour")
    parser.add_argument(
        "--world",
        type=int,
        metavar="SEED",
        help="spell every text with other letters and digits; the output must not show it",
    )
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    logs, spans, ordinary = (options.out / name for name in ("logs.jsonl", "spans.jsonl", "ordinary.log"))
    for path in (logs, spans, ordinary):
        path.unlink(missing_ok=True)
    console = Console(no_color=options.plain, highlight=False, width=_width())

    handle = discreet.configure(
        contracts=[HERE / "contract.toml", HERE / "verbatim_standin" / "contract.toml"],
        level="DEBUG",
        json=logs,
        spans=spans,
    )
    beside = BesideHandler()
    ordinary_handler = logging.FileHandler(ordinary, encoding="utf-8")
    ordinary_handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    for handler in (beside, ordinary_handler):
        logging.getLogger().addHandler(handler)

    report = Report(console)
    report.opening()
    started = time.perf_counter()
    spell = spelling(options.world)
    with console.status("twelve questions, some of them to a failing LLM …"):
        asked = ask_all(spell, beside.begin)
        beside.begin("groundkit 0.2.1")
        results = run_groundkit(spell)
        beside.begin("oloproof 0.1.0a20")
        outcome = run_oloproof(spell)
        beside.begin("stand-in for verbatim 0.3")
        run_standin(spell)
    seconds = time.perf_counter() - started
    handle.close()
    for handler in (beside, ordinary_handler):
        logging.getLogger().removeHandler(handler)
        handler.close()

    report.questions(asked, beside.pairs)
    report.other_steps(results, outcome, beside.pairs)
    report.beside(beside.pairs)
    report.counts(logs)
    report.withheld(handle.ledger)
    wanted = sentences(spell)
    report.files((logs, spans, ordinary), len(wanted), found_in((logs, spans, ordinary), wanted))
    report.closing(seconds)


def _width() -> int | None:
    """Leave a terminal its own width; a file or a pipe gets enough to read."""
    return None if os.isatty(1) else 110


if __name__ == "__main__":
    main()
