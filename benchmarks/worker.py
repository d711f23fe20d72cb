"""One candidate in a process of its own: reads (shape, count) lines, answers with nanoseconds per call."""

from __future__ import annotations

import gc
import json
import sys
import time

from candidates import CANDIDATES


def main() -> None:
    shapes = CANDIDATES[sys.argv[1]]()
    for run in shapes.values():
        run(200)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        shape, count = json.loads(line)
        run = shapes[shape]
        gc.collect()
        started = time.thread_time_ns()
        run(count)
        sys.stdout.write(json.dumps((time.thread_time_ns() - started) / count) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
