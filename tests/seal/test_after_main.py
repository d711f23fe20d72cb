"""Functions of the main script that run when that has ended: in its threads, and at the end of the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.forking import environment

PROGRAM = """\
import atexit, logging, sys, threading

import discreet

discreet.configure(json="-", report_every=0)
log = logging.getLogger("quay")
question = " ".join(["Who", "painted", "the", "buoy?"])


def moor(where):
    log.warning("Moored by %s, %s", where, question)
    log.warning(question)
    try:
        raise LookupError(question)
    except LookupError:
        log.exception("Adrift")
    made = compile("log.warning('Who painted the buoy?')", "made.py", "exec")
    exec(made, globals())


def wait(main):
    main.join()
    moor("a thread")


atexit.register(moor, "the end")
threading.Thread(target=wait, args=(threading.main_thread(),)).start()
"""


def test_its_constants_are_still_those_of_its_file(tmp_path: Path) -> None:
    """Python has taken the name of the file away by then; what was made at run time is no constant of it."""
    file = tmp_path / "quay.py"
    file.write_text(PROGRAM, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, str(file)], env=environment(), capture_output=True, text=True, timeout=60, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    found = [json.loads(line) for line in done.stdout.splitlines()][1:]
    assert [(one["logger"], one["message"]) for one in found] == 2 * [
        ("quay", "Moored by <str 1-15>, <str 16-63>"),
        ("quay", "<str 16-63>"),
        ("quay", "Adrift"),
        ("quay", "<str 16-63>"),
    ]
    assert [one["exception_frames"] for one in found if "exception_frames" in one] == ["__main__.py:moor:14"] * 2
