"""``discreet doctor``: every route by which text can leave a configuration, and whether it is guarded."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

__all__ = ["add_parser", "run"]

_MAX_WIDTH: Final = 110
STDOUT: Final = 1
"""The number of standard output's file descriptor."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: The parser's sub-commands.
    """
    parser = commands.add_parser(
        "doctor",
        help="say for every route that a record can take whether it is guarded",
        description="Applies a configuration in a process of its own, finds every route that a record, an exception "
        "or a printed line can take there, and sends a random canary sentence down each. No canary reaches a sink. "
        "Files and connections that the configuration names are opened, as at any start. Without --app and --config "
        "it is discreet.configure() with the DISCREET_ variables. What the configuration prints meanwhile goes to "
        "standard error. Exit status: 0 when every route is guarded, 1 when one isn't, 2 when it could not be looked "
        "at.",
    )
    parser.add_argument(
        "--app",
        metavar="MODULE[:SETUP]",
        help="import this module and call its function, which may be async, before looking",
    )
    parser.add_argument(
        "--config", metavar="FILE", help="apply this logging configuration: YAML or JSON for dictConfig, or INI"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--allow-partial",
        action="store_true",
        help="let routes pass that are guarded in part, or that can't be seen; 1 only for open ones",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: What the parser read.

    Raises:
        DiscreetError: The configuration can't be applied.
    """
    from discreet.checkup import doctor
    from discreet.checkup.table import table
    from discreet.checkup.target import set_up

    with _own_output() as out:
        report = set_up(args.app, args.config, lambda: doctor(allow_partial=args.allow_partial))
        if args.json:
            out.write(f"{json.dumps(report.as_dict(), indent=2)}\n")
        else:
            colour = out.isatty() and "NO_COLOR" not in os.environ
            width = min(shutil.get_terminal_size((100, 24)).columns, _MAX_WIDTH)
            out.write(f"{table(report, width=width, colour=colour)}\n")
        return int(report.exit_code)


@contextmanager
def _own_output() -> Iterator[TextIO]:
    """Keep standard output for the report: what a configuration writes there goes to standard error meanwhile."""
    stream = sys.stdout
    try:
        own = stream.fileno() == STDOUT
        error = sys.stderr.fileno()
    except (AttributeError, OSError, ValueError):
        own = False
    if not own:
        # A stream of somebody's own, such as a test's.
        yield stream
        return
    stream.flush()
    kept = os.dup(STDOUT)
    with open(kept, "w", encoding="utf-8", errors="backslashreplace") as out:  # noqa: PTH123  # it is no path
        os.dup2(error, STDOUT)
        # For good: handlers write to it until the process has ended.
        yield out
