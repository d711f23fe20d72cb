"""Nothing of a text outlives its scope, whatever the call did with it and whoever keeps what it left."""

from __future__ import annotations

import json
from pathlib import Path

from tests.interplay.running import run


def test_nothing_of_a_text_outlives_its_scope(tmp_path: Path) -> None:
    """No text, no folded form and no number made of one, in indexes, caches, records, stand-ins, contexts or tasks."""
    found = json.loads(run("scope_ends.py", tmp_path).stdout)

    # The control: an open scope has all three.
    assert {"list holds a text"} <= set(found["control"])
    assert {one.partition(" holds ")[2] for one in found["control"]} == {"a text", "bytes", "a number"}
    assert found["call"] == {
        "left": [],
        "found": False,
        "scopes": [None, None, None],
        "match": ["question", ["question", "chunks[0]", "chunks[1]"]],
    }
    assert found["tasks"] == {"left": [], "scopes": [None, None]}
    assert found["kept"] == [36, 36]
