"""Measure discreet against its peers in one run, interleaved, and print the ratios.

    python benchmarks/run.py [--rounds 15] [--calls 2000] [--json FILE]

Every candidate lives in a process of its own and they take turns, so that a machine that slows down slows all of them.
A ratio is the median over the rounds of (candidate / python-json-logger with orjson) within the same round. Nothing
here fails: the aims stand beside the figures for a person to compare.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).parent
SHAPES = (
    "three attributes",
    "two arguments",
    "f-string",
    "exception, ten frames",
    "disabled DEBUG call",
)
BASE = "python-json-logger orjson"
NAMES = (
    "stdlib",
    "python-json-logger orjson",
    "python-json-logger stdlib",
    "structlog fastest",
    "discreet JsonHandler",
    "discreet JsonFormatter",
    "python-json-logger orjson, guarded",
)
AIMS = {
    "three attributes": 0.85,
    "two arguments": 0.90,
    "f-string": 1.05,
    "exception, ten frames": 0.10,
    "disabled DEBUG call": 1.05,
}
"""For `discreet JsonHandler`: ratios to python-json-logger's orjson, the disabled call's to stdlib's."""


class Worker:
    """A candidate's process."""

    def __init__(self, name: str, module: str = "candidates") -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py"), name, module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, shape: str, calls: int) -> float:
        """Return nanoseconds of this thread's CPU time per call."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps((shape, calls)) + "\n")
        self.process.stdin.flush()
        return float(json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(
    rounds: int,
    calls: int,
    names: Sequence[str] = NAMES,
    shapes: Sequence[str] = SHAPES,
    module: str = "candidates",
) -> dict[str, dict[str, list[float]]]:
    """Return the nanoseconds of each round, by shape and candidate."""
    workers = {name: Worker(name, module) for name in names}
    found: dict[str, dict[str, list[float]]] = {shape: {name: [] for name in names} for shape in shapes}
    try:
        for _ in range(rounds):
            for shape in shapes:
                count = max(1, calls // 10) if shape.startswith("exception") else calls
                for name, worker in workers.items():
                    found[shape][name].append(worker.measure(shape, count))
    finally:
        for worker in workers.values():
            worker.close()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = measure(options.rounds, options.calls)
    print(f"CPython {platform.python_version()}, {options.rounds} rounds; ns are medians of CPU time per call")
    for shape in SHAPES:
        base = found[shape]["stdlib" if shape.startswith("disabled") else BASE]
        print(f"\n{shape}  (aim for discreet JsonHandler: {AIMS[shape]:.2f})")
        for name in NAMES:
            ratio = statistics.median(a / b for a, b in zip(found[shape][name], base, strict=True))
            print(f"  {name:36} {statistics.median(found[shape][name]):>10,.0f} ns   x {ratio:.2f}")
    if options.json:
        options.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
