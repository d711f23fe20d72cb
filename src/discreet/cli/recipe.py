"""``discreet config``: print a ready logging configuration."""

from __future__ import annotations

import argparse
import sys

from discreet.recipes import FORMATS, LEVELS, TARGETS, recipe

__all__ = ["add_parser", "run"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: the parser's sub-commands.
    """
    parser = commands.add_parser(
        "config",
        help="print a ready logging configuration",
        description="Print a ready logging configuration: JSON lines to standard output, handlers guarded.",
    )
    parser.add_argument("target", nargs="?", default="script", choices=TARGETS, help="what it is for (default: script)")
    parser.add_argument("--format", choices=FORMATS, help="notation (default: json for uvicorn, else python)")
    parser.add_argument("--service", metavar="NAME", help="value of the field `service`")
    parser.add_argument("--level", default="INFO", choices=LEVELS, help="lowest level that goes out (default: INFO)")
    parser.add_argument(
        "--match",
        metavar="LOGGER",
        action="append",
        default=[],
        help="logger in match mode, with all below it; may be given several times (default: none)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the configuration; returns the exit status.

    Args:
        options: what the parser read.

    Raises:
        InvalidInputError: an option has a wrong value.
        ConfigurationError: there is no match mode for a logger.
    """
    text = recipe(options.target, options.format, service=options.service, level=options.level, match=options.match)
    sys.stdout.write(text)
    return 0
