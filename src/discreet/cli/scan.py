"""``discreet scan``: look for customer text in logs that already exist."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from typing import Final, TextIO

from discreet.log_files import Source, sources, unreadable
from discreet.scan import Finding, Scanner, load_texts

__all__ = ["Bar", "add_parser", "printable", "run"]

_WIDTH: Final = 30
_OFTEN: Final = 0.1


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
    bar = Bar(sys.stderr, sum(source.size for source in found))
    unreadable = 0
    for source in found:
        problem = source.problem or _look(scanner, source, bar, as_json=args.json)
        bar.done(source)
        if problem:
            unreadable += 1
            sys.stderr.write(f"{printable(source.name)}: can't be looked at ({problem})\n")
    bar.clear()
    _summary(scanner, len(found), unreadable, as_json=args.json)
    return 1 if scanner.findings else 2 if unreadable or not found else 0


def _look(scanner: Scanner, source: Source, bar: Bar, *, as_json: bool) -> str | None:
    """Print what is found in a log; returns why it couldn't be read to its end."""
    try:
        stream = source.open()
    except OSError as error:
        return type(error).__name__
    try:
        for finding in scanner.scan(source, stream, lambda count: bar.show(source, count)):
            bar.clear()
            sys.stdout.write(f"{json.dumps(asdict(finding)) if as_json else _line(finding)}\n")
    except unreadable() as error:
        return type(error).__name__
    finally:
        if source.name != "-":
            stream.close()
    return None


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
    not_read = f", {_count(unreadable, 'file')} not looked at" if unreadable else ""
    found = f"{_count(scanner.findings, 'finding')} in {_count(scanner.lines, 'line')} of {_count(files, 'file')}"
    sys.stdout.write(f"{found}{not_read}\n")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def printable(name: str) -> str:
    """Return a name without what a terminal would obey."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in name)


class Bar:
    """A progress bar on a terminal; nothing elsewhere.

    Args:
        stream: Where to draw.
        total: The size of all logs in bytes; 0 if it isn't known.
    """

    def __init__(self, stream: TextIO, total: int) -> None:
        self._stream = stream if stream.isatty() else None
        self._total = total
        self._before = 0
        self._shown = 0.0

    def show(self, source: Source, count: int) -> None:
        """Draw how far it is, a few times a second.

        Args:
            source: The log that is being read.
            count: How many of its bytes were read.
        """
        now = time.monotonic()
        if self._stream is None or now - self._shown < _OFTEN:
            return
        self._shown = now
        read = self._before + count
        share = min(1.0, read / self._total) if self._total else 0.0
        full = round(share * _WIDTH)
        drawn = f"[{'#' * full}{'-' * (_WIDTH - full)}] {share:4.0%}" if self._total else f"{read:,} bytes"
        self._stream.write(f"\r\x1b[K{drawn} {printable(source.name)[-40:]}")
        self._stream.flush()

    def done(self, source: Source) -> None:
        """Count a whole log as read.

        Args:
            source: The log.
        """
        self._before += source.size

    def clear(self) -> None:
        """Take the bar away, so that a line can be printed."""
        if self._stream is not None and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
