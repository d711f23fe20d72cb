"""``python -m tests.servers build [NAME ...]``: build the servers that the integration tests start."""

from __future__ import annotations

import argparse
import sys

from tests.servers.building import PROGRAMS, BuildError


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    parser.add_argument("action", choices=["build"])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; all when left out")
    options = parser.parse_args()
    unknown = set(options.names) - PROGRAMS.keys()
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    failed = 0
    for name in options.names or PROGRAMS:
        try:
            seconds = PROGRAMS[name].build()
        except BuildError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = 1
        else:
            print(f"{name}: {PROGRAMS[name].path} ({seconds:.0f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
