"""Renders docs/leak-matrix.md from a run of the matrix.

`make docs` runs it and writes the page; a test of the matrix holds the page to its own run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from tests.matrix.columns import OURS, PEERS
from tests.matrix.rows import ROWS
from tests.matrix.running import Results, run_all

PAGE = Path(__file__).parent.parent.parent / "docs" / "leak-matrix.md"

INTRODUCTION = """\
# The leak matrix

Each row is a place where a program can have a customer's text when it logs, fails, warns or prints.
Each column is a way by which it can leave the process. Every cell was run, in a real process, with
a sentence of its own; then everything that arrived anywhere was searched for it: files, standard
output and standard error, OTLP requests, Sentry's envelopes, pickled records. It was searched for as
it is, escaped, in base64, in hexadecimal digits and in UTF-16; as a whole, in halves, and for each
word that only this sentence has.

`make docs` writes this page from such a run, and a test of each run compares them.

## With discreet

`-` says that nothing of the text came out, and that all of it does if the guard is left out of the
same program. An empty cell can tell nothing, since the text doesn't come out without the guard
either; the reasons stand below. The guard was installed with `streams=True`.
"""

WAYS = """\
| column | what was set up | empty cells |
|---|---|---|
"""

OTHERS = """\
## Other packages, without discreet

The same rows through other packages, set up as their documentation says, without our guard. `leaks`
says that the text came out, somewhere; `-` that it didn't, most often because this output has no
place for it. hushlog, logprivacy and loggingredactor look for patterns such as e-mail addresses,
card numbers and keys, and are not made for sentences.
"""


def page(results: Results, versions: Mapping[str, str]) -> str:
    """Return the text of the page."""
    ours = {
        name: ["" if row in column.unable else _cell(results, name, row) for row in ROWS]
        for name, column in OURS.items()
    }
    shown = {name: outcome.found() for name, outcome in results.peers.items()}
    peers = {name: [versions[name], *("leaks" if row in shown[name] else "-" for row in ROWS)] for name in PEERS}
    ways = [f"| {name} | {column.what} | {_reasons(column.unable)} |\n" for name, column in OURS.items()]
    set_up = [f"| {name} | {peer.what} |\n" for name, peer in PEERS.items()]
    return "\n".join(
        [
            INTRODUCTION,
            _table(list(ROWS), ours),
            WAYS + "".join(ways),
            OTHERS,
            _table(["*release*", *ROWS], peers),
            "| package | what was set up |\n|---|---|\n" + "".join(set_up),
        ]
    )


def _cell(results: Results, name: str, row: str) -> str:
    return "**leaks**" if row in results.guarded[name].found() else "-"


def _table(rows: list[str], columns: Mapping[str, list[str]]) -> str:
    head = [f"| text in | {' | '.join(columns)} |", f"|---|{':-:|' * len(columns)}"]
    cells = zip(*columns.values(), strict=True)
    lines = [f"| {row} | {' | '.join(line)} |" for row, line in zip(rows, cells, strict=True)]
    return "\n".join([*head, *lines, ""])


def _reasons(unable: Mapping[str, str]) -> str:
    by_reason: dict[str, list[str]] = {}
    for row in ROWS:
        if row in unable:
            by_reason.setdefault(unable[row], []).append(row)
    # Where most of the rows have one reason the table itself shows which.
    named = [
        f"{reason}: {', '.join(rows)}" if len(rows) < len(ROWS) / 3 else reason for reason, rows in by_reason.items()
    ]
    return "; ".join(named)


def installed() -> dict[str, str]:
    """Return the releases of the other packages."""
    return {name: version(name) for name in PEERS}


def versions_of(text: str) -> dict[str, str]:
    """Return the releases that a page names."""
    line = re.search(r"^\| \*release\* \| (?P<cells>.+) \|$", text, re.MULTILINE)
    return dict(zip(PEERS, line["cells"].split(" | "), strict=True)) if line else {}


if __name__ == "__main__":
    PAGE.write_text(page(run_all(), installed()), encoding="utf-8")
