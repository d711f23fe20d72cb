from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import discreet
from pilotbook import Thesaurus

Record = dict[str, Any]
Records = Callable[[], list[Record]]

# What differs each time.
VOLATILE = ("timestamp", "duration_ms", "exception_frames")


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Records]:
    """Everything that goes out with discreet set up as a service does it, and every logger at DEBUG."""
    file = tmp_path / "records.jsonl"
    with discreet.configure(json=str(file), level="DEBUG", report_every=0) as handle:

        def read() -> list[Record]:
            handle.flush()
            lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
            # The first tells of the contracts of whatever else is installed.
            return [{key: value for key, value in line.items() if key not in VOLATILE} for line in lines][1:]

        yield read
    discreet.uninstall()


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder with two notes of customers."""
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("The spare oars belong to Wilma Brandt.\n\nThe slip is steep.", encoding="utf-8")
    (folder / "b.txt").write_text("Nobody rows after dark.", encoding="utf-8")
    return folder


class Service:
    """A thesaurus on this machine, which answers as a test says; the status 0 is for no answer."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.status = 200
        self.headers: dict[str, str] = {}
        self.body = "[]"

    def thesaurus(self) -> Thesaurus:
        """Return what asks it, and waits as long as a busy machine needs."""
        return Thesaurus(self.url, timeout_s=60)


@pytest.fixture
def service() -> Iterator[Service]:
    """It sends back what it was asked too, in its reason and in its body, as real ones do in their errors."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
            if answers.status == 0:
                return
            body = answers.body.replace("ASKED", asked).encode()
            self.send_response(answers.status, f"Refused {asked}")
            for name, value in {**answers.headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        answers = Service(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield answers
        server.shutdown()
        thread.join()
