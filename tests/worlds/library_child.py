"""The process that programs with real libraries run in: its clocks stand still before anything else is loaded."""

from __future__ import annotations

import time

from tests.worlds.child import NOW_S


def main() -> None:
    """Stop the clocks that are told, load what is needed, and serve."""
    time.time = lambda: NOW_S
    time.time_ns = lambda: int(NOW_S * 1e9)
    time.perf_counter = lambda: 0.25
    time.perf_counter_ns = lambda: 250_000_000
    # Pauses between two tries; what waits for something else uses no sleep.
    time.sleep = lambda seconds: None

    from tests.forking import serve
    from tests.worlds.library_running import load, run

    load()
    serve(run)


if __name__ == "__main__":
    main()
