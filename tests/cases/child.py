"""Runs snippets: one job in this process, or a new process for each, forked before logging is touched.

Starting an interpreter and importing the SDK costs a third of a second, a fork of one that has done
so a hundredth. What a snippet needs of a fresh process (no handlers, no guard, its own exit) both give.
"""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).parent


def _load(path: Path) -> ModuleType:
    """Import a file as a program's own module: proofs of literals hold for nothing less."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _emit(module: ModuleType) -> str | None:
    try:
        module.emit()
    except BaseException as error:
        # Its text may be the secret, so only type and line are told.
        line = error.__traceback__
        while (
            line is not None
            and line.tb_next is not None
            and line.tb_next.tb_frame.f_code.co_filename == module.__file__
        ):
            line = line.tb_next
        where = "" if not isinstance(error, AssertionError) or line is None else f" at line {line.tb_lineno}"
        return type(error).__name__ + where
    return None


def run(job: dict[str, str]) -> None:
    """Run one snippet in this process and write what became of it to `result.json`."""
    out = Path(job["out"])
    os.environ["CASE_OUT"] = str(out / "files")
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = os.open(out / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, number)
        os.close(target)
    sys.path[:0] = [str(HERE), str(HERE / "snippets")]
    from setups import SETUPS

    setup: Callable[[Path], AbstractContextManager[None]] = SETUPS[job["setup"]]
    module = _load(Path(job["snippet"]))
    if module.CASE.get("before_setup"):
        raised = _emit(module)
        with setup(out):
            pass
    else:
        with setup(out):
            raised = _emit(module)
    (out / "result.json").write_text(json.dumps({"raised": raised}), encoding="utf-8")


def _wait(pid: int, seconds: float) -> int | None:
    """Return the exit code of a child, or None when it had to be killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return None


def serve() -> None:
    """Fork a process for each job that comes in by a line, and answer with its exit code."""
    import opentelemetry.sdk.trace.export  # noqa: F401 - the same
    import pythonjsonlogger.json  # noqa: F401 - the same

    import discreet  # noqa: F401 - imported once, for all the forks

    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            # Leaves by the end of the program, so that all that happens at exit happens.
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            run(job)
            return
        print(json.dumps(_wait(pid, job["timeout"])), flush=True)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(json.loads(sys.argv[1]))
    else:
        serve()
