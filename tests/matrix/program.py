"""One column in a process of its own: arguments are its table and name, `guarded` or `plain`, a folder, an address."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from tests.matrix.columns import OURS, PEERS


def main() -> None:
    """Set the column up and run its rows."""
    table, name, guard, out, url = sys.argv[1:]
    # What a test of warnings turns into errors is a warning here.
    warnings.simplefilter("always")
    column = OURS[name] if table == "ours" else PEERS[name].column
    set_up = column.with_guard if guard == "guarded" else column.plain
    with set_up(Path(out), url) as log:
        column.body(column.rows, log, Path(out))


if __name__ == "__main__":
    main()
