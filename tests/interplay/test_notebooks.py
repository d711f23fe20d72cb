"""IPython: what stands in a cell is a person's text, not a program's literal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.interplay.calls import EXPECTED, LOGGER, MESSAGES
from tests.interplay.running import run

pytestmark = pytest.mark.integration


def test_code_of_a_cell_proves_nothing(tmp_path: Path) -> None:
    """Literals, f-strings and exceptions of cells stay; imported modules log as ever, scopes last over cells."""
    outcome = run("notebook.py", tmp_path)

    assert outcome.leaks == []
    lines = [line for line in outcome.lines("ours.jsonl") if line["logger"] == LOGGER]
    messages = [line["message"] for line in lines]
    cells = ["<str 16-63>", "<str 64-255>", "<str 64-255>", "<str 1-15>", "<str 64-255>"]
    scoped = [EXPECTED[0], EXPECTED[2], "Told <question 1-15>", "Told rhubarb"]
    assert messages == [*cells, *MESSAGES, *scoped]
    assert (lines[3]["exception_type"], lines[3]["exception_frames"]) == ("ValueError", "<other>:4 > <other>:2")
    plain = [line for line in outcome.files["plain.log"].splitlines() if line.startswith(("WARNING", "ERROR"))]
    assert [line.split(maxsplit=2)[1] for line in plain] == (
        ["<unknown>"] * 5 + ["work"] * 5 + ["work_in_scope"] * 3 + ["told"] * 2
    )
