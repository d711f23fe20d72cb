"""Runs snippets: one in this process, or each in a new one that is forked before logging is touched."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.cases.setups import SETUPS
from tests.forking import serve

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


def run(job: dict[str, Any]) -> None:
    """Run one snippet in this process and write what became of it to `result.json`."""
    out = Path(job["out"])
    os.environ["CASE_OUT"] = str(out / "files")
    for number, name in ((1, "stdout"), (2, "stderr")):
        target = os.open(out / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(target, number)
        os.close(target)
    sys.path.insert(0, str(HERE / "snippets"))
    setup: Callable[[Path], AbstractContextManager[None]] = SETUPS[job["setup"]]
    if job["setup"] == "unguarded":
        import discreet

        # The import alone has guarded the handler of last resort.
        discreet.uninstall()
    module = _load(Path(job["snippet"]))
    if module.CASE.get("before_setup"):
        raised = _emit(module)
        with setup(out):
            pass
    else:
        with setup(out):
            raised = _emit(module)
    (out / "result.json").write_text(json.dumps({"raised": raised}), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run(json.loads(sys.argv[1]))
    else:
        serve(run)
