"""What the demo prints: each section answers one question of the person who looks at it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from beside import Pair
from oloproof_step import Outcome
from questions_step import Asked
from rich.console import Console
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from discreet import Ledger
from discreet.seal import Sealed

#: The records shown in both forms: the first that has each of these codes, events or loggers.
SHOWN: tuple[str, ...] = (
    "quote_not_found",
    "invalid_reply",
    "rate_limited",
    "authentication_failed",
    "empty_reply",
    "retrieval_error",
    "model_loaded",
    "httpx2",
)
_MASKED_LENGTH = 230
_SITES = 14
_NAMES = ("event", "warning_code", "error_code", "error_class")
_LEVEL_STYLE = {"DEBUG": "dim", "INFO": "cyan", "WARNING": "yellow", "ERROR": "red"}


class Report:
    """Prints the sections in the order in which they are called."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def opening(self) -> None:
        """Say what runs."""
        self._heading("discreet: logs of a RAG system, without what its customers wrote")
        self._say(
            "verbatim-core 0.2.8 answers twelve questions over invented medical and legal papers. "
            "Behind it is a fake LLM: a real HTTP server on 127.0.0.1 that fails by script. "
            "Every logger of the process is at DEBUG."
        )

    def questions(self, asked: Sequence[Asked], pairs: Sequence[Pair]) -> None:
        """Show each question with the codes of its records."""
        self._heading("What happened to the questions")
        table = _table("#", "the fake LLM", "quotes", "seconds", "codes in the records")
        for question in asked:
            step = f"question {question.number}"
            codes = _codes(pair for pair in pairs if pair.step == step)
            table.add_row(
                str(question.number),
                question.behaviour.value,
                str(question.quotes),
                f"{question.seconds:.2f}",
                codes or Text("none", "dim"),
            )
        self._console.print(table)
        self._say(
            "verbatim-core 0.2.8 raised nothing. Where the LLM failed, a poorer answer came back, often "
            "without a quote, and the record is the only trace."
        )

    def other_steps(self, results: int, outcome: Outcome, pairs: Sequence[Pair]) -> None:
        """Show what became of groundkit, oloproof and the stand-in."""
        self._heading("What else ran")
        table = _table("library", "what happened", "names in the records")
        cases = f"{outcome.observed} of {outcome.eligible} cases observed"
        rows = {
            "groundkit 0.2.1": f"{results} results, then a failed search",
            "oloproof 0.1.0a20": f"{cases}, {outcome.missing} missing",
            "stand-in for verbatim 0.3": "a model loaded, two errors",
        }
        for step, text in rows.items():
            names = _codes((pair for pair in pairs if pair.step == step), events=True)
            table.add_row(step, text, names or Text("none", "dim"))
        self._console.print(table)

    def beside(self, pairs: Sequence[Pair]) -> None:
        """Show chosen records as logged and as sealed."""
        self._heading("What the library would have logged, and what went out")
        self._say("What is filled into a message is ░ here; the library would have printed it.")
        for name in SHOWN:
            # discreet's own record of a call has the codes too, and nothing of the library's to compare.
            own = (pair for pair in pairs if pair.sealed.logger != "discreet")
            pair = next((pair for pair in own if name in _names(pair.sealed)), None)
            if pair is not None:
                self._one_pair(pair)

    def _one_pair(self, pair: Pair) -> None:
        sealed = pair.sealed
        head = Text.assemble((f"{sealed.level} ", _LEVEL_STYLE.get(sealed.level, "")), (sealed.logger, "bold"))
        grid = Table.grid(padding=(0, 2), expand=True)
        grid.add_column(width=8, style="dim", no_wrap=True)
        grid.add_column(ratio=1, overflow="fold")
        grid.add_row("logged", Text(_shortened(pair.as_logged), "dim"))
        grid.add_row("sealed", Text(sealed.message, "green"))
        details = _details(sealed)
        if details:
            grid.add_row("", details)
        self._console.print()
        self._console.print(head)
        self._console.print(Padding(grid, (0, 0, 0, 2)))

    def counts(self, logs: Path) -> None:
        """Count the records in a file by event and code."""
        self._heading("Records by event and code")
        with logs.open(encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        table = _table("event", "warning code", "error code", "class", "count", gap=1)
        counted = Counter(names for record in records if any(names := tuple(record.get(name) or "" for name in _NAMES)))
        # Records without an event last; they carry only the code of an exception.
        for names, count in sorted(counted.items(), key=lambda item: (not item[0][0], item[0])):
            table.add_row(*names, str(count))
        self._console.print(table)
        levels = Counter(record["level"] for record in records)
        by_level = ", ".join(f"{levels[level]} {level}" for level in _LEVEL_STYLE if levels[level])
        self._say(f"{len(records)} records: {by_level}. {counted.total()} of them carry a name.")

    def withheld(self, ledger: Ledger) -> None:
        """Show the call sites at which most was withheld, and what went wrong in counting."""
        self._heading("What was withheld, by call site")
        table = _table("call site", "what", "values")
        ranked = sorted(ledger.withheld.items(), key=lambda item: (-item[1], item[0]))
        for (site, _, _, kind), count in ranked[:_SITES]:
            table.add_row(site, kind, str(count))
        self._console.print(table)
        rest = sum(count for _, count in ranked[_SITES:])
        if rest:
            self._say(f"Values withheld at other call sites: {rest}.")
        for sink, counts in ledger.sinks.items():
            if counts.missing:
                self._alarm(f"{counts.missing} records are missing in {sink}.")
        for (where, error), count in ledger.failures.items():
            self._alarm(f"The guard failed {count} times in {where}: {error}.")

    def files(self, paths: Sequence[Path], wanted: int, found: int) -> None:
        """Say where the files are, and whether customer text was found in them."""
        self._heading("The files")
        table = _table("file", "lines", "written by")
        writers = ("discreet.JsonHandler", "discreet.OtelSpanHandler", "an ordinary FileHandler")
        for path, writer in zip(paths, writers, strict=True):
            lines = len(path.read_text(encoding="utf-8").splitlines())
            table.add_row(str(path), str(lines), writer)
        self._console.print(table)
        text = f"{found} of the customers' {wanted} sentences and questions are in them."
        self._console.print(Text(text, "bold red" if found else "bold green"))

    def closing(self, seconds: float) -> None:
        """Say how long it took."""
        self._console.print(Text(f"The run took {seconds:.1f} s.", "dim"))

    def _heading(self, text: str) -> None:
        self._console.print()
        self._console.print(Rule(Text(text, "bold"), align="left", style="dim"))

    def _alarm(self, text: str) -> None:
        self._console.print(Text(text, "bold red"))

    def _say(self, text: str) -> None:
        self._console.print(Text(text, "dim"))


def _table(*columns: str, gap: int = 2) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, gap, 0, 0), header_style="dim")
    for column in columns:
        right = column in {"#", "quotes", "seconds", "count", "values", "lines"}
        table.add_column(column, justify="right" if right else "left", overflow="fold")
    return table


def _names(sealed: Sealed) -> tuple[str | None, ...]:
    return sealed.warning_code, sealed.error_code, sealed.event, sealed.logger


def _codes(pairs: Iterable[Pair], *, events: bool = False) -> Text:
    counted: Counter[tuple[str, str]] = Counter()
    for sealed in (pair.sealed for pair in pairs):
        if sealed.error_code:
            counted[sealed.error_code, "red"] += 1
        if sealed.warning_code:
            counted[sealed.warning_code, "yellow"] += 1
        elif events and sealed.event:
            counted[sealed.event, "cyan"] += 1
    text = Text()
    for (code, style), count in counted.items():
        text.append(", " if text else "").append(code, style)
        if count > 1:
            text.append(f" ({count})", "dim")
    return text


def _details(sealed: Sealed) -> Text:
    text = Text()
    codes = (("event", sealed.event), ("warning_code", sealed.warning_code))
    for name, value in (*codes, ("error_code", sealed.error_code), *sealed.attributes.items()):
        if value is not None:
            shown = f"{value:.4g}" if isinstance(value, float) else str(value)
            text.append(f"{name}=", "dim").append(shown, "cyan").append("  ")
    if sealed.exception is not None:
        text.append("exception=", "dim").append(sealed.exception.type, "red")
        text.append(f"  {len(sealed.exception.frames)} frames, no text", "dim")
    return text


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _MASKED_LENGTH:
        return line
    return f"{line[:_MASKED_LENGTH]} … and {len(line) - _MASKED_LENGTH:,} characters more"
