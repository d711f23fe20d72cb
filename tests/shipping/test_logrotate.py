"""The shipped configuration of logrotate, run by logrotate."""

from __future__ import annotations

import gzip
import json
import logging
import subprocess
import time
from pathlib import Path

import pytest

import discreet
from tests.servers.catalog import program
from tests.servers.process import wait_until
from tests.shipping.shipping import CONFIGS

pytestmark = [pytest.mark.integration, pytest.mark.servers]

CONFIG = CONFIGS.parent / "logrotate" / "answers"


def rotate(folder: Path) -> None:
    """Rotate at once."""
    config = folder / "logrotate.conf"
    config.write_text(CONFIG.read_text(encoding="utf-8").replace("/var/log/app", str(folder)), encoding="utf-8")
    command = [str(program("logrotate")), "--force", "--verbose", "--state", str(folder / "state"), str(config)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_record_is_once_in_the_files_that_logrotate_leaves(tmp_path: Path) -> None:
    """Renamed, made anew, and the one before compressed, while a handler goes on writing."""
    handler = discreet.JsonHandler(tmp_path / "app.jsonl")
    log = logging.getLogger("tests.logrotate")
    log.handlers.clear()
    log.propagate = False
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    log.info("one")
    rotate(tmp_path)
    first = int(time.time())
    log.info("two")
    assert handler._file is not None
    handler._file.look_again = 0.0
    log.info("three")
    # A rotated file's name has the second.
    wait_until(lambda: int(time.time()) > first, "the next second")
    rotate(tmp_path)
    handler._file.look_again = 0.0
    log.info("four")
    files = sorted(tmp_path.glob("app.jsonl*"), key=lambda path: (path.name == "app.jsonl", path.name))
    texts = [gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes() for path in files]

    assert [path.suffix == ".gz" for path in files] == [True, False, False]
    assert [[json.loads(line)["message"] for line in text.splitlines()] for text in texts] == [
        ["one", "two"],
        ["three"],
        ["four"],
    ]
    assert (tmp_path / "app.jsonl").stat().st_mode & 0o777 == 0o640
