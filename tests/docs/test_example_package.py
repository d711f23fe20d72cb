"""The example package of the guide for authors of libraries, as its users get it."""

from __future__ import annotations

import subprocess
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_string
from pathlib import Path

import pytest

from tests.docs.checks import ROOT
from tests.docs.packages import copied, installed, wheel
from tests.forking import environment

pytestmark = [pytest.mark.integration, pytest.mark.long]

EXAMPLE = ROOT / "docs" / "examples" / "pilotbook"
INFO = "discreet_example_pilotbook-1.0.0.dist-info"

# Asks a question that is answered, one that is degraded and one that fails, and prints what there is to see.
ALONE = """
import logging, pathlib, sys, tempfile
import pilotbook

folder = pathlib.Path(tempfile.mkdtemp())
(folder / "a.txt").write_text("The slip is steep.", encoding="utf-8")
logging.basicConfig(format="%(levelname)s %(name)s %(event)s %(warning_code)s", stream=sys.stdout)
book = pilotbook.Book.open(folder, thesaurus=pilotbook.Thesaurus("http://127.0.0.1:9"))
answer = book.ask("How steep is the slip?")
print(answer.quotes[0].text, [warning.code for warning in answer.warnings])
try:
    book.ask("?!")
except ValueError as error:
    print(error, error.code, error.error_class, error.param)
print(sorted(name for name in sys.modules if name.partition(".")[0] in {"discreet", "opentelemetry", "structlog"}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of its folder."""
    return copied(EXAMPLE, tmp_path_factory.mktemp("example") / "pilotbook")


@pytest.fixture(scope="module")
def built(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Its wheel."""
    return wheel(package, tmp_path_factory.mktemp("wheels"))


def _run(command: list[str], folder: Path, env: dict[str, str]) -> str:
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_wheel_has_the_package_and_its_contract_and_nothing_else(built: Path) -> None:
    """No tests, no caches, no application; and no dependency."""
    with zipfile.ZipFile(built) as files:
        names = set(files.namelist())
        metadata = message_from_string(files.read(f"{INFO}/METADATA").decode())
        points = files.read(f"{INFO}/entry_points.txt").decode()

    assert names == {
        *(
            f"pilotbook/{name}"
            for name in (
                "__init__.py",
                "book.py",
                "contract.toml",
                "errors.py",
                "names.py",
                "py.typed",
                "results.py",
                "thesaurus.py",
            )
        ),
        *(f"{INFO}/{name}" for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt")),
    }
    assert metadata.get_all("Requires-Dist") is None
    assert points.split() == ["[discreet.contracts]", "pilotbook", "=", "pilotbook:contract.toml"]


def test_its_own_tests_pass_where_it_is_installed_beside_discreet(built: Path, package: Path, tmp_path: Path) -> None:
    """In an environment of its own, and the copy of it that is tested is the installed one."""
    python = installed(built, tmp_path / "environment")
    where = _run([python, "-c", "import pilotbook; print(pilotbook.__file__)"], tmp_path, environment())

    printed = _run([python, "-m", "pytest", "--quiet", "-p", "no:cacheprovider"], package, environment())

    assert Path(where.strip()).is_relative_to(tmp_path / "environment")
    assert " passed" in printed
    assert "skipped" not in printed


def test_alone_it_needs_nothing_and_its_records_carry_their_names(built: Path, tmp_path: Path) -> None:
    """In an environment without discreet: results, errors and plain logging have all that there is to know."""
    python = installed(built, tmp_path / "environment", beside=False)
    bare = {name: value for name, value in environment().items() if name != "PYTHONPATH"}

    printed = _run([python, "-c", ALONE], tmp_path, bare)

    assert printed.splitlines() == [
        "WARNING pilotbook.book fallback_used synonyms_unavailable",
        "The slip is steep. ['synonyms_unavailable']",
        "question: has no word to search for empty_question input question",
        "[]",
    ]


def test_it_is_built_as_discreet_is() -> None:
    """Who copies it gets what we build with, and a name that nobody on the package index has to give up."""
    ours, its = (tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8")) for folder in (ROOT, EXAMPLE))

    assert its["build-system"] == ours["build-system"]
    assert its["project"]["requires-python"] == ours["project"]["requires-python"]
    assert its["project"]["name"].startswith("discreet-example-")
