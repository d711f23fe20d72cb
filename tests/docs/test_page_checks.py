"""The checks of the documentation find what is wrong with a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import PageError, read
from tests.docs.checks import PageRun
from tests.docs.compare import same_json, same_text

FENCE = "```"


def _check(tmp_path: Path, text: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(text.replace("~~~", FENCE), encoding="utf-8")
    folder = tmp_path / "folder"
    folder.mkdir()
    PageRun(read(page, "page.md"), folder).check()


@pytest.mark.parametrize(
    "text",
    [
        "~~~python\nprint(6 * 7)\n~~~\n\n<!-- output -->\n~~~text\n42\n~~~\n",
        (
            "~~~python\nprint('at 2031-01-02T03:04:05Z')\n~~~\n<!-- output -->\n"
            "~~~text\nat 2026-12-24T18:00:00.123456Z\n~~~\n"
        ),
        ("<!-- file: a.json -->\n~~~json\n{\"k\": 1}\n~~~\n~~~python\nprint(open('a.json').read())\n~~~\n"),
        "<!-- run -->\n~~~console\n$ echo one\none\n$ echo two three\ntwo ...\n~~~\n",
        "~~~console\n$ make test\n$ make demo\n~~~\n",
        "~~~console\n$ pip install discreet[cli,otlp]\n~~~\n",
        '~~~toml\n[tool.x]\ny = "z"\n~~~\n',
        "~~~yaml\nversion: 1\nroot: {level: INFO}\n~~~\n",
        (
            "~~~ini\n[loggers]\nkeys=root\n[handlers]\nkeys=\n[formatters]\nkeys=\n"
            "[logger_root]\nlevel=INFO\nhandlers=\n~~~\n"
        ),
        "- in a list:\n\n  ~~~python\n  x = 1\n  ~~~\n",
    ],
    ids=range(10),
)
def test_a_page_that_is_right_passes(tmp_path: Path, text: str) -> None:
    """Each language is run or loaded."""
    _check(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("~~~python\nraise SystemExit(3)\n~~~\n", "page.md:1: ended with 3"),
        ("~~~python\nimport logging\nlogging.error('%d', 'x')\n~~~\n", "Logging error"),
        (
            "~~~python\nprint(1)\n~~~\n<!-- output -->\n~~~text\n2\n~~~\n",
            "page.md:5: the page says",
        ),
        ("<!-- output -->\n~~~text\n2\n~~~\n", "prints nothing"),
        ("~~~text\nfree\n~~~\n", "nothing checks a block in 'text'"),
        ("~~~\nfree\n~~~\n", "page.md:1: a block without a language"),
        ("text\n\n    indented()\n", "page.md:3: an indented block"),
        ("<!-- check: none because it is slow -->\n~~~python\n1\n~~~\n", "not one of our comments"),
        ("<!-- skip -->\n~~~python\n1\n~~~\n", "not one of our comments"),
        ("<!-- run -->\n\nWords.\n\n~~~console\n$ true\n~~~\n", "belongs to no block"),
        ("~~~console\n$ make tea\n~~~\n", "can't check 'make tea'"),
        ("~~~console\n$ pip install discreet[tea]\n~~~\n", "can't check"),
        ("~~~console\n$ rm -rf build\n~~~\n", "Mark the block with <!-- run -->"),
        ("~~~console\nmake test\n~~~\n", "starts with a command"),
        ("<!-- run -->\n~~~console\n$ false\n~~~\n", "ended with 1"),
        ("<!-- run -->\n~~~console\n$ echo one\ntwo\n~~~\n", "the page says"),
        ("~~~yaml\nversion: 1\nroot: {level: LOUD}\n~~~\n", "Unable to configure root"),
    ],
)
def test_a_page_that_is_wrong_is_refused_with_its_place(tmp_path: Path, text: str, complaint: str) -> None:
    """No block goes unchecked, and nothing can switch a check off."""
    with pytest.raises(PageError) as caught:
        _check(tmp_path, text)

    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("<!-- from: a.py -->\n~~~python\n    y = 2\n~~~\n", None),
        ("<!-- from: a.py -->\n~~~python\ny = 2\n~~~\n", "page.md:2: these lines don't stand so in a.py"),
        ("<!-- from: a.py -->\n~~~python\n    y =\n~~~\n", "these lines don't stand so"),
        ("<!-- from: b.py -->\n~~~python\ny = 2\n~~~\n", "page.md:2: the page's package has no b.py"),
    ],
)
def test_a_quotation_has_whole_lines_of_its_file(tmp_path: Path, text: str, complaint: str | None) -> None:
    """So a page and the package that it is about can't drift apart."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.py").write_text("def f():\n    y = 2\n    return y\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(text.replace("~~~", FENCE), encoding="utf-8")
    run = PageRun(read(page, "page.md"), folder)

    if complaint is None:
        run.check()
        return
    with pytest.raises(PageError) as caught:
        run.check()
    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("said", "printed", "same"),
    [
        ('{"a": 1}', '{"a": 1}\n', True),
        ('{\n  "a": 1,\n  "b": "..."\n}\n{"c": []}', '{"a":1,"b":[2,3]}\n{"c":[]}\n', True),
        ('{"t": "2026-01-01T00:00:00.000001Z"}', '{"t":"2027-03-04T05:06:07.123456Z"}', True),
        ('{"a": 1}', '{"a":1.0}', False),
        ('{"a": 1}', '{"a":1,"b":2}', False),
        ('{"a": 1}', '{"a":1}\n{"a":1}', False),
    ],
)
def test_json_is_compared_by_value(said: str, printed: str, same: bool) -> None:
    """A page may break a line that is too long to read."""
    assert same_json(said, printed) is same


def test_text_is_compared_without_times_ids_and_colours() -> None:
    """What differs each time is no promise of the page."""
    said = f"trace {'0' * 32} span {'1' * 16} done in ... ms"
    printed = f"\x1b[32mtrace {'a' * 32} span {'b' * 16} done in 3.5 ms\x1b[0m\n"

    assert same_text(said, printed)
    assert not same_text(said, printed + "more\n")
