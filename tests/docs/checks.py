"""Runs or loads the blocks of one page, each in a fresh process where code is run."""

from __future__ import annotations

import configparser
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.docs.blocks import Block, Page, PageError
from tests.docs.compare import same_json, same_text

ROOT = Path(__file__).parent.parent.parent
TIMEOUT_S = 120

LOAD_DICT = """
import json, logging.config, sys
logging.config.dictConfig(json.load(sys.stdin))
"""
LOAD_INI = """
import io, logging.config, sys
logging.config.fileConfig(io.StringIO(sys.stdin.read()), disable_existing_loggers=False)
"""
CONTRACT_HEAD = '[contract]\nname = "example"\nformat = 1\nsummary = "An example."\n\n'
CONTRACT_SECTIONS = {
    "attributes",
    "error_codes",
    "events",
    "exceptions",
    "loggers",
    "patterns",
    "records",
    "retired",
    "warning_codes",
}


class PageRun:
    """The folder of one page and what its last block printed.

    Args:
        page: The page.
        folder: Where its blocks run. A page about a package has a copy of it there.
        python: The interpreter that runs them.
    """

    def __init__(self, page: Page, folder: Path, python: str = sys.executable) -> None:
        self.page = page
        self.folder = folder
        self.python = python
        self.printed: str | None = None

    def check(self) -> None:
        """Check every block, in order.

        Raises:
            PageError: A block fails, doesn't print what the page says, or can't be checked.
        """
        for block in self.page.blocks:
            if block.file:
                (self.folder / block.file).write_text(block.text, encoding="utf-8")
            if block.output:
                self._output(block)
                continue
            if block.source:
                self._quotation(block, block.source)
                continue
            check = CHECKS.get(block.language)
            if check is None:
                raise PageError(
                    f"{block.place}: nothing checks a block in {block.language!r}. Use a language "
                    f"that runs or loads ({', '.join(CHECKS)}), or mark it as an output."
                )
            self.printed = check(self, block)

    def _output(self, block: Block) -> None:
        printed, self.printed = self.printed, None
        if printed is None:
            raise PageError(f"{block.place}: an output, but the block before it prints nothing.")
        same = same_json if block.language == "json" else same_text
        if not same(block.text, printed):
            raise PageError(f"{block.place}: the page says\n{block.text}\nand it prints\n{printed}")

    def _quotation(self, block: Block, source: str) -> None:
        file = self.folder / source
        if not file.is_file():
            raise PageError(f"{block.place}: the page's package has no {source}.")
        if f"\n{block.text}" not in f"\n{file.read_text(encoding='utf-8')}":
            raise PageError(f"{block.place}: these lines don't stand so in {source}. Quote them as they are.")

    def execute(self, command: list[str], block: Block, stdin: str | None = None) -> str:
        """What the command prints, on both streams in their order."""
        environment = os.environ | {
            "PATH": f"{Path(self.python).parent}{os.pathsep}{os.environ.get('PATH', '')}",
            "PYTHONUNBUFFERED": "1",
        }
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            input=stdin,
            stdin=None if stdin is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        if done.returncode or "--- Logging error ---" in done.stdout:
            raise PageError(f"{block.place}: ended with {done.returncode}\n{done.stdout}")
        return done.stdout


def _python(run: PageRun, block: Block) -> str:
    name = block.file or f"example_{block.line}.py"
    (run.folder / name).write_text(block.text, encoding="utf-8")
    # oloproof leaves the connection of its store to the garbage collector, which Python 3.13 warns of.
    options = ["-W", "error", "-W", "ignore:unclosed database:ResourceWarning"]
    return run.execute([run.python, *options, name], block)


def _console(run: PageRun, block: Block) -> str | None:
    printed = None
    for command, said in _commands(block):
        if not block.run:
            _known_command(command, block, run)
            continue
        printed = run.execute(["sh", "-e", "-c", command], block)
        if said and not same_text(said, printed):
            raise PageError(f"{block.place}: {command}\nthe page says\n{said}\nbut\n{printed}")
    return printed


def _commands(block: Block) -> list[tuple[str, str]]:
    parts = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    if parts[0].strip() or not parts[1:]:
        raise PageError(f"{block.place}: a console block starts with a command after '$ '.")
    lines = [part.split("\n", 1) for part in parts[1:]]
    return [(command, rest[0] if rest else "") for command, *rest in lines]


def _known_command(command: str, block: Block, run: PageRun) -> None:
    """Commands that only install or that are tested elsewhere must at least exist."""
    words = shlex.split(command)
    match words:
        case ["make", target] if re.search(
            rf"^{re.escape(target)}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
        ):
            return
        case ["pip", "install", requirement] if _installable(requirement):
            return
        case ["pip", "install", "--editable", ".", "--group", group] if group in _groups(run.folder):
            return
    raise PageError(f"{block.place}: can't check {command!r}. Mark the block with <!-- run -->.")


def _groups(folder: Path) -> set[str]:
    file = folder / "pyproject.toml"
    return set(tomllib.loads(file.read_text(encoding="utf-8"))["dependency-groups"]) if file.is_file() else set()


def _installable(requirement: str) -> bool:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    match = re.fullmatch(r"(?P<name>[a-z-]+)(?:\[(?P<extras>[a-z,]+)\])?", requirement)
    if match is None or match["name"] != project["name"]:
        return False
    extras = (match["extras"] or "").split(",") if match["extras"] else []
    return set(extras) <= project["optional-dependencies"].keys()


def _toml(run: PageRun, block: Block) -> None:
    keys = tomllib.loads(block.text).keys()
    if "contract" in keys or keys & CONTRACT_SECTIONS:
        head = "" if "contract" in keys else CONTRACT_HEAD
        (run.folder / "checked_contract.toml").write_text(head + block.text, encoding="utf-8")
        load = "import discreet.contract as c; c.load('checked_contract.toml')"
        run.execute([run.python, "-c", load], block)


def _settings(run: PageRun, block: Block) -> None:
    loaded = yaml.safe_load(block.text)
    if isinstance(loaded, dict) and "version" in loaded:
        run.execute([run.python, "-c", LOAD_DICT], block, stdin=json.dumps(loaded))


def _json(run: PageRun, block: Block) -> None:
    json.loads(block.text)
    _settings(run, block)


def _ini(run: PageRun, block: Block) -> None:
    parser = configparser.ConfigParser()
    parser.read_string(block.text)
    if "loggers" in parser:
        run.execute([run.python, "-c", LOAD_INI], block, stdin=block.text)


CHECKS: dict[str, Callable[[PageRun, Block], str | None]] = {
    "python": _python,
    "console": _console,
    "toml": _toml,
    "yaml": _settings,
    "json": _json,
    "ini": _ini,
}
