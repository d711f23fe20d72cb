from __future__ import annotations

from discreet.seal import callsite
from tests.seal.sites import finding, imported


def test_what_is_remembered_is_bounded(tmp_path, monkeypatch):
    """A program with more call sites than are remembered is still proven, and memory doesn't grow."""
    monkeypatch.setattr(callsite, "_MAX_SITES", 20)
    lines = "".join(f'    log.info("Site {number} of %s", 1)\n' for number in range(70))
    module = imported(tmp_path, f'import logging\nlog = logging.getLogger("many")\ndef run():\n{lines}')
    with finding() as finder:
        for _ in range(2):
            module.run()
            assert len(callsite._plans) <= 20
    assert finder.take() == [f"Site {number} of %s" for number in range(70)] * 2
