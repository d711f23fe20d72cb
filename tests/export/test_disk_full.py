"""A full disk, made by the operating system's own limit on a file's size."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.forking import environment

PROGRAM = """
import json, logging, resource, signal, sys
import discreet
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
log = logging.getLogger("app")
handle = discreet.configure(json="lines.jsonl", spans="spans.jsonl", attributes={"n": "int"}, level="INFO")
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

def say(start, count):
    for n in range(start, start + count):
        log.info("record", extra={"n": n, "event": "model_loaded"})

say(0, 10)
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, hard))
say(10, 90)
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
say(100, 10)
print(json.dumps(handle.ledger.as_dict()["sinks"]))
"""


def test_on_a_full_disk_every_record_is_counted_and_the_next_lines_are_whole(tmp_path: Path) -> None:
    """No log call fails; what was observed is in the files, and when there is room again lines go on."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=environment(DISCREET_REPORT_EVERY="0"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    sinks = json.loads(done.stdout)
    for file, sink in (("lines.jsonl", "json"), ("spans.jsonl", "span_file")):
        whole, torn = [], 0
        for line in (tmp_path / file).read_text("utf-8").splitlines():
            try:
                whole.append(json.loads(line))
            except ValueError:
                torn += 1
        assert torn <= 1
        counts = sinks[sink]
        own = [line for line in whole if line.get("event") != "pipeline_closed"]
        assert (counts["total"], counts["observed"]) == (111, len(own))
        assert counts["missing_by_reason"] == {"write_failed": 111 - len(own)}
        numbers = [line.get("n", line.get("attributes", {}).get("n")) for line in own]
        assert numbers[-10:] == list(range(100, 110))
        assert numbers[1:11] == list(range(10))
        assert 0 < counts["missing"] <= 90

    assert (
        f"discreet: {sinks['json']['missing']} of 111 records are missing in the sink json: write_failed" in done.stderr
    )
