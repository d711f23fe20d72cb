"""The demo in two worlds: other letters and digits in every text, the same lines.

What the clock, the operating system and chance put into a line is replaced by a word first; a
second run in the same world is the control that nothing else differs by itself.
"""

import difflib
import importlib
import re
import sys

import pytest

from tests.demo import texts
from tests.demo.conftest import DEMO, Run, Runs

pytestmark = pytest.mark.integration

OUTPUTS = ("logs.jsonl", "spans.jsonl", "ordinary.log", "stdout")

# Clock, chance and the machine. No rule here could hide a text: each asks for the field or the
# literal words around it.
_BY_CHANCE = (
    (r'("(?:timestamp|time|start_time|end_time)":")[^"]+', r"\1#"),
    (r'("(?:time|start_time|end_time)_unix_nano":)\d+', r"\1#"),
    (r'("(?:groundkit\.)?(?:duration_ms|duration_s|latency_ms)":)[\d.e-]+', r"\1#"),
    (r'("(?:trace_id|span_id|parent_span_id)":")[0-9a-f]+', r"\1#"),
    (r"run_[0-9A-HJKMNP-TV-Z]{26}", "run_#"),
    (r"(127\.0\.0\.1:)\d+", r"\1#"),
    (r"('127\.0\.0\.1', )\d+", r"\1#"),
    (r"(answered with \d+ quotes in )[\d.]+", r"\1#"),
    (r"(: (?:ok|degraded|error), )[\d.]+( ms)", r"\1#\2"),
    (r"(Search returned \d+ results in )[\d.]+", r"\1#"),
    (r"(Retrying request in )[\d.]+", r"\1#"),
    (r"(Loaded \S+ on \S+ in )\d+", r"\1#"),
)


# On the terminal: seconds in a table, whose columns are as wide as their widest number.
_ON_THE_TERMINAL = (
    (r"(?m)^( *\d+  .*\D)\d+\.\d\d ", r"\1# "),
    (r"(duration_ms=)\S+", r"\1#"),
    (r"(The run took )[\d.]+", r"\1#"),
    (r" +", " "),
    (r"─+", "─"),
    (r"/\w+/(?=(?:logs|spans)\.jsonl|ordinary\.log)", "/#/"),
)


def _lines(run: Run, name: str) -> list[str]:
    if name == "stdout":
        text = run.stdout
        for pattern, replacement in _ON_THE_TERMINAL:
            text = re.sub(pattern, replacement, text)
    else:
        text = run.file(name)
    for pattern, replacement in _BY_CHANCE:
        text = re.sub(pattern, replacement, text)
    return text.splitlines()


def _differences(a: Run, b: Run, name: str) -> list[str]:
    lines = difflib.unified_diff(_lines(a, name), _lines(b, name), lineterm="", n=0)
    return [line for line in lines if not line.startswith(("---", "+++", "@@"))]


@pytest.mark.parametrize("name", OUTPUTS)
def test_two_runs_in_one_world_write_the_same(demo: Runs, name: str) -> None:
    """The control: what is left after the clock and the like is the same in each run."""
    assert _differences(demo.first, demo.control, name) == []


@pytest.mark.parametrize("name", OUTPUTS)
def test_two_worlds_write_the_same(demo: Runs, name: str) -> None:
    """With every letter and digit of every text exchanged, no line is another."""
    assert _differences(demo.first, demo.other_world, name) == []


def test_the_other_world_has_other_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worlds do differ: no word of a text is spelled as it was, and its length is the same."""
    monkeypatch.syspath_prepend(DEMO)
    for name in ("worlds", "documents"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    spell = importlib.import_module("worlds").spelling(7)
    changed = [(text, spell(text)) for text in texts.texts()]
    assert [len(there) for _, there in changed] == [len(here) for here, _ in changed]
    assert not {w for here, there in changed for w in texts.words(here) & texts.words(there)}
