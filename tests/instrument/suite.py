"""Suites for oloproof, systems to evaluate, and a server of one that fails in a part of its calls."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import oloproof
from oloproof.evaluators import Contains
from oloproof_core.models.decision import IntervalThresholdRule, NonInferiorityRule, ReleasePolicy
from oloproof_core.persistence.store import scratch_store

CANARIES = ("Ottilie", "Brandvold", "heron", "ferry")
QUESTION = "What did Ottilie Brandvold call the heron on the ferry?"


def rows(cases: int) -> list[dict[str, Any]]:
    return [
        {
            "id": f"case_{number}",
            "input": {"case": number, "question": f"{QUESTION} ({number})"},
            "expected": {"answer": f"Brandvold {number}."},
        }
        for number in range(cases)
    ]


_STORES: list[Any] = []


def close_stores() -> None:
    """Close what oloproof never closes, or Python 3.13 complains of it."""
    while _STORES:
        connection = getattr(_STORES.pop()._local, "connection", None)
        if connection is not None:
            connection.close()


def options(folder: Path, cases: int, **more: Any) -> dict[str, Any]:
    """What every evaluation here has in common."""
    dataset = folder / "suite.jsonl"
    dataset.write_text("\n".join(map(json.dumps, rows(cases))), encoding="utf-8")
    store = scratch_store(folder)
    _STORES.append(store)
    return {
        "dataset": dataset,
        "evaluators": [Contains(criterion="quote_in_answer", field="answer")],
        "store": store,
        **more,
    }


def system(right: int, name: str = "harbour") -> Any:
    """A system that is right in the first so many cases."""

    @oloproof.system(name=name, version=str(right))
    def answer(case: dict[str, Any]) -> dict[str, str]:
        number = case["case"]
        return {"answer": f"It was Brandvold {number}." if number < right else "A ferry, said the heron."}

    return answer


def at_least(threshold: float) -> ReleasePolicy:
    rule = IntervalThresholdRule(id="quotes", metric="quote_in_answer", direction="min", threshold=threshold)
    return ReleasePolicy(rules=(rule,))


def no_worse(margin: float) -> ReleasePolicy:
    rule = NonInferiorityRule(id="quotes", metric="quote_in_answer", margin=margin)
    return ReleasePolicy(rules=(), comparison_rules=(rule,))


@contextmanager
def server(failing: dict[int, int]) -> Iterator[tuple[str, Counter[int]]]:
    """Serve a system that answers HTTP 500 so many times for some cases; yields its URL and its counts of statuses."""
    left = dict(failing)
    statuses: Counter[int] = Counter()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            case = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["case"]
            with lock:
                fails = left.get(case, 0) > 0
                left[case] = left.get(case, 0) - 1
                statuses[500 if fails else 200] += 1
            body = json.dumps({"answer": QUESTION if fails else f"Brandvold {case}."}).encode()
            self.send_response(500 if fails else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_port}/", statuses
    finally:
        running.shutdown()
        thread.join()
        running.server_close()
