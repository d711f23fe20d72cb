"""``discreet contract allow-list``: the names that may leave, as a configuration of the OpenTelemetry Collector."""

from __future__ import annotations

import argparse
import json
import re
import sys
import textwrap
from collections.abc import Iterable
from typing import Final

from discreet.contract import Registry, activate
from discreet.errors import InvalidInputError
from discreet.export.span_rules import exported, span_rules

__all__ = ["FORMATS", "add_arguments", "allowed_names", "alloy_config", "collector_config", "run"]

FORMATS: Final = ("collector", "alloy", "names")
"""What the command prints.

.. versionadded:: 0.1.0
"""

FIELDS: Final = (
    # Over OTLP, of a record whose time a store would refuse.
    "timestamp",
    "event",
    "warning_code",
    "error_code",
    "error_class",
    "exception_type",
    "exception_code",
    "exception_chain",
    "exception_message",
    "exception_frames",
    "withheld",
    "code_function",
    "code_line",
    "content",
    "truncated",
)
"""The fields of a record that are attributes of an OpenTelemetry log record; the others have a place of their own.

.. versionadded:: 0.1.0
"""

# What the shipped configurations of the Collector say of a line: that it is no record, and where it was printed.
_OF_LINES: Final = ("log.iostream", "unparsed")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}", re.ASCII)
_WIDTH: Final = 100
_HEAD: Final = (
    "The second guard: attributes that no contract names don't pass the Collector, nor does a line",
    "that is no record, nor what a content logger says. `dropped_attributes` tells how many were left out.",
    "Made by `discreet contract allow-list`. Make it anew when a contract changes.",
)
_CONTENT: Final = (
    'set(log.body, Concat(["<content, ", Len(log.body), " characters>"], ""))'
    ' where log.attributes["content"] == true or log.attributes["content"] == "true"'
)

_DROPPED: Final = (
    'set(log.attributes["dropped_attributes"], log.cache["given"] - Len(log.attributes))'
    ' where log.cache["given"] > Len(log.attributes)'
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options.

    Args:
        parser: The parser of ``discreet contract allow-list``.
    """
    parser.add_argument(
        "--contract", action="append", default=[], metavar="FILE", help="a contract of your own; may be repeated"
    )
    parser.add_argument(
        "--attribute",
        action="append",
        default=[],
        metavar="NAME",
        help="an attribute that you declare in code, by attributes=; may be repeated",
    )
    parser.add_argument(
        "--content", action="store_true", help="let through what content loggers say while they are open"
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="collector",
        help="collector (default), alloy, or names: only the names, one a line, for other shippers",
    )


def run(args: argparse.Namespace) -> int:
    """Print the list; returns the exit status.

    Args:
        args: What the parser read.

    Raises:
        ContractError: A contract is wrong.
        InvalidInputError: A name of an attribute is wrong.
    """
    for name in args.attribute:
        if not _NAME.fullmatch(name):
            raise InvalidInputError(
                "must be 1 to 100 of the characters A-Z a-z 0-9 _ . -; give one name after each --attribute",
                param="attribute",
            )
    registry = activate(args.contract)
    names = (*allowed_names(registry), *args.attribute)
    if args.format == "names":
        sys.stdout.write("".join(f"{name}\n" for name in sorted(set(names))))
    elif args.format == "alloy":
        sys.stdout.write(alloy_config(names, content=args.content))
    else:
        sys.stdout.write(collector_config(names, content=args.content))
    return 0


def allowed_names(registry: Registry) -> tuple[str, ...]:
    """Return the attributes that a record may have, sorted.

    Args:
        registry: The active contracts.

    .. versionadded:: 0.1.0
    """
    names = {*FIELDS, *registry.attributes, *exported(registry)}
    for contract in registry.contracts:
        names.update(contract.attributes)
    return tuple(sorted(names))


def collector_config(names: Iterable[str], *, content: bool = False) -> str:
    """Return a part of the Collector's configuration that lets these attributes through and no others.

    Args:
        names: Attributes that log records may have. Spans may also have the keys that the span guard lets through.
        content: Whether to let through what content loggers say.

    .. versionadded:: 0.1.0
    """
    parts = "".join(
        f"    {signal}_statements:\n" + "".join(f"      - >-\n{_folded(one, 10)}\n" for one in statements)
        for signal, statements in _statements(names, content=content)
    )
    return f"{_head('#')}processors:\n  transform/allow_list:\n    error_mode: ignore\n{parts}"


def alloy_config(names: Iterable[str], *, content: bool = False) -> str:
    """Return the same as a component of Grafana Alloy, which sends on to the exporter ``store``.

    Args:
        names: As for `collector_config`.
        content: As for `collector_config`.

    .. versionadded:: 0.1.0
    """
    # A block of statements has one context in Alloy; from that of a record or span, resource and scope are in reach.
    contexts = {"log": ("log",), "trace": ("span", "spanevent")}
    blocks = []
    for signal, statements in _statements(names, content=content):
        for context in contexts[signal]:
            own = [one for one in statements if ("spanevent." in one) == (context == "spanevent")]
            lines = "".join(f"      `{one}`,\n" for one in own)
            blocks.append(
                f'  {signal}_statements {{\n    context    = "{context}"\n    statements = [\n{lines}    ]\n  }}\n\n'
            )
    return (
        f'{_head("//")}otelcol.processor.transform "allow_list" {{\n'
        f'  error_mode = "ignore"\n\n{"".join(blocks)}'
        "  output {\n    logs = [otelcol.exporter.otlphttp.store.input]\n  }\n}\n"
    )


def _statements(names: Iterable[str], *, content: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    logs = sorted({*names, *_OF_LINES})
    rules = span_rules()
    spans = sorted({*names, *rules.keys, *rules.client})
    around = ("keep_keys(scope.attributes, [])", _kept("resource.attributes", sorted(rules.resource)))
    no_record = 'where log.attributes["unparsed"] != nil'
    of_logs = (
        'set(log.body, "<no text>") where not IsString(log.body)',
        f'set(log.body, Concat(["<no record, ", Len(log.body), " characters>"], "")) {no_record}',
        f"{_kept('log.attributes', _OF_LINES)} {no_record}",
        *(() if content else (_CONTENT,)),
        'set(log.event_name, log.attributes["event"]) where log.attributes["event"] != nil',
        'set(log.cache["given"], Len(log.attributes))',
        _kept("log.attributes", logs),
        _DROPPED,
        *around,
    )
    of_spans = (
        _kept("span.attributes", spans),
        'set(span.status.message, "")',
        _kept("spanevent.attributes", spans),
        *around,
    )
    return (("log", of_logs), ("trace", of_spans))


def _head(mark: str) -> str:
    return "".join(f"{mark} {line}\n" for line in _HEAD)


def _kept(path: str, names: Iterable[str]) -> str:
    return f"keep_keys({path}, [{', '.join(json.dumps(name) for name in names)}])"


def _folded(statement: str, indent: int) -> str:
    lines = textwrap.fill(statement, _WIDTH - indent, break_long_words=False, break_on_hyphens=False)
    return textwrap.indent(lines, " " * indent)
