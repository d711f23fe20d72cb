"""The counts of calls as a table for people."""

from __future__ import annotations

from discreet.call_counts import CallCounts


def test_calls_are_printed_by_operation_and_outcome() -> None:
    """Those that didn't end too; before the first there is a sentence."""
    counts = CallCounts()
    assert str(counts) == "No call was observed yet.\n"
    for _ in range(1200):
        counts.start("harbour.find").end("ok")
    counts.start("boats.ask").end("degraded", ["quote_not_found"])
    running = counts.start("boats.ask")
    counts.start("boats.ask").end("error", (), ("timeout", "upstream"))
    assert running.mine
    assert str(counts) == (
        "Calls by operation\n"
        "  operation     started     ok  degraded  error  cancelled  active  missing\n"
        "  boats.ask           3      0         1      1          0       1        0\n"
        "  harbour.find    1,200  1,200         0      0          0       0        0\n"
    )
