"""The process that generated programs run in: its clock stands still before anything else is loaded."""

from __future__ import annotations

import time

NOW_S = 1_767_225_600.25


def main() -> None:
    """Stop the clock, load what is needed, and serve."""
    time.time = lambda: NOW_S
    time.time_ns = lambda: int(NOW_S * 1e9)

    from tests.forking import serve
    from tests.worlds.running import run

    serve(run)


if __name__ == "__main__":
    main()
