"""``discreet contract``: list the active contracts, show one, check a file."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
from collections.abc import Iterable, Iterator

from discreet.cli import allow_list
from discreet.cli import check as checking
from discreet.contract import active, coverage
from discreet.contract.model import ArgType, Contract, ErrorCode, ExceptionDeclaration, PatternRow, RecordRow
from discreet.contract.source import find

__all__ = ["add_parser", "run"]

_WIDTH = 100


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: The parser's sub-commands.
    """
    parser = commands.add_parser(
        "contract",
        help="list, show and check contracts",
        description="Contracts say which names a library's logs use and which of its values are safe.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="list the active contracts and the releases that they cover")
    show = actions.add_parser("show", help="show all that a contract declares")
    show.add_argument("name", metavar="NAME", help="name of an active contract, or path of a file")
    check = actions.add_parser(
        "check",
        help="say whether a contract file is right",
        description="Exit status: 0 when it is right, 1 when it is not, 2 when it can't be read.",
    )
    checking.add_arguments(check)
    allowed = actions.add_parser(
        "allow-list",
        help="print the names that may leave, for the OpenTelemetry Collector",
        description="Print a part of the Collector's configuration that lets through what contracts name.",
    )
    allow_list.add_arguments(allowed)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: What the parser read.

    Raises:
        ContractError: The contract to show isn't there, or is wrong.
    """
    if args.action == "list":
        return _list()
    if args.action == "show":
        _print(_contract(args.name))
        return 0
    if args.action == "allow-list":
        return allow_list.run(args)
    return checking.run(args)


def _list() -> int:
    registry = active()
    covered = coverage()
    for one in registry.contracts:
        sys.stdout.write(f"{one.name:<12}{one.summary}\n")
        for found in covered:
            if found.contract == one.name:
                sys.stdout.write(
                    f"{'':12}{found.distribution} {found.specifier}: {found.installed or 'not installed'}"
                    f"{'' if found.covered else ', NOT COVERED'}\n"
                )
    for problem in registry.problems:
        sys.stdout.write(f"not active: {problem}\n")
    return 0


def _contract(name: str) -> Contract:
    return next((one for one in active().contracts if one.name == name), None) or find(name)


def _print(one: Contract) -> None:
    sys.stdout.write(f"{one.name}: {one.summary}\n{one.file}, format {one.format}\n")
    wide = sorted(f"{name}: {kind}" for name, kind in one.attributes.items() if kind.wide)
    for title, lines in (
        ("covers", [f"{name} {specifier}" for name, specifier in one.covers.items()]),
        ("loggers", one.loggers),
        ("content loggers", one.content_loggers),
        ("wrappers", one.wrappers),
        ("attributes", [f"{name}: {kind}" for name, kind in one.attributes.items()]),
        ("attributes wider than their type, by a pattern", wide),
        ("events", [f"{e.name} ({', '.join((e.level, *e.attributes))}): {e.meaning}" for e in one.events]),
        (
            "warning codes",
            [f"{w.code}{f' ({w.emitted_by})' if w.emitted_by else ''}: {w.meaning}" for w in one.warning_codes],
        ),
        (
            "error codes",
            [f"{code.code} ({', '.join(_about(code))}): {code.meaning}" for code in one.error_codes],
        ),
        ("exceptions", [_exception(declared) for declared in one.exceptions]),
        ("records", [_record(row) for row in one.records]),
        ("patterns", [_pattern(row) for row in one.patterns]),
        ("retired", [f"{gone.kind} {gone.name}, since {gone.since}" for gone in one.retired]),
    ):
        _section(title, lines)


def _about(code: ErrorCode) -> Iterator[str]:
    yield code.exception or "no class"
    if code.error_class:
        yield code.error_class
    if code.retryable is not None:
        yield "retryable" if code.retryable else "not retryable"


def _section(title: str, lines: Iterable[str]) -> None:
    found = list(lines)
    if found:
        sys.stdout.write(f"\n{title}\n")
    for line in found:
        wrapped = textwrap.wrap(line, _WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False)
        sys.stdout.write("\n".join(wrapped) + "\n")


def _exception(one: ExceptionDeclaration) -> str:
    said = [one.code or "no code of its own"]
    if one.error_class:
        said.append(one.error_class)
    if one.own_code:
        said.append("or the instance's own code")
    if one.code_of_cause:
        said.append("or the code of its cause")
    if one.safe_message:
        said.append(f"safe message{'' if one.safe_message is True else f' from {one.safe_message}'}")
    said += [f"{when.code} if {when.attribute} is {when.equals}" for when in one.conditions]
    said += [f"{safe.name}: {safe.type}" for safe in one.attributes]
    return f"{one.class_name}: {'; '.join(said)}"


def _meaning(row: RecordRow | PatternRow) -> str:
    said = [name for name in (row.event, row.warning_code, row.error_code) if name]
    if isinstance(row, RecordRow) and row.error_code_from:
        said.append("the code of the exception being handled")
    return ", ".join(said) or "means nothing"


def _arg(arg: ArgType) -> str:
    shown = "" if arg.type is None else str(arg.type)
    return f"{shown} as {arg.attribute}" if arg.attribute else shown or "-"


def _record(row: RecordRow) -> str:
    kind = "printed in" if row.source == "print" else "logged in"
    where = row.logger or f"{kind} {row.module}"
    types = f" [{', '.join(_arg(arg) for arg in row.args)}]" if any(arg.type for arg in row.args) else ""
    return f"{where}: {_quoted(row.key)}{types} -> {_meaning(row)}"


def _pattern(row: PatternRow) -> str:
    types = ", ".join(f"{name}: {_arg(arg)}" for name, arg in row.groups.items())
    return f"{row.logger}: {_quoted(row.message)} [{types}] -> {_meaning(row)}"


def _quoted(template: str) -> str:
    return json.dumps(template, ensure_ascii=False)
