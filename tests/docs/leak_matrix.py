"""Renders docs/leak-matrix.md from a run of the matrix.

`make docs` runs it and writes the page; a test of the matrix holds the page to its own run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from string import ascii_lowercase

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

The guard was installed with `streams=True`, for Sentry with `strict=True` too.

| column | way out |
|---|---|
"""

CELLS = """\
`-` says that nothing of the text came out, and that it does if the guard is left out of the same
program. A letter says that the cell can tell nothing, since the text doesn't come out without the
guard either:

"""

OTHERS = """\
## Other packages, without discreet

The same rows through other packages, set up as their documentation says, without our guard. `leaks`
says that the text came out, somewhere; `-` that it didn't, most often because this output has no
place for it. hushlog, logprivacy and loggingredactor look for patterns such as e-mail addresses,
card numbers and keys, and are not made for sentences. What Python itself says on standard error,
such as logging's complaint about a bad format, and what is printed count here too, although most of
these packages don't claim to look at them.

| package | what was set up |
|---|---|
"""


def page(results: Results, versions: Mapping[str, str]) -> str:
    """Return the text of the page."""
    numbers = {name: str(number) for number, name in enumerate(OURS, start=1)}
    reasons = dict.fromkeys(column.unable[row] for row in ROWS for column in OURS.values() if row in column.unable)
    letters = dict(zip(reasons, ascii_lowercase, strict=False))
    ours = {numbers[name]: [_cell(results, name, row, letters) for row in ROWS] for name in OURS}
    shown = {name: outcome.found for name, outcome in results.peers.items()}
    peers = {name: [versions[name], *("leaks" if row in shown[name] else "-" for row in ROWS)] for name in PEERS}
    ways = [f"| {numbers[name]} | **{name}**: {column.what} |\n" for name, column in OURS.items()]
    set_up = [f"| {name} | {peer.what} |\n" for name, peer in PEERS.items()]
    return "\n".join(
        [
            INTRODUCTION + "".join(ways),
            CELLS + "".join(f"- {letter}: {reason}\n" for reason, letter in letters.items()),
            _table(list(ROWS), ours),
            OTHERS + "".join(set_up),
            _table(["*release*", *ROWS], peers),
        ]
    )


def _cell(results: Results, name: str, row: str, letters: Mapping[str, str]) -> str:
    if row in results.guarded[name].found:
        return "**leaks**"
    reason = OURS[name].unable.get(row)
    return "-" if reason is None else letters[reason]


def _table(rows: list[str], columns: Mapping[str, list[str]]) -> str:
    head = [f"| text in | {' | '.join(columns)} |", f"|---|{':-:|' * len(columns)}"]
    cells = zip(*columns.values(), strict=True)
    lines = [f"| {row} | {' | '.join(line)} |" for row, line in zip(rows, cells, strict=True)]
    return "\n".join([*head, *lines, ""])


def installed() -> dict[str, str]:
    """Return the releases of the other packages."""
    return {name: version(name) for name in PEERS}


def versions_of(text: str) -> dict[str, str]:
    """Return the releases that a page names."""
    line = re.search(r"^\| \*release\* \| (?P<cells>.+) \|$", text, re.MULTILINE)
    return dict(zip(PEERS, line["cells"].split(" | "), strict=True)) if line else {}


if __name__ == "__main__":
    PAGE.write_text(page(run_all(), installed()), encoding="utf-8")
