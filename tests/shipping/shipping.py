"""Ships records through one way into the store while everything on the way is killed, and asks the store."""

from __future__ import annotations

import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.servers.catalog import Collector, VictoriaLogs
from tests.shipping.ways import Way
from tests.shipping.writer import THREADS

CONFIGS = Path(__file__).parent.parent.parent / "dashboards" / "collector"
PROCESSES = 4
# Longer than the Collector waits between two attempts.
QUIET_S = 30


@dataclass
class Process:
    """One life of the service: how far its threads got, and what the store has of them."""

    pid: int
    said: list[int]
    rows: int = 0
    distinct: int = 0
    missing: int = 0


@dataclass
class Figures:
    """What became of the records."""

    processes: list[Process] = field(default_factory=list)
    collector_kills: int = 0
    service_kills: int = 0
    outages: int = 0
    rotations: int = 0
    seconds: float = 0.0

    @property
    def said(self) -> int:
        """Records whose log call had returned, of all processes."""
        return sum(sum(one.said) for one in self.processes)

    @property
    def missing(self) -> int:
        """Those of them that the store doesn't have."""
        return sum(one.missing for one in self.processes)

    @property
    def duplicates(self) -> int:
        """Rows that the store has once more."""
        return sum(one.rows - one.distinct for one in self.processes)

    def __str__(self) -> str:
        lines = [
            f"{self.said} records in {self.seconds:.0f} s, {self.missing} missing",
            f"  {self.duplicates} twice ({self.duplicates / max(1, self.said):.3%})",
            f"  Collector killed {self.collector_kills} times, service {self.service_kills} times",
            f"  store stopped {self.outages} times, files rotated {self.rotations} times",
        ]
        lines += [
            f"  pid {one.pid}: {sum(one.said)} written, {one.distinct} in the store, {one.missing} missing"
            for one in self.processes
        ]
        return "\n".join(lines)


class _Service:
    """A running process and its progress."""

    def __init__(self, way: Way, progress: Path, records: int, pause: float) -> None:
        self.records = records
        self.progress = progress
        progress.write_bytes(bytes(8 * THREADS))
        self.process: subprocess.Popen[bytes] = way.start(progress, records, pause)

    def said(self) -> list[int]:
        return list(struct.unpack(f"{THREADS}q", self.progress.read_bytes()))

    @property
    def left(self) -> int:
        """Records that each thread has still to write, on average."""
        return max(0, self.records - sum(self.said()) // THREADS)


class Shipment:
    """One run.

    Args:
        way: How lines get to the Collector.
        folder: For everything that is written.
        records: How many, of all threads of all processes.
        rate: Records a second, of all threads of all processes.
        rounds: How often everything is killed once.
        allow_list: The Collector's second guard, with the writer's attributes.
    """

    def __init__(self, way: Way, folder: Path, records: int, rate: float, rounds: int, allow_list: Path) -> None:
        self.way = way
        self.folder = folder
        self.figures = Figures()
        self.pause = PROCESSES * THREADS / rate
        self.each = records // (PROCESSES * THREADS)
        self.total = self.each * PROCESSES * THREADS
        self.rounds = rounds
        self.services: list[_Service] = []
        self.store = VictoriaLogs(folder / "store")
        self.collector: Collector | None = None
        self._configs = [CONFIGS / "common.yaml", CONFIGS / way.config, allow_list, CONFIGS / "victorialogs.yaml"]

    def run(self) -> Figures:
        """Write, kill, wait until the store has everything, and count."""
        started = time.monotonic()
        with self.store:
            variables = {"LOG_STORE": self.store.url(), **self.way.variables}
            self.collector = Collector(self.folder / "collector", self._configs, variables)
            try:
                with self.collector:
                    self._write()
                    self._wait_for_the_store()
            finally:
                for service in self.services:
                    service.process.kill()
                    service.process.wait()
        self.figures.seconds = time.monotonic() - started
        return self.figures

    def _write(self) -> None:
        for _ in range(PROCESSES):
            self._start(self.each)
        for share, act in self._events():
            while self._written() < share * self.total and self._alive():
                time.sleep(0.02)
            act()
        for service in self.services:
            service.process.wait()
        self.way.finish()

    def _start(self, records: int) -> None:
        progress = self.folder / f"progress-{len(self.services)}"
        self.services.append(_Service(self.way, progress, records, self.pause))

    def _alive(self) -> bool:
        return any(service.process.poll() is None for service in self.services)

    def _written(self) -> int:
        return sum(sum(service.said()) for service in self.services)

    def _events(self) -> Iterator[tuple[float, Callable[[], None]]]:
        acts = (
            self._rotate,
            self._kill_collector,
            self._kill_service,
            self._stop_store,
            self._kill_collector,
            self._rotate,
            self._start_store,
        )
        for turn in range(self.rounds):
            for number, act in enumerate(acts, 1):
                yield (turn + number / (len(acts) + 1)) / self.rounds, act

    def _rotate(self) -> None:
        self.way.rotate()
        self.figures.rotations += 1

    def _kill_collector(self) -> None:
        assert self.collector is not None
        self.collector.kill()
        time.sleep(0.5)
        self.collector.start()
        self.figures.collector_kills += 1

    def _kill_service(self) -> None:
        victim = next((service for service in self.services if service.process.poll() is None), None)
        if victim is None:
            return
        victim.process.kill()
        victim.process.wait()
        self.figures.service_kills += 1
        self._start(victim.left)

    def _stop_store(self) -> None:
        self.store.stop()
        self.figures.outages += 1

    def _start_store(self) -> None:
        self.store.start()

    def _wait_for_the_store(self) -> None:
        """Until it has everything, or until nothing new came for a while: what is missing then is in the figures."""
        rows, quiet = -1, 0
        while not self._complete() and quiet < QUIET_S:
            known = sum(one.rows for one in self.figures.processes)
            quiet = 0 if known > rows else quiet + 1
            rows = known
            time.sleep(1)

    def _complete(self) -> bool:
        rows = self.store.query("pid:* | stats by (pid, worker) count() rows, count_uniq(seq) distinct, max(seq) last")
        found = {(int(row["pid"]), int(row["worker"])): row for row in rows}
        self.figures.processes = [_counted(service, found) for service in self.services]
        return not self.figures.missing


def _counted(service: _Service, found: dict[tuple[int, int], dict[str, str]]) -> Process:
    process = Process(service.process.pid, service.said())
    for worker, said in enumerate(process.said):
        row = found.get((process.pid, worker), {"rows": "0", "distinct": "0", "last": "0"})
        distinct, last = int(row["distinct"]), int(row["last"] or 0)
        process.rows += int(row["rows"])
        process.distinct += distinct
        # Of the numbers from 1 to the last one said, and perhaps of one more that was written but not yet said.
        process.missing += max(said, last) - distinct
    return process
