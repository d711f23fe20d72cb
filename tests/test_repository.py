"""What holds for the tree as a whole: what may lie in it, and how large a file may be."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAX_LINES = 400

AT_THE_TOP = {
    ".ci",
    ".git",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "benchmarks",
    "dashboards",
    "docs",
    "pyproject.toml",
    "src",
    "tests",
}

# Written so that this file doesn't hold what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w.~/])(?:/(?:root|home|Users|work|opt/wheels)/|[A-Z]:\\Users\\)")

# Paths of other machines that a test invents on purpose.
INVENTED = re.compile(r"/(?:home|Users)/(?:someone|operator)/")


def _ignored() -> list[str]:
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    return [line.rstrip("/") for line in lines if line and not line.startswith("#")]


def _files() -> Iterator[Path]:
    """Every file of the project, without what .gitignore names."""
    ignored = _ignored()
    for top in sorted(AT_THE_TOP - {".git"}):
        path = ROOT / top
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            parts = file.relative_to(ROOT).parts
            if file.is_file() and not any(fnmatch(part, pattern) for part in parts for pattern in ignored):
                yield file


def test_nothing_but_the_known_names_lies_at_the_top() -> None:
    """What a visitor sees first stays short; everything else has a folder."""
    ignored = _ignored()
    strangers = {
        path.name
        for path in ROOT.iterdir()
        if path.name not in AT_THE_TOP and not any(fnmatch(path.name, pattern) for pattern in ignored)
    }

    assert strangers == set()


def test_no_file_is_longer_than_a_person_reads() -> None:
    """A longer file has two themes."""
    long = {
        str(file.relative_to(ROOT)): lines
        for file in _files()
        if file.suffix == ".py" and (lines := len(file.read_text(encoding="utf-8").splitlines())) > MAX_LINES
    }

    assert long == {}


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    """A path under a home directory works on one machine and says whose it is."""
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in _files()
        for number, line in enumerate(_text(file).splitlines(), start=1)
        if MACHINE_PATH.search(INVENTED.sub("", line))
    ]

    assert found == []


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def test_every_file_is_text_in_utf_8_that_ends_with_a_line_end() -> None:
    """No binaries, no carriage returns, no trailing blanks that an editor would remove."""
    odd = []
    for file in _files():
        content = file.read_bytes()
        if b"\r" in content or (content and not content.endswith(b"\n")):
            odd.append(str(file.relative_to(ROOT)))
        content.decode("utf-8")

    assert odd == []


def test_the_changelog_has_the_version() -> None:
    """A release that the changelog doesn't describe can't be made."""
    project = tomllib.loads(_text(ROOT / "pyproject.toml"))["project"]

    headings = re.findall(r"^## \[(.+?)\]", _text(ROOT / "CHANGELOG.md"), re.MULTILINE)

    assert [heading for heading in headings if heading != "Unreleased"][:1] == [project["version"]]


def test_the_licence_is_apache_2_whole() -> None:
    """The text of the licence ends with its appendix and names nobody yet."""
    text = _text(ROOT / "LICENSE")

    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "END OF TERMS AND CONDITIONS" in text
    assert "Copyright [yyyy] [name of copyright owner]" in text


def test_every_ignored_lint_rule_says_why() -> None:
    """An exception without a reason is copied without one."""
    lines = _text(ROOT / "pyproject.toml").splitlines()
    start = lines.index("[tool.ruff.lint]")
    rules = [line for line in lines[start:] if re.match(r'\s+"[A-Z]+[0-9]*",', line)]

    assert rules
    assert [line for line in rules if "#" not in line and '"TC003"' not in line] == []


def test_every_noqa_names_its_rule_and_says_why() -> None:
    """So does every ignored complaint of mypy name its rule."""
    bare = re.compile(r"#\s*noqa(?!: [A-Z]+\d+)|#\s*type:\s*ignore(?!\[)")
    found = [
        f"{file.relative_to(ROOT)}:{number}"
        for file in _files()
        if file.suffix == ".py" and file != Path(__file__)
        for number, line in enumerate(_text(file).splitlines(), start=1)
        if bare.search(line)
    ]

    assert found == []
