"""The command ``discreet``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import metadata

from discreet.cli import canary, contract, dashboards, doctor, explain, recipe, scan
from discreet.errors import DiscreetError

__all__ = ["main"]


def _release() -> str:
    try:
        return metadata.version("discreet")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: the words after ``discreet``; those of the process when left out.

    Returns:
        The exit status: 0 when all is well, 1 when something was found wrong, 2 when it could not be looked at.

    .. versionadded:: 0.1.0
    """
    parser = argparse.ArgumentParser(
        prog="discreet", description="Logs that speak a contract and hold no customer text."
    )
    parser.add_argument("--version", action="version", version=f"discreet {_release()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    canary.add_parser(commands)
    contract.add_parser(commands)
    dashboards.add_parser(commands)
    doctor.add_parser(commands)
    explain.add_parser(commands)
    recipe.add_parser(commands)
    scan.add_parser(commands)
    options = parser.parse_args(arguments)
    # An application that is looked at can put its streams under guard, where our own sentence would be withheld.
    stderr = sys.stderr
    try:
        return int(options.run(options))
    except DiscreetError as error:
        stderr.write(f"discreet: {error}\n")
        return 2
    except BrokenPipeError:
        # Whoever read the output has gone, as `discreet contract show verbatim | head` does.
        sys.stderr.close()
        return 0


if __name__ == "__main__":
    sys.exit(main())
