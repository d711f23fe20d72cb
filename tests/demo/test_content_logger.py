"""The one place for customer text: DEBUG records of a content logger that is opened by name."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.demo.content_program import DETAIL, SUMMARY
from tests.demo.lines import strict

PROGRAM = Path(__file__).with_name("content_program.py")
CONTENT = ("verbatim_core.content", "verbatim_standin.content")


def _run(directory: Path, content: str, opened: str) -> tuple[str, list[dict[str, Any]]]:
    file = directory / "logs.jsonl"
    command = [sys.executable, str(PROGRAM), str(file), content, opened]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (ended.stdout, ended.stderr) == ("", "")
    text = file.read_text(encoding="utf-8")
    return text, [record for record in strict(text) if record["logger"] == content]


@pytest.mark.parametrize("content", CONTENT)
def test_debug_set_on_the_content_logger_lets_its_debug_records_out_whole(tmp_path: Path, content: str) -> None:
    """A DEBUG record has its whole text and says that it is content; an INFO record is sealed."""
    text, records = _run(tmp_path, content, opened=content)
    assert [(r["level"], r["message"], r.get("content")) for r in records] == [
        ("DEBUG", f"asked: {DETAIL}", True),
        ("INFO", "asked: <str 16-63>", None),
        ("DEBUG", f"asked at once: {DETAIL}", True),
    ]
    assert SUMMARY not in text


@pytest.mark.parametrize("content", CONTENT)
@pytest.mark.parametrize("opened", ["root", "parent"])
def test_debug_that_a_content_logger_inherits_opens_nothing(tmp_path: Path, content: str, opened: str) -> None:
    """DEBUG on the root logger or on the library's own is not meant for customer text."""
    parent = content.rpartition(".")[0]
    text, records = _run(tmp_path, content, opened="" if opened == "root" else parent)
    assert [(r["level"], r["message"], r.get("content")) for r in records] == [
        ("DEBUG", "asked: <str 64-255>", None),
        ("INFO", "asked: <str 16-63>", None),
        ("DEBUG", "asked at once: {DETAIL}", None),
    ]
    assert DETAIL not in text
    assert SUMMARY not in text
