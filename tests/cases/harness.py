"""Runs snippets each in a process of its own, and says what is wrong with what came out."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from tests.forking import ForkServer, environment

HERE = Path(__file__).parent
SNIPPETS = HERE / "snippets"
CHILD = HERE / "child.py"
MAX_LINE = 16_384
DEFAULT_TIMEOUT_S = 40
WORKERS = 2
KEY = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|\+00:00)")
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FAILED_HANDLER = "--- Logging error ---"
PYTHONS_OWN = "Exception ignored in"


@dataclass(frozen=True, slots=True)
class Snippet:
    """A file of `snippets`, as its CASE, SECRETS and ALLOWED say."""

    path: Path
    case: Mapping[str, Any]
    secrets: tuple[str, ...]
    allowed: tuple[str, ...]

    @property
    def may_fail(self) -> bool:
        """Whether its handlers fail without us too: by its own doing, re-entered by a signal, or at exit."""
        return self.case.get("failing_handlers", False) or self.case["id"] in {"B14", "B17"}

    @property
    def sinks(self) -> list[str]:
        return list(self.case.get("sinks", ["log"]))


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a snippet left behind: its files by name, how it ended, what `emit()` raised."""

    texts: Mapping[str, str]
    exit_code: int | None
    raised: str | None

    def lines(self, name: str) -> list[str]:
        return self.texts.get(name, "").split("\n")[:-1]


def load(path: Path) -> Snippet:
    """Read what a snippet declares about itself."""
    spec = importlib.util.spec_from_file_location(f"snippet_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(SNIPPETS))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SNIPPETS))
    return Snippet(path, module.CASE, tuple(module.SECRETS), tuple(getattr(module, "ALLOWED", ())))


def all_snippets() -> list[Snippet]:
    """Return every snippet, in the order of their names."""
    return [load(path) for path in sorted(SNIPPETS.glob("[abc][0-9]*.py"))]


class Runner:
    """Starts processes for snippets."""

    def __init__(self) -> None:
        self._environ = environment()
        self._server: ForkServer | None = None

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.close()

    def run(self, snippet: Snippet, setup: str, out: Path) -> Outcome:
        """Run a snippet under one of the set-ups, with its files in the directory `out`."""
        (out / "files").mkdir(parents=True)
        timeout = snippet.case.get("timeout", DEFAULT_TIMEOUT_S)
        job = {"snippet": str(snippet.path), "setup": setup, "out": str(out), "timeout": timeout}
        code = self._alone(job) if snippet.case.get("isolate") else self._forked(job)
        result = out / "result.json"
        raised = json.loads(result.read_text("utf-8"))["raised"] if result.exists() else "nothing known"
        texts = {
            str(file.relative_to(out)): file.read_bytes().decode("utf-8", "backslashreplace")
            for file in sorted(out.rglob("*"))
            if file.is_file() and file != result
        }
        return Outcome(texts, code, raised)

    def _alone(self, job: dict[str, Any]) -> int | None:
        command = [sys.executable, str(CHILD), json.dumps(job)]
        try:
            done = subprocess.run(command, env=self._environ, timeout=job["timeout"], check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.returncode

    def _forked(self, job: dict[str, Any]) -> int | None:
        if self._server is None:
            self._server = ForkServer(CHILD, self._environ)
        return self._server.run(job)


class Pool:
    """Runs snippets ahead of the tests that ask for them, two at a time; a context manager.

    Each worker has a server of its own, so that the processes that it forks have no threads but theirs.
    """

    def __init__(self, directory: Path, jobs: Iterable[tuple[Snippet, str]]) -> None:
        self._directory = directory
        self._runners: list[Runner] = []
        self._own = threading.local()
        self._executor = ThreadPoolExecutor(WORKERS)
        self._outcomes = {
            (snippet.path, setup): self._executor.submit(self._run, snippet, setup) for snippet, setup in jobs
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._executor.shutdown(cancel_futures=True)
        for runner in self._runners:
            runner.close()

    def outcome(self, snippet: Snippet, setup: str) -> Outcome:
        """Return what came of a run, and forget it."""
        return self._outcomes.pop((snippet.path, setup)).result()

    def _run(self, snippet: Snippet, setup: str) -> Outcome:
        if not hasattr(self._own, "runner"):
            self._own.runner = Runner()
            self._runners.append(self._own.runner)
        outcome: Outcome = self._own.runner.run(snippet, setup, self._directory / f"{snippet.path.stem}-{setup}")
        return outcome


def found(texts: Mapping[str, str], words: tuple[str, ...]) -> list[str]:
    """Return where words stand in files, in their raw text or in the JSON that it holds."""
    places = []
    for name, text in texts.items():
        decoded = "\n".join(part for line in text.split("\n") for part in _strings(_parsed(line)))
        for word in words:
            if word.casefold() in text.casefold():
                places.append(f"{word!r} in {name}")
            elif word.casefold() in decoded.casefold():
                places.append(f"{word!r} in {name}, decoded")
    return places


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value
        yield from _strings(_parsed(value) if value[:1] in ("{", "[") else None)


def leaks(snippet: Snippet, outcome: Outcome) -> list[str]:
    """Return where a secret is, and where an allowed text is that is not allowed there."""
    # Text is allowed in a DEBUG record of the open content logger alone.
    places = found(outcome.texts, snippet.secrets)
    for name, text in outcome.texts.items():
        closed = [line for line in text.split("\n") if not _is_content(_parsed(line))]
        places += found({name: "\n".join(closed)}, snippet.allowed)
    return places


def _is_content(line: object) -> bool:
    return (
        isinstance(line, dict)
        and line.get("content") is True
        and line.get("level") == "DEBUG"
        and line.get("logger") == "rag.content"
    )


def complaints(snippet: Snippet, outcome: Outcome) -> list[str]:
    """Return everything that is wrong with a run, a sentence each."""
    wrong = []
    if outcome.exit_code != 0:
        wrong.append(f"ended with {outcome.exit_code} (None: killed, it hung)")
    name = outcome.raised and outcome.raised.split()[0]
    if name is not None and name not in snippet.case.get("may_raise", ()):
        wrong.append(f"emit() raised {outcome.raised}")
    wrong += leaks(snippet, outcome)
    if FAILED_HANDLER in outcome.texts["stderr"] and not snippet.may_fail:
        wrong.append("stderr says that a handler failed")
    if PYTHONS_OWN in outcome.texts["stderr"]:
        wrong.append("stderr says that an exception was ignored")
    wrong += _wrong_lines(outcome)
    wrong += _wrong_counts(snippet, outcome)
    everything = "\n".join(outcome.texts.get(name, "") for name in ("logs.jsonl", "spans.jsonl"))
    wrong += [f"{word!r} is lost" for word in snippet.case.get("keep", ()) if word not in everything]
    any_of = snippet.case.get("keep_any")
    if any_of and not any(word in everything for word in any_of):
        wrong.append(f"each of {any_of} is lost")
    return wrong


def _wrong_lines(outcome: Outcome) -> list[str]:
    wrong = []
    text = outcome.texts.get("logs.jsonl", "")
    if text.splitlines() != outcome.lines("logs.jsonl") or CONTROL.search(text):
        wrong.append("a record is more than one physical line, or has control characters")
    for number, line in enumerate(outcome.lines("logs.jsonl"), start=1):
        if len(line.encode("utf-8", "surrogatepass")) > MAX_LINE:
            wrong.append(f"line {number} is longer than {MAX_LINE} bytes")
        try:
            record = json.loads(line, parse_constant=_refuse, object_pairs_hook=_distinct)
        except ValueError as error:
            wrong.append(f"line {number} is no strict JSON: {error}")
            continue
        odd = [key for key, item in record.items() if isinstance(item, dict | list) or not KEY.fullmatch(key)]
        if odd:
            wrong.append(f"line {number} is not flat: {odd}")
        if not TIMESTAMP.fullmatch(record.get("timestamp", "")):
            wrong.append(f"line {number} has the time {record.get('timestamp')!r}")
    for number, line in enumerate(outcome.lines("spans.jsonl"), start=1):
        if not isinstance(_parsed(line), dict):
            wrong.append(f"line {number} of the spans is no JSON object")
    return wrong


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) != len(pairs):
        raise ValueError("two keys are equal")
    return dict(pairs)


def _wrong_counts(snippet: Snippet, outcome: Outcome) -> list[str]:
    records = [line for line in map(_parsed, outcome.lines("logs.jsonl")) if isinstance(line, dict)]
    own = [line for line in records if str(line.get("logger")).split(".")[0] != "discreet"]
    spans = outcome.lines("spans.jsonl")
    case = snippet.case
    wrong = []
    least = case.get("min_records", 1 if "log" in snippet.sinks else 0)
    if len(own) < least:
        wrong.append(f"{len(own)} records came out, not the {least} that must")
    if "exact_records" in case and len(own) != case["exact_records"]:
        wrong.append(f"{len(own)} records came out, not {case['exact_records']}")
    if "span" in snippet.sinks and not spans:
        wrong.append("no span came out")
    return wrong
