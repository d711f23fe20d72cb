"""Runs the program once, sabotaged or not, in a process of its own."""

from __future__ import annotations

import json
import os
import types
from pathlib import Path
from typing import Any

from tests.forking import serve


def run(job: dict[str, Any]) -> None:
    """Run every function of the program in the set-up `beside`; write what they complained of."""
    out = Path(job["out"])
    os.environ["CASE_OUT"] = str(out / "files")
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = os.open(out / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, number)
        os.close(target)

    import discreet
    from tests.cases.setups import SETUPS
    from tests.sabotage import (  # noqa: F401 - they enter the sabotages
        call_program,
        log_program,
        match_program,
        of_calls,
        of_copies,
        of_levels,
        of_logs,
        of_match,
        of_requests,
        of_streams,
        of_values,
        program,
        request_program,
        stream_program,
    )
    from tests.sabotage.sabotages import SABOTAGES

    if not job["guarded"]:
        # Importing discreet alone has guarded the handler of last resort.
        discreet.uninstall()
    complaints = {}
    with SETUPS["beside" if job["guarded"] else "unguarded"](out):
        if job["sabotage"] is not None:
            SABOTAGES[job["sabotage"]].apply()
        parts = (program, match_program, log_program, call_program, stream_program, request_program)
        functions = [(part, *item) for part in parts for item in vars(part).items()]
        for part, name, function in functions:
            if type(function) is types.FunctionType and function.__module__ == part.__name__ and name != "match_mode":
                try:
                    complaint = function()
                except Exception as error:
                    complaint = f"{type(error).__name__} came out of a log call"
                if complaint is not None:
                    complaints[name] = complaint
    Path(job["result"]).write_text(json.dumps(complaints), encoding="utf-8")


if __name__ == "__main__":
    serve(run)
