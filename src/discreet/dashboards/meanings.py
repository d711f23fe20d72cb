"""What the codes of contracts mean, as texts of the dashboard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from discreet.contract.model import Contract

__all__ = ["meanings"]


def meanings(contracts: Iterable[Contract]) -> tuple[tuple[str, str], ...]:
    """Return a table of all warning codes and one of all error codes, as title and Markdown.

    Args:
        contracts: Whose codes.

    .. versionadded:: 0.1.0
    """
    listed = sorted(contracts, key=lambda one: one.name)
    return (
        ("Warning codes: a result is degraded, and correct", _table("", _warnings(listed))),
        ("Error codes: a call has no result", _table(" who can do something |", _errors(listed))),
    )


def _warnings(contracts: Iterable[Contract]) -> Iterator[str]:
    for contract in contracts:
        for one in contract.warning_codes:
            yield f"| `{one.code}` | {contract.name} | {_cell(one.meaning)} |"


def _errors(contracts: Iterable[Contract]) -> Iterator[str]:
    who = {"input": "the caller", "configuration": "the operator", "upstream": "a service", "internal": "the authors"}
    for contract in contracts:
        classes = {row.class_name: row.error_class for row in contract.exceptions}
        for one in contract.error_codes:
            found = one.error_class or classes.get(one.exception or "")
            yield f"| `{one.code}` | {contract.name} | {who.get(found or '', '')} | {_cell(one.meaning)} |"


def _table(more: str, rows: Iterator[str]) -> str:
    rules = "|---" * (3 + bool(more)) + "|"
    return "\n".join((f"| code | contract |{more} meaning |", rules, *dict.fromkeys(rows)))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
