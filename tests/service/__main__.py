"""``python -m tests.service``: the service under steady load for a long time, with figures for a person."""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.service.checks import CHECKS
from tests.service.running import SERVERS, Left, load

SHOWN = 5


def figures(left: Left) -> str:
    """Return what a run was, for a person."""
    roots = Counter(sent.scenario.outcome for sent in left.sent)
    calls = Counter(line["operation"] for line in left.lines if line.get("event") == "call_finished")
    plain = [sent.seconds for sent in left.sent if sent.scenario.name == "good"]
    memory = [kib // 1024 for _, kib in left.memory if kib]
    third = memory[len(memory) // 3 :] or [0]
    heard = sum(len(sent.asked.heard) for sent in left.sent)
    return "\n".join(
        [
            f"{left.server}: {len(left.sent)} requests in {left.seconds:.0f} s, {heard} HTTP requests to the LLM",
            f"  outcomes {dict(roots.most_common())}",
            f"  calls {dict(calls.most_common())}",
            f"  {len(left.lines)} lines, {len(left.spans)} spans, {sum(map(len, left.outputs.values())) >> 20} MiB",
            f"  good answers took {statistics.median(plain) * 1000:.0f} ms, the slowest {max(plain) * 1000:.0f} ms",
            f"  memory {third[0]} MiB after a third of the time, {third[-1]} at the end, at most {max(third)}",
            f"  left of requests at the end: {[process['alive'] for process in left.counts]}",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.service", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10, help="for each server")
    parser.add_argument("--rate", type=float, default=12, help="requests a second")
    parser.add_argument("--seed", type=int, default=5, help="of the texts and of what fails when")
    parser.add_argument("--server", choices=SERVERS, action="append", help="both when left out")
    options = parser.parse_args()
    wrong = 0
    for server in options.server or SERVERS:
        with tempfile.TemporaryDirectory() as folder:
            left = load(Path(folder), server, options.rate, options.minutes * 60, options.seed)
        print(figures(left), flush=True)
        for check in CHECKS:
            found = list(check(left))
            wrong += len(found)
            print(f"  {check.__name__.replace('_', ' ')}: {len(found)}", *found[:SHOWN], sep="\n    ", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
