"""A script that starts with a printed configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, printed, steady

# How a program takes each notation.
FILES = {"python": "logging_setup.py", "json": "logging.json", "yaml": "logging.yaml", "ini": "logging.ini"}
HEADS = {
    "python": "import logging_setup\n",
    "json": "import json, logging.config\nlogging.config.dictConfig(json.load(open('logging.json')))\n",
    "yaml": "import yaml, logging.config\nlogging.config.dictConfig(yaml.safe_load(open('logging.yaml')))\n",
    "ini": "import logging.config\nlogging.config.fileConfig('logging.ini', disable_existing_loggers=False)\n",
}
RUN = f"import questions\nquestions.run({SENTENCES[0]!r}, {SENTENCES[1]!r})\n"
OWN = {"logger": "questions", "service": "answers"}
FAILURE = {
    "exception_type": "ValueError",
    "exception_chain": "ValueError < KeyError",
    "exception_frames": "questions.py:run",
}


def line(level: str, message: str, withheld: int = 0, **more: object) -> dict[str, object]:
    counted = {"withheld": withheld} if withheld else {}
    return {"level": level, "message": message, **OWN, **counted, **more}


LINES = [
    line("DEBUG", "Opened 3 shelves in 12.5 ms"),
    line("INFO", "Asked <str 16-63> after 2 tries", 1),
    line("INFO", "Asked {question} after 2 tries", 1),
    line("INFO", "Asked {question}", 1),
    line("INFO", "<str 16-63>", 1, code_function="questions.run", code_line="int"),
    line("INFO", "Counted", 1),
    line("ERROR", "Failed for <str 16-63>", 1, **FAILURE),
    line("INFO", "Question: <str 16-63>", 1, logger="verbatim_core.content"),
]
PLAIN = """\
questions: Opened 3 shelves in 12.5 ms for nobody
questions: Asked <str 16-63> after 2 tries for nobody
questions: Asked {question} after 2 tries for nobody
questions: Asked {question} for nobody
questions: <str 16-63> for nobody
questions: Counted for <str 16-63>
questions: Failed for <str 16-63> for nobody
"""
# Classes and places, no text; on stderr between the two there is nothing else.
TRACEBACK = """
  File "<questions.py>", line 25, in run
KeyError

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<questions.py>", line 27, in run
ValueError
""".splitlines()


@pytest.mark.parametrize("notation", list(FILES))
def test_a_script_writes_sealed_lines_from_its_first_record(notation: str, tmp_path: Path) -> None:
    """With DEBUG on root: the content logger stays closed, and a handler that the program adds gets sealed copies."""
    text = printed("script", "--format", notation, "--service", "answers", "--level", "DEBUG")
    (tmp_path / FILES[notation]).write_text(text, encoding="ascii")
    (tmp_path / "main.py").write_text(HEADS[notation] + RUN, encoding="utf-8")

    with Program(tmp_path, "main.py") as program:
        assert program.finish() == 0

    assert [steady(one) for one in program.lines] == LINES
    head, _, traceback = program.stderr.partition("Traceback (most recent call last):")
    assert head.splitlines() == PLAIN.splitlines()
    assert traceback.splitlines() == TRACEBACK
    assert found_in(program.stdout, program.stderr) == []


def test_without_the_configuration_all_of_it_comes_out(tmp_path: Path) -> None:
    """The control: the same script under plain logging prints both texts."""
    (tmp_path / "main.py").write_text("import logging\nlogging.basicConfig(level='DEBUG')\n" + RUN, encoding="utf-8")

    with Program(tmp_path, "main.py") as program:
        assert program.finish() == 0

    assert set(found_in(program.stderr)) >= set(SENTENCES[:2])


def test_a_level_keeps_lower_records_out(tmp_path: Path) -> None:
    """What the configuration doesn't want isn't made into lines."""
    (tmp_path / "logging_setup.py").write_text(printed("script", "--level", "ERROR"), encoding="ascii")
    (tmp_path / "main.py").write_text(HEADS["python"] + RUN, encoding="utf-8")

    with Program(tmp_path, "main.py") as program:
        assert program.finish() == 0

    assert [one["message"] for one in program.lines] == ["Failed for <str 16-63>"]
    assert "service" not in program.lines[0]
