"""``discreet explain``: what was withheld from lines of JSON, why, and what would let it out."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from discreet.cli.output import counted, printable
from discreet.contract import activate, active
from discreet.environment import setting
from discreet.errors import InvalidInputError
from discreet.explain import Explanation, explain, read_line
from discreet.log_files import lines_of, sources, unreadable

__all__ = ["add_parser", "run"]

_WIDTH: Final = 100
"""Columns at most, and where there is no terminal."""
_MOST: Final = 1000
"""How many different explanations are kept of one input."""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: the parser's sub-commands.
    """
    parser = commands.add_parser(
        "explain",
        help="say what was withheld from a line of JSON, why, and what would let it out",
        description="Says what was withheld from lines of JSON, why, and which row of a contract would let it out. "
        "Exit status: 0, or 2 when it could not be looked at.",
    )
    parser.add_argument("line", metavar="LINE", help="a line, the path of a file of lines (also gzip), or - for stdin")
    parser.add_argument(
        "--contract",
        action="append",
        metavar="FILE",
        help="a contract file that the program used, beside DISCREET_CONTRACTS; may be given again",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: what the parser read.

    Raises:
        ContractError: a contract file is wrong.
        InvalidInputError: what is to be explained isn't there or is none of our lines.
    """
    activate([*setting("contracts", ()), *(args.contract or ())])
    if args.line.lstrip().startswith(("{", "[", '"')):
        _print(explain(read_line(args.line), active()), 1)
        return 0
    found: dict[tuple[str, ...], tuple[Explanation, int]] = {}
    lines = others = withheld = beyond = 0
    for text in _lines(args.line):
        try:
            one = explain(read_line(text), active())
        except InvalidInputError:
            others += 1
            continue
        lines += 1
        withheld += one.withheld
        if one.reasons:
            first, count = found.get(one.key, (one, 0))
            if count or len(found) < _MOST:
                found[one.key] = (first, count + 1)
            else:
                beyond += 1
    if not lines:
        raise InvalidInputError(
            "has no line of JSON that discreet wrote" if others else "has no line at all", param="LINE"
        )
    for one, count in sorted(found.values(), key=lambda item: -item[1]):
        _print(one, count)
        sys.stdout.write("\n")
    _summary(lines, others, withheld, beyond)
    return 0


def _lines(path: str) -> Iterator[str]:
    if path != "-" and not Path(path).is_file():
        raise InvalidInputError(
            "is neither a line of JSON nor the path of a file; put a line in single quotes", param="LINE"
        )
    (source,) = sources([path])
    try:
        with source.open() as stream:
            for _, line in lines_of(stream):
                if line.strip():
                    yield line
    except unreadable() as error:
        raise InvalidInputError(f"can't be read ({type(error).__name__})", param="LINE") from error


def _print(one: Explanation, count: int) -> None:
    like = f"  ({count:,} lines like this)" if count > 1 else ""
    sys.stdout.write(f"{printable(one.title)}{like}\n")
    if not one.reasons:
        sys.stdout.write("  Nothing was withheld from this line.\n")
        return
    for reason in one.reasons:
        sys.stdout.write(
            textwrap.fill(
                printable(reason),
                min(shutil.get_terminal_size((_WIDTH, 24)).columns, _WIDTH),
                initial_indent="  - ",
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            + "\n"
        )
    for row in one.rows:
        sys.stdout.write("\n" + textwrap.indent(row, "    ") + "\n")


def _summary(lines: int, others: int, withheld: int, beyond: int) -> None:
    said = [f"{counted(lines, 'line')}, {counted(withheld, 'value')} withheld"]
    if beyond:
        said.append(f"{counted(beyond, 'line')} more with other explanations")
    if others:
        said.append(f"{counted(others, 'line')} not written by discreet")
    sys.stdout.write(f"{'; '.join(said)}.\n")
