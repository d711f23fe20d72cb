"""``discreet canary``: log a canary through the real pipeline, and look for it where the logs end up."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from discreet.cli.output import counted, look, printable
from discreet.errors import InvalidInputError
from discreet.live_canary import Search, emit, new_id
from discreet.log_files import Source, sources

__all__ = ["add_parser", "run"]

_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: the parser's sub-commands.
    """
    parser = commands.add_parser(
        "canary",
        help="log a canary through the real pipeline, and look for it where the logs end up",
        description="A canary is a sentence that nobody has written: found in a log, it proves that what customers "
        "write can get there.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    sent = actions.add_parser(
        "emit",
        help="log a canary in all forms, and print its id",
        description="Sets logging up as the options say, without them by discreet.configure() and the DISCREET_ "
        "variables, and logs a canary in all forms. Prints the id to standard output. Exit status: 0, or 2 when the "
        "configuration could not be applied.",
    )
    sent.add_argument("--app", metavar="MODULE[:SETUP]", help="import this module and call its function before")
    sent.add_argument("--config", metavar="FILE", help="apply this logging configuration: YAML, JSON or INI")
    sent.add_argument("--logger", metavar="NAME", default="discreet", help="the logger to use (default: discreet)")
    sent.add_argument("--level", choices=_LEVELS, default="WARNING", help="the level to use (default: WARNING)")
    sent.add_argument("--id", metavar="ID", help="the id to use: 16 hexadecimal digits (default: a new one)")
    looked = actions.add_parser(
        "search",
        help="look for a canary in logs",
        description="Exit status: 0 when it arrived and nothing of it leaked, 1 when something leaked, 2 when it "
        "didn't arrive or something could not be looked at.",
    )
    looked.add_argument(
        "paths", nargs="+", metavar="PATH", help="logs: files (also gzip, bzip2, xz), folders, - for stdin"
    )
    looked.add_argument("--id", metavar="ID", required=True, help="the id that emit printed")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: what the parser read.

    Raises:
        DiscreetError: the configuration can't be applied, or the id is none.
    """
    return _emit(args) if args.action == "emit" else _search(args)


def _emit(args: argparse.Namespace) -> int:
    from discreet.checkup.target import set_up

    identifier = args.id or new_id()
    # Before the configuration may replace what is written to.
    out, err = sys.stdout, sys.stderr
    sent = set_up(args.app, args.config, lambda: emit(identifier, args.logger, getattr(logging, args.level)))
    err.write(f"The canary was sent in {len(sent)} forms: {', '.join(sent)}.\n")
    out.write(f"{identifier}\n")
    out.flush()
    return 0


def _search(args: argparse.Namespace) -> int:
    search = Search(args.id)
    found = sources(args.paths)
    if not found:
        raise InvalidInputError("holds no file", param="PATH")

    def lines(source: Source, stream: BinaryIO, read: Callable[[int], None]) -> Iterator[str]:
        for line, form in search.look(source.name, stream, read):
            yield f"{printable(source.name)}:{line}: {form}"

    not_read = look(found, lines)
    sys.stdout.write(f"{_summary(search)}\n")
    return search.status or (2 if not_read else 0)


def _summary(search: Search) -> str:
    looked = counted(search.lines, "line")
    if search.leaks:
        forms = ", ".join(dict.fromkeys(form for _, _, form in search.leaks))
        count = len(search.leaks)
        return f"The canary leaked in {count:,} of {looked}: {forms}."
    if search.began and search.ended:
        return f"The canary arrived, and nothing of it is in {looked}."
    if search.began or search.ended:
        missing = "end" if search.began else "beginning"
        return f"The canary arrived in part: the mark of its {missing} isn't in {looked}, so nothing is proven."
    return f"The canary didn't arrive: its mark isn't in {looked}, so nothing is proven."
