"""Warnings: category, file and line come out, whoever shows them; the text and the line of source don't."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import TO_JSON, run

WARN = """
import warnings
warnings.simplefilter("always")
class PoorQuote(UserWarning):
    pass
def warn():
    warnings.warn(QUESTION)
    warnings.warn(PoorQuote(QUESTION), stacklevel=2)
    warnings.warn_explicit(QUESTION, type("Boat house" + QUESTION, (PoorQuote,), {}), "/chunks/" + QUESTION, 7)
"""
SHOWN = (
    "__main__.py:{0}: UserWarning: <str 16-63>\n"
    "__main__.py:{1}: __main__.PoorQuote: <str 16-63>\n"
    "<other>:7: __main__.PoorQuote+: <str 16-63>\n"
)


def test_warnings_are_shown_without_text(tmp_path: Path) -> None:
    """The file is named by its module, if it is one's; any other could be a text."""
    ended = run(tmp_path, f"{WARN}\ndiscreet.install()\nwarn()")

    assert (ended.code, ended.out, ended.err) == (0, "", SHOWN.format(10, 15))


@pytest.mark.parametrize(
    "first", ["discreet.install()\nlogging.captureWarnings(True)", "logging.captureWarnings(True)\ndiscreet.install()"]
)
def test_it_does_not_matter_when_logging_captures_warnings(tmp_path: Path, first: str) -> None:
    """While it does they are records of py.warnings; when it ends they go to standard error as before."""
    ended = run(tmp_path, f"{WARN}\n{TO_JSON}\n{first}\nwarn()\nlogging.captureWarnings(False)\nwarn()")

    assert (ended.code, ended.out, ended.err) == (0, "", SHOWN.format(10, 20))
    assert [(record["logger"], record["level"], record["message"]) for record in ended.records] == [
        ("py.warnings", "WARNING", "UserWarning in __main__, line 10"),
        ("py.warnings", "WARNING", "<str 1-15> in __main__, line 18"),
        ("py.warnings", "WARNING", "<str 64-255>"),
    ]


def test_what_another_tool_put_in_to_show_warnings_gets_none_of_the_text(tmp_path: Path) -> None:
    """A hook that was there before gets placeholders, and the nearest class whose name is a program's."""
    ended = run(
        tmp_path,
        f"""{WARN}
def show(message, category, filename, lineno, file=None, line=None):
    print("theirs:", message, category.__name__, filename, lineno, file, line)
warnings.showwarning = show
discreet.install()
warn()
""",
    )

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == (
        "theirs: <str 16-63> UserWarning __main__.py 10 None None\n"
        "theirs: <str 16-63> PoorQuote __main__.py 18 None None\n"
        "theirs: <str 16-63> PoorQuote <other> 7 None None\n"
    )


def test_blocks_that_record_warnings_and_files_of_the_program_get_them_as_they_are(tmp_path: Path) -> None:
    """Both are the program's own: a test that looks at a warning, a report that it writes."""
    ended = run(
        tmp_path,
        f"""{WARN}
import io
discreet.install()
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warn()
print(len(caught), str(caught[0].message) == QUESTION)
file = io.StringIO()
warnings.showwarning(UserWarning(QUESTION), UserWarning, "a.py", 1, file)
print(QUESTION in file.getvalue())
with warnings.catch_warnings():
    warn()
warnings.showwarning(UserWarning(QUESTION), UserWarning, "a.py", 1, sys.stderr)
""",
    )

    assert (ended.code, ended.out) == (0, "3 True\nTrue\n")
    assert ended.err == SHOWN.format(10, 24) + "<other>:1: UserWarning: <str 16-63>\n"


def test_a_warning_that_is_an_error_is_an_exception_like_any_other(tmp_path: Path) -> None:
    """The filter `error` raises it."""
    ended = run(tmp_path, f"{WARN}\ndiscreet.install()\nwarnings.simplefilter('error')\nwarn()")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "--- Uncaught exception --- UserWarning\n    __main__.py:<module>:16\n    __main__.py:warn:10\n"


def test_a_hook_of_the_program_may_raise(tmp_path: Path) -> None:
    """What it raises comes out of the call of warn(), as without us."""
    ended = run(
        tmp_path,
        f"""{WARN}
def show(message, *args):
    raise PoorQuote(message)
warnings.showwarning = show
discreet.install()
try:
    warn()
except PoorQuote as error:
    print(error)
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "<str 16-63>\n", "")
