"""One candidate in a process of its own: reads (shape, count) lines, answers with nanoseconds per call.

A shape of several threads is measured by the clock on the wall, any other by this thread's CPU time.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from importlib import import_module


def main() -> None:
    shapes = import_module(sys.argv[2]).CANDIDATES[sys.argv[1]]()
    for run in shapes.values():
        run(200)
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        shape, count = json.loads(line)
        run = shapes[shape]
        clock = time.perf_counter_ns if shape.endswith("threads") else time.thread_time_ns
        gc.collect()
        started = clock()
        run(count)
        sys.stdout.write(json.dumps((clock() - started) / count) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
