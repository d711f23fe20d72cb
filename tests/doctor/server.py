"""Builds a configuration in a forked process and leaves the doctor's report and the names in all its canaries."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
from pathlib import Path
from typing import Any

import discreet
import discreet.canary
import tests.doctor.tools
from discreet.checkup import doors, probes, spans, tools
from tests.doctor.configurations import CONFIGURATIONS
from tests.doctor.defects import DEFECTS
from tests.doctor.live import live
from tests.forking import serve

NAME = re.compile(r"\b[A-Z][a-z]{9}\b")
made: list[str] = []


def run(job: dict[str, Any]) -> None:
    """Run one configuration in the job's folder."""
    os.chdir(job["folder"])
    for number, name in ((1, "stdout.txt"), (2, "stderr.txt")):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)

    def recorded() -> str:
        sentence = discreet.canary.make()
        made.extend(NAME.findall(sentence))
        return sentence

    for module in (doors, probes, spans, tools):
        module.make = recorded
    kept = CONFIGURATIONS[job["name"]].build()
    DEFECTS[job.get("defect", "none")].plant()
    look = kept if callable(kept) else discreet.doctor
    before = discreet.export.ledger.LEDGER.as_dict()
    report = look()
    same = before == discreet.export.ledger.LEDGER.as_dict()
    left = {"report": report.as_dict(), "made": made, "same_ledger": same, "text": str(report)}
    Path("left.json").write_text(json.dumps(left), encoding="utf-8")
    live()
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    assert tests.doctor.tools
    serve(run)
