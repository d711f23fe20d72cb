"""Loads logging configurations, each in a process of its own that is forked from this one, and logs under them."""

from __future__ import annotations

import json
import logging.config
import os
import sys
from pathlib import Path
from typing import Any

from tests.forking import serve

HERE = Path(__file__).parent


def _load(job: dict[str, Any]) -> None:
    path = Path(job["file"])
    if path.suffix == ".ini":
        logging.config.fileConfig(path)
    elif path.suffix == ".yaml":
        import yaml

        logging.config.dictConfig(yaml.safe_load(path.read_text(encoding="utf-8")))
    else:
        logging.config.dictConfig(json.loads(path.read_text(encoding="utf-8")))


def _chain(error: BaseException | None) -> list[list[str]]:
    found = []
    while error is not None:
        found.append([type(error).__qualname__, str(error)])
        error = error.__cause__
    return found


def run(job: dict[str, Any]) -> None:
    """Load the job's file and log; standard output and error go to files in its folder, as does what was refused."""
    os.chdir(job["folder"])
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, number)
        os.close(target)
    sys.path.insert(0, str(HERE / "apps"))
    refused: list[list[str]] = []
    try:
        _load(job)
    except Exception as error:
        refused = _chain(error)
    else:
        import harbour

        harbour.run(job["text"])
    Path("refused.json").write_text(json.dumps(refused), encoding="utf-8")


if __name__ == "__main__":
    import discreet.contract

    # What is imported and read once, for all the forks.
    discreet.contract.active()
    serve(run)
