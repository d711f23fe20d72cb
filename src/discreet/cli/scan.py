"""``discreet scan``: look for customer text in logs that already exist."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import BinaryIO

from discreet.cli.output import counted, look, printable
from discreet.log_files import Source, sources
from discreet.scan import Finding, Scanner, load_texts

__all__ = ["add_parser", "run"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: The parser's sub-commands.
    """
    parser = commands.add_parser(
        "scan",
        help="look for customer text in logs that already exist",
        description="Tells file, line, which text and how much of it, never the text itself. "
        "Exit status: 0 when nothing was found, 1 when something was, 2 when something could not be looked at.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="logs of any program: files (also gzip, bzip2, xz), folders, - for stdin",
    )
    parser.add_argument(
        "--texts",
        nargs="+",
        required=True,
        metavar="FILE",
        help="what to look for: each file is a text; in .json and .jsonl files each string is one",
    )
    parser.add_argument("--lines", action="store_true", help="each line of a text file is a text of its own")
    parser.add_argument(
        "--short", action="store_true", help="also find short values, such as names, that stand inside a text"
    )
    parser.add_argument("--json", action="store_true", help="print JSON lines: the findings, then a summary")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: What the parser read.

    Raises:
        ConfigurationError: The texts can't be read.
    """
    scanner = Scanner(load_texts(args.texts, by_line=args.lines), short=args.short)
    found = sources(args.paths)

    def lines(source: Source, stream: BinaryIO, read: Callable[[int], None]) -> Iterator[str]:
        for finding in scanner.scan(source, stream, read):
            yield json.dumps(asdict(finding)) if args.json else _line(finding)

    not_read = look(found, lines)
    _summary(scanner, len(found), not_read, as_json=args.json)
    return 1 if scanner.findings else 2 if not_read or not found else 0


def _line(finding: Finding) -> str:
    last = "" if finding.last_line == finding.line else f"-{finding.last_line}"
    kinds = {"shared": "a piece", "edge": "beginning or end", "whole": "all", "inside": "a value inside"}
    return (
        f"{printable(finding.file)}:{finding.line}{last}: {kinds[finding.rule]} of {printable(finding.place)}, "
        f"{finding.length} characters"
    )


def _summary(scanner: Scanner, files: int, unreadable: int, *, as_json: bool) -> None:
    if as_json:
        counts = {"findings": scanner.findings, "lines": scanner.lines, "files": files, "unreadable": unreadable}
        sys.stdout.write(f"{json.dumps({'summary': counts})}\n")
        return
    not_read = f", {counted(unreadable, 'file')} not looked at" if unreadable else ""
    found = f"{counted(scanner.findings, 'finding')} in {counted(scanner.lines, 'line')} of {counted(files, 'file')}"
    sys.stdout.write(f"{found}{not_read}\n")
