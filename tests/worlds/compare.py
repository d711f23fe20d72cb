"""Runs programs in several worlds and tells where what came out differs."""

from __future__ import annotations

import difflib
import py_compile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from tests.forking import ForkServer, environment

CHILD = Path(__file__).with_name("child.py")
TIMEOUT_S = 120
MAX_SHOWN = 10
Outputs = dict[str, str]


class Worlds:
    """A server for runs of programs; a context manager that ends it.

    Args:
        programs: their sources.
        directory: where they and what they leave are written.
        compiled: leave them there without source, as bytecode alone.
    """

    def __init__(self, programs: Sequence[str], directory: Path, *, compiled: bool = False) -> None:
        self.programs = programs
        self._directory = directory
        source = directory / "programs"
        source.mkdir()
        for number, program in enumerate(programs):
            file = source / f"p{number:04}.py"
            file.write_text(program, encoding="utf-8")
            if compiled:
                py_compile.compile(str(file), str(file.with_suffix(".pyc")), doraise=True)
                file.unlink()
        self._source = source
        # Two worlds have the same hashes, so that sets and dicts of texts do not tell them apart.
        self._server = ForkServer(CHILD, environment(PYTHONHASHSEED="0"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._server.close()

    def run(self, world: str, *, guarded: bool = True) -> Outputs:
        """Return the files that the programs leave in a world, by name."""
        out = self._directory / (world if guarded else f"{world}-unguarded")
        job = {
            "programs": str(self._source),
            "world": world,
            "out": str(out),
            "guarded": guarded,
            "timeout": TIMEOUT_S,
        }
        code = self._server.run(job)
        texts = {file.name: file.read_text("utf-8") for file in sorted(out.iterdir())}
        assert code == 0, texts.get("stderr", "")[-3000:]
        return texts

    def differences(self, first: Mapping[str, str], second: Mapping[str, str]) -> list[str]:
        """Return the lines in which two worlds differ, each with the program that logged it."""
        shown = []
        for name in sorted({*first, *second}):
            one, other = first.get(name, "").split("\n"), second.get(name, "").split("\n")
            if one == other:
                continue
            for tag, start, end, from_, to in difflib.SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
                if tag != "equal" and len(shown) < MAX_SHOWN:
                    program = self._program(one, start)
                    shown.append(f"{name}: {one[start:end]} became {other[from_:to]}\n{program}")
        return shown

    def _program(self, lines: Sequence[str], index: int) -> str:
        # The last marker before the line says which program was running.
        for line in reversed(lines[: index + 1]):
            _, found, rest = line.rpartition("== ")
            digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
            if found and digits:
                body = self.programs[int(digits)].partition("def run(t, n, f):\n")[2]
                return f"program {digits}:\n{body}"
        return "program unknown"
