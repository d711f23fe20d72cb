"""Runs the service under steady load, as a process of its own, and gathers what it left behind."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from tests.service.client import Customers, Sent
from tests.service.llm import FakeLLM
from tests.service.scenarios import Plan
from tests.ways_in.running import DEADLINE_S, Program

APP = str(Path(__file__).parent / "app")
SERVERS = {
    "asgi": ("-m", "uvicorn", "--app-dir", APP, "--port", "0", "--log-config", "uvicorn.json", "desk_asgi:app"),
    "wsgi": ("-m", "gunicorn", "--config", "gunicorn.conf.py", "desk_wsgi:app"),
}
# Its loggers go to the root's handlers, which the service sets.
UVICORN = {"version": 1, "disable_existing_loggers": False, "loggers": {"uvicorn.access": {"level": "INFO"}}}
GUNICORN = """
bind = "127.0.0.1:0"
workers = {workers}
threads = {threads}
worker_tmp_dir = "."
accesslog = "-"
control_socket_disable = True


def worker_exit(server, worker):
    import desk_wsgi

    desk_wsgi.worker_exit()
"""
_LISTENS = re.compile(r"http://127\.0\.0\.1:(\d+)")


@dataclass
class Left:
    """What a run left behind."""

    server: str
    plan: Plan
    sent: list[Sent]
    unknown: list[str]
    """Prompts that no request of the load explains."""

    status: int
    lines: list[dict[str, Any]]
    spans: list[dict[str, Any]]
    counts: list[dict[str, Any]]
    """What each process told at its end."""

    outputs: dict[str, str]
    """Everything that was written, by file."""

    memory: list[tuple[float, int]] = field(default_factory=list)
    """Seconds, and KiB of all processes."""

    seconds: float = 0.0


class Service:
    """The running service; a context manager.

    Args:
        folder: For everything that it writes.
        server: ``asgi`` or ``wsgi``.
        llm_url: The LLM.
        settings: More of its environment.
    """

    def __init__(
        self, folder: Path, server: str, llm_url: str, *, workers: int = 2, threads: int = 16, **settings: str
    ) -> None:
        (folder / "uvicorn.json").write_text(json.dumps(UVICORN), encoding="ascii")
        text = GUNICORN.format(workers=workers, threads=threads)
        (folder / "gunicorn.conf.py").write_text(text, encoding="ascii")
        self.folder = folder
        self.server = server
        more = {"LLM_URL": llm_url, "DESK_OUT": str(folder), "DISCREET_REPORT_EVERY": "0", **settings}
        more |= {"XDG_RUNTIME_DIR": str(folder), "PYTHONHASHSEED": "0"}
        python_path = os.environ.get("PYTHONPATH", "")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [APP, python_path]))
        try:
            self.program = Program(folder, *SERVERS[server], **more)
        finally:
            os.environ["PYTHONPATH"] = python_path

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.program.kill()

    def url(self) -> str:
        """Wait until it listens, and return its address."""
        end = time.monotonic() + DEADLINE_S
        while True:
            written = "\n".join(self.outputs().values())
            if found := _LISTENS.search(written):
                return f"http://127.0.0.1:{found[1]}"
            if self.program.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"the service doesn't listen\n{written}")
            time.sleep(0.05)

    def outputs(self) -> dict[str, str]:
        """Return all that it has written so far."""
        paths = [*self.folder.glob("*.jsonl"), *self.folder.glob("std*.txt"), *self.folder.glob("counts-*.json")]
        return {path.name: path.read_text(encoding="utf-8") for path in sorted(paths)}

    def memory(self) -> int:
        """Return KiB of resident memory of its processes, 0 where the system doesn't tell."""
        pid = self.program.process.pid
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
            return sum(_resident(int(one)) for one in (pid, *children))
        except OSError:
            # No such system, or a process that has just ended.
            return 0


def _resident(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+)", text)
    return int(found[1]) if found else 0


async def _loaded(folder: Path, server: str, plan: Plan, rate: float, seconds: float) -> Left:
    async with FakeLLM(cancels=plan.cancels) as llm:
        with Service(folder, server, llm.url) as service:
            customers = Customers(await asyncio.to_thread(service.url), llm, plan)
            memory: list[tuple[float, int]] = []
            begin = time.monotonic()
            await customers.send(rate, seconds, lambda: memory.append((time.monotonic() - begin, service.memory())))
            took = time.monotonic() - begin
            status = await asyncio.to_thread(service.program.stop)
            outputs = service.outputs()
    return Left(
        server=server,
        plan=plan,
        sent=customers.sent,
        unknown=llm.unknown,
        status=status,
        lines=_lines(outputs["lines.jsonl"]),
        spans=_lines(outputs["spans.jsonl"]),
        counts=[json.loads(text) for name, text in outputs.items() if name.startswith("counts-")],
        outputs=outputs,
        memory=memory,
        seconds=took,
    )


def _lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def load(folder: Path, server: str, rate: float, seconds: float, seed: int = 5) -> Left:
    """Put the service under steady load.

    Args:
        folder: For everything that it writes.
        server: ``asgi`` for uvicorn with FastAPI, ``wsgi`` for gunicorn with Flask.
        rate: Requests a second.
        seconds: For how long.
        seed: Of the texts and faults.
    """
    plan = Plan(seed, cancels=server == "asgi")
    return asyncio.run(_loaded(folder, server, plan, rate, seconds))
