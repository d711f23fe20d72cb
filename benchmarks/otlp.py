"""Measure what a log call costs its caller when records go out over OTLP, against OpenTelemetry's own handler.

    python benchmarks/otlp.py [--rounds 15] [--calls 400]

Each candidate lives in a process of its own, sends to a collector that takes everything, in a third process, and they
take turns. What counts is the CPU time of the logging thread; what the sending thread needs stands beside it. Before
each measurement the queue is emptied, and it never fills. A ratio is the median over the rounds of (ours / contrib's
`LoggingHandler` with `BatchLogRecordProcessor`) within the same round. Further down: start-up without a server, and
what memory grows by in a long run.
"""

from __future__ import annotations

import argparse
import gc
import json
import logging
import os
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from shapes import Shape, shapes_of

HERE = Path(__file__).parent
SHAPES = ("three attributes", "two arguments", "f-string", "exception, ten frames", "disabled DEBUG call")
AIMS = {"exception, ten frames": 0.10, "disabled DEBUG call": 1.05}
BASE, OURS = "contrib LoggingHandler", "discreet OtelLogHandler"


def contrib(url: str) -> tuple[logging.Handler, Callable[[], Any]]:
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.instrumentation.logging.handler import LoggingHandler
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

    provider = LoggerProvider()
    processor = BatchLogRecordProcessor(OTLPLogExporter(endpoint=f"{url}/v1/logs"), max_queue_size=8192)
    provider.add_log_record_processor(processor)
    return LoggingHandler(logger_provider=provider), provider.force_flush


def ours(url: str) -> tuple[logging.Handler, Callable[[], Any]]:
    from candidates import _activate

    import discreet

    _activate()
    handler = discreet.OtelLogHandler(endpoint=f"{url}/v1/logs", guard=True)
    return handler, lambda: handler.force_flush(30)


CANDIDATES = {BASE: contrib, OURS: ours}


def serve(name: str, url: str) -> None:
    """Read (shape, count) lines; answer with nanoseconds of this thread and of the whole process per call."""
    handler, flush = CANDIDATES[name](url)
    log = logging.getLogger("benchmark.service")
    log.setLevel(logging.INFO)
    log.propagate = False
    log.handlers[:] = [handler]
    shapes: dict[str, Shape] = shapes_of(log)
    for run in shapes.values():
        run(200)
        flush()
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        shape, count = json.loads(line)
        gc.collect()
        begun, all_begun = time.thread_time_ns(), time.process_time_ns()
        shapes[shape](count)
        ended = time.thread_time_ns()
        flush()
        whole = time.process_time_ns() - all_begun
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sys.stdout.write(json.dumps(((ended - begun) / count, whole / count, rss)) + "\n")
        sys.stdout.flush()


class Worker:
    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, *question: Any) -> Any:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        return json.loads(self.line())

    def line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def costs(url: str, rounds: int, calls: int) -> None:
    workers = {name: Worker(__file__, "--serve", name, "--url", url) for name in CANDIDATES}
    found: dict[str, dict[str, list[Any]]] = {shape: {name: [] for name in workers} for shape in SHAPES}
    for _ in range(rounds):
        for shape in SHAPES:
            for name, worker in workers.items():
                found[shape][name].append(worker.ask(shape, calls // 4 if shape.startswith("exception") else calls))
    for shape in SHAPES:
        print(f"\n{shape}  (aim: {AIMS.get(shape, 0.85):.2f})")
        for name in workers:
            ratio = statistics.median(a[0] / b[0] for a, b in zip(found[shape][name], found[shape][BASE], strict=True))
            caller, whole = (statistics.median(one[index] for one in found[shape][name]) for index in (0, 1))
            print(f"  {name:26} {caller:>10,.0f} ns   x {ratio:.2f}   with sending {whole:>10,.0f} ns")
    worker = workers[OURS]
    before = worker.ask("three attributes", 400)[2]
    for _ in range(250):
        last = worker.ask("three attributes", 4000)[2]
    print(f"\nlargest resident memory, before and after a further 1,000,000 records: {before:,} and {last:,} KiB")
    for worker in workers.values():
        worker.close()


def start_up(rounds: int) -> None:
    """Print how long a program takes to start and end that logs one record."""
    program = "import logging, discreet; discreet.configure({}); logging.getLogger('app').warning('x')"
    print("\nstart, one record and end, seconds")
    for name, options in (
        ("JSON alone", "json=None"),
        ("OTLP, nobody listens", "json=None, otlp='http://127.0.0.1:9'"),
        ("OTLP, nobody listens, shutdown_timeout=0", "json=None, otlp='http://127.0.0.1:9', shutdown_timeout=0"),
    ):
        took = []
        for _ in range(rounds):
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", program.format(options)], capture_output=True, check=True)
            took.append(time.perf_counter() - begin)
        print(f"  {name:42} {statistics.median(took):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=400)
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.url)
        return
    print(f"CPython {platform.python_version()}, {options.rounds} rounds; medians of CPU time per call")
    os.environ["DISCREET_REPORT_EVERY"] = "0"
    collector = Worker(str(HERE / "collector.py"))
    costs(collector.line(), options.rounds, options.calls)
    collector.close()
    start_up(3)


if __name__ == "__main__":
    main()
