"""``discreet contract check``: say whether a contract file is right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from importlib import import_module

from discreet.contract import Registry, active, load_shipped, shipped
from discreet.contract.classes import find_class
from discreet.contract.model import Contract
from discreet.contract.source import load
from discreet.errors import ContractError

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments.

    Args:
        parser: The command's parser.
    """
    parser.add_argument("file", metavar="FILE", help="path of the file")
    parser.add_argument(
        "--import",
        dest="imports",
        action="store_true",
        help="import the exception classes that it lists, and say which aren't there: for a library's authors",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command; returns the exit status.

    Args:
        args: What the parser read.
    """
    try:
        contract = load(args.file)
    except ContractError as error:
        sys.stderr.write(f"{error}\n")
        # What could not be read has no place inside it; neither has what is no TOML at all.
        return 2 if isinstance(error.__cause__, OSError) else 1
    problems = list(_name_taken(contract))
    try:
        registry = Registry((*(one for one in active().contracts if one.name != contract.name), contract))
    except ContractError as error:
        problems.append(error)
        registry = Registry((contract,))
    if args.imports:
        problems += (*_classes(contract), *_codes(contract, registry))
    for problem in problems:
        sys.stderr.write(f"{problem}\n")
    if problems:
        return 1
    sys.stdout.write(f"{args.file}: the contract {contract.name} is right: {', '.join(_counts(contract))}\n")
    return 0


def _name_taken(contract: Contract) -> Iterator[ContractError]:
    name = contract.name
    # Those stay active whatever is installed. A text of one that is being edited keeps its loggers.
    if name in shipped() and contract.loggers != load_shipped(name).loggers:
        yield ContractError(
            f"a contract that comes with discreet has the name {name}",
            file=contract.file,
            key="contract.name",
            remedy="Take another name.",
        )


def _classes(contract: Contract) -> Iterator[ContractError]:
    for i, declared in enumerate(contract.exceptions):
        fault = _fault(declared.class_name)
        if fault is not None:
            yield ContractError(
                fault,
                file=contract.file,
                key=f"exceptions[{i}].class",
                remedy="Write the name by which it can be imported.",
            )


def _codes(contract: Contract, registry: Registry) -> Iterator[ContractError]:
    """Yield the codes that no record can have, since nothing takes them from the exception."""
    for i, listed in enumerate(contract.error_codes):
        cls = None if listed.exception is None else find_class(listed.exception)
        row = None if cls is None else registry.exception(cls)
        if row is None or row.own_code or listed.code in {row.code, *(when.code for when in row.conditions)}:
            continue
        yield ContractError(
            f"no record can have the code {listed.code}: that of the exception doesn't count",
            file=contract.file,
            key=f"error_codes[{i}].code",
            remedy=f"Write own_code = true in the row of {listed.exception}, or of a base of it.",
        )


def _fault(name: str) -> str | None:
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        try:
            import_module(module)
        except Exception as error:
            # A class may stand in a class. Another module that is missing is no sign of that.
            if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
                continue
            return f"importing {module} failed ({type(error).__name__})"
        break
    found = find_class(name)
    if found is None:
        return f"there is no class {name}"
    return None if issubclass(found, BaseException) else f"{name} is no class of exceptions"


def _counts(one: Contract) -> Iterator[str]:
    counted = (
        ("logger", len(one.loggers)),
        ("content logger", len(one.content_loggers)),
        ("attribute", len(one.attributes)),
        ("event", len(one.events)),
        ("warning code", len(one.warning_codes)),
        ("error code", len(one.error_codes)),
        ("exception", len(one.exceptions)),
        ("record", len(one.records)),
        ("pattern", len(one.patterns)),
    )
    return (f"{count} {what}{'' if count == 1 else 's'}" for what, count in counted if count)
