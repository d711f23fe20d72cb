"""``discreet dashboards``: write dashboards and alert rules."""

from __future__ import annotations

import argparse
import sys

from discreet.contract import activate

__all__ = ["add_parser", "run"]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the parser.

    Args:
        commands: The parser's sub-commands.
    """
    parser = commands.add_parser(
        "dashboards",
        help="write the Grafana dashboard and alert rules",
        description="A dashboard for Grafana, alert rules for Grafana and Prometheus, made from the contracts.",
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    render = actions.add_parser(
        "render",
        help="write all files below a folder",
        description="Write all files below a folder. Needs the extra `dashboards`.",
    )
    render.add_argument("--out", required=True, metavar="DIR", help="the folder; it is made if it isn't there")
    render.add_argument(
        "--contract", action="append", default=[], metavar="FILE", help="a contract of your own; may be repeated"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files and print their paths; returns the exit status.

    Args:
        args: What the parser read.

    Raises:
        ContractError: A contract is wrong.
        ConfigurationError: The extra is missing, or a file can't be written.
    """
    from discreet.dashboards.files import rendered, write

    for path in write(rendered(activate(args.contract).contracts), args.out):
        sys.stdout.write(f"{path}\n")
    return 0
