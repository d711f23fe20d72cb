"""Makes calls until it is killed: some have ended, some run; its lines and metrics go to files."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from opentelemetry.sdk.metrics.export import ConsoleMetricExporter, MetricsData, PeriodicExportingMetricReader

import discreet
from discreet.call_counts import CALLS

out, how = Path(sys.argv[1]), sys.argv[2]
forever = threading.Event()


def one_line(data: MetricsData) -> str:
    return json.dumps(json.loads(data.to_json(indent=None))) + "\n"


@discreet.observe_call("boats.read")
def read() -> Iterator[int]:
    yield 1
    yield 2


@discreet.observe_call("boats.wait", "question")
def wait(question: str) -> None:
    forever.wait()


def call(number: int) -> None:
    endings = [None, None, LookupError(), asyncio.CancelledError(), None]
    with contextlib.suppress(LookupError, asyncio.CancelledError), discreet.observe_call("boats.find") as found:
        error = endings[number % 5]
        if number % 5 == 4:
            found.warn("quote_not_found")
        if error is not None:
            raise error


def steadily() -> None:
    number = 0
    while True:
        call(number)
        number += 1


with (out / "metrics.jsonl").open("a", encoding="utf-8") as file:
    exporter = ConsoleMetricExporter(out=file, formatter=one_line)
    reader = PeriodicExportingMetricReader(exporter, export_interval_millis=20 if how == "steadily" else 1e7)
    with discreet.configure(json=str(out / "log.jsonl"), metrics=reader):
        if how == "steadily":
            for _ in range(3):
                threading.Thread(target=steadily, daemon=True).start()
        else:
            for number in range(10):
                call(number)
            for _ in range(3):
                threading.Thread(target=wait, args=("Who waits at pier nine?",), daemon=True).start()
            stream = read()
            next(stream)
            list(read())
            while CALLS.as_dict()["boats.wait"]["active"] < 3:
                pass
            reader.force_flush()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        forever.wait()
