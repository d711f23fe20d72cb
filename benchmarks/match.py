"""Measure match mode against unguarded lines and against redactors, interleaved, and print the ratios.

    python benchmarks/match.py [--rounds 15] [--calls 800]

Each line is a template and one string, `"step %s"`, of so many characters in all; all strings differ, and none agrees
with a text. 100,000 characters are registered. Every candidate lives in a process of its own and they take turns. A
ratio is the median over the rounds of (candidate / other) within the same round.
"""

from __future__ import annotations

import argparse
import platform
import statistics
from importlib.metadata import version

from match_candidates import CANDIDATES, LENGTHS, THREADS
from run import measure

BASE = "python-json-logger orjson"
OURS = "discreet, match mode"
AIMS = {20: 1.3, 100: 1.3, 300: 2.0, 1000: 4.2}
"""For match mode, to unguarded lines."""

PEERS = {"hushlog": 0.2, "logprivacy": 0.3}
"""The aims for match mode, to other packages."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=800)
    options = parser.parse_args()
    shapes = [*(f"{length} characters" for length in LENGTHS), f"{THREADS} threads"]
    found = measure(options.rounds, options.calls, list(CANDIDATES), shapes, "match_candidates")
    versions = ", ".join(f"{name} {version(name)}" for name in ("python-json-logger", "orjson", *PEERS))
    print(f"CPython {platform.python_version()}, {versions}, {options.rounds} rounds; ns are medians per call")
    for shape in shapes:
        aim = AIMS.get(int(shape.split()[0])) if shape.endswith("characters") else None
        print(f"\n{shape}" + (f"  (aim for match mode: {aim})" if aim else ", 100 characters  (aim: throughput 0.9)"))
        for name in CANDIDATES:
            print(
                f"  {name:40} {statistics.median(found[shape][name]):>10,.0f} ns   x {_ratio(found[shape], name):.2f}"
            )
        for peer, wanted in PEERS.items():
            print(f"  match mode / {peer:27} {_ratio(found[shape], OURS, peer):>28.2f}   (aim {wanted})")


def _ratio(found: dict[str, list[float]], name: str, other: str = BASE) -> float:
    return statistics.median(a / b for a, b in zip(found[name], found[other], strict=True))


if __name__ == "__main__":
    main()
