"""With streams=True each line that something else than a handler writes is one sealed record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doors.programs import TO_JSON, Ended, run

SETUP = f"discreet.install(streams=True)\n{TO_JSON}"


def lines(ended: Ended) -> list[tuple[Any, ...]]:
    """The records in short: stream, message, module and line."""
    found = [
        (record["logger"], record["message"], record.get("module"), record.get("line")) for record in ended.records
    ]
    assert [record["stream"] for record in ended.records] == [record["logger"] for record in ended.records]
    return found


def test_a_line_is_one_record_with_its_place(tmp_path: Path) -> None:
    """What the code itself says is shown as in a log call, what it was given is withheld and counted."""
    ended = run(tmp_path, f"{SETUP}\nprint(QUESTION)\nprint(f'Asked {{QUESTION}} in {{1.25:.1f}} s', file=sys.stderr)")

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert ended.records == [
        {
            "level": "INFO",
            "logger": "stdout",
            "message": "<str 16-63>",
            "event": "output_line",
            "stream": "stdout",
            "module": "__main__",
            "line": 7,
            "withheld": 1,
        },
        {
            "level": "INFO",
            "logger": "stderr",
            "message": "Asked {QUESTION} in 1.2 s",
            "event": "output_line",
            "stream": "stderr",
            "module": "__main__",
            "line": 8,
            "withheld": 1,
        },
    ]


@pytest.mark.parametrize(
    ("statement", "messages"),
    [
        ("print('Ready')", ["Ready"]),
        ("print('Asked', QUESTION, 'twice')", ["Asked {QUESTION} twice"]),
        ("print('n', len(QUESTION), 5, None, sep=': ')", ["n: 35: 5: None"]),
        ("print('Asked ' + QUESTION, 'and', QUESTION.upper())", ["Asked {QUESTION} and {}"]),
        ("print('Asked %s' % QUESTION, end='.\\n')", ["Asked {QUESTION}."]),
        ("print('Asked', end=' ')\nprint(QUESTION, end='')\nprint('.')", ["Asked {QUESTION}."]),
        ("for _ in range(3): print('.', end='')\nprint()", ["..."]),
        ("print()\nprint('')\nprint('  ')", []),
        ("print('Asked', *[QUESTION])", ["<str 16-63>"]),
        ("print(*['Ready'])", ["<str 1-15>"]),
        ("print(QUESTION + '\\n\\n' + QUESTION * 3)", ["<str 16-63>", "<str 64-255>"]),
        ("print(f'Asked:\\n{QUESTION}')", ["Asked:\n{QUESTION}"]),
        ("sys.stdout.write('Ready\\n')", ["Ready"]),
        ("sys.stdout.write(QUESTION); sys.stdout.write('\\n')", ["<str 16-63>"]),
        ("sys.stdout.writelines([QUESTION, '\\n', 'b\\n'])", ["<str 16-63>", "<str 1-15>"]),
        ('exec(\'print("boat", "house")\')', ["<str 1-15>"]),
        ("(lambda text: print(text))('Ready')", ["<str 1-15>"]),
        ("print(QUESTION, file=sys.stdout, flush=True)", ["<str 16-63>"]),
        ("print(QUESTION * 3000)", ["<str 4096+>"]),
        ("for _ in range(9000): print(QUESTION, end='')\nprint('.')", ["<str 4096+>"]),
        ("sys.stdout.buffer.write(QUESTION.encode() + b'\\nnext\\n')", ["<str 16-63>", "<str 1-15>"]),
        (
            "import io; io.TextIOWrapper(sys.stdout.detach(), 'utf-8', write_through=True).write(QUESTION)",
            ["<str 16-63>"],
        ),
        ("import pprint; pprint.pprint({QUESTION: 1})", ["<str 16-63>"]),
        ("import json; json.dump([QUESTION], sys.stdout)", ["<str 16-63>"]),
    ],
)
def test_what_a_line_shows(tmp_path: Path, statement: str, messages: list[str]) -> None:
    """Literals of the running call, numbers that its code proves, and the length of everything else."""
    ended = run(tmp_path, f"{SETUP}\n{statement}")

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [message for _, message, _, _ in lines(ended)] == messages


def test_a_progress_bar_is_one_line(tmp_path: Path) -> None:
    """What a carriage return overwrites was never a line; Windows' line ends are line ends."""
    ended = run(
        tmp_path,
        f"""
{SETUP}
for step in range(50):
    sys.stderr.write(f"\\r{{step}} {{QUESTION}}")
    sys.stderr.flush()
sys.stderr.write("\\r\\n")
sys.stderr.write(QUESTION + "\\r")
sys.stderr.write("\\n")
sys.stderr.write(QUESTION + "\\r\\ra\\r\\nb\\r\\n")
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [record["message"] for record in ended.records] == ["<str 16-63>", "<str 16-63>", "<str 1-15>", "<str 1-15>"]


def test_the_author_of_a_line_is_who_called_the_printing_function(tmp_path: Path) -> None:
    """Not the module traceback, whose own code writes it."""
    ended = run(
        tmp_path,
        f"""
import traceback
{SETUP}
try:
    raise ValueError(QUESTION)
except ValueError:
    traceback.print_exc()
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert {(stream, module, line) for stream, _, module, line in lines(ended)} == {("stderr", "__main__", 12)}


def test_what_handlers_write_goes_through(tmp_path: Path) -> None:
    """To the streams as they are now or were before, in JSON or not, and complaints of a failing one."""
    ended = run(
        tmp_path,
        """
        before = logging.StreamHandler(sys.stdout)
        discreet.install(streams=True)
        after = logging.StreamHandler(sys.stdout)
        class Failing(logging.Handler):
            def emit(self, record):
                try:
                    raise KeyError(QUESTION)
                except KeyError:
                    self.handleError(record)
        log = logging.getLogger("app")
        log.setLevel("INFO")
        for handler in (before, after, Failing(), discreet.JsonHandler(stream="-")):
            log.addHandler(handler)
            log.info("asked %s", QUESTION)
            log.removeHandler(handler)
        """,
    )

    assert (ended.code, ended.err) == (
        0,
        "--- Logging error --- __main__.Failing failed with KeyError on logger app\n",
    )
    first, second, third = ended.out.splitlines()
    assert (first, second) == ("asked <str 16-63>", "asked <str 16-63>")
    assert third.endswith('"level":"INFO","logger":"app","message":"asked <str 16-63>","withheld":1}')


def test_prints_of_filters_are_lines_like_others_and_never_go_round(tmp_path: Path) -> None:
    """A handler's filter has the original record; one that prints it for every record would print without end."""
    ended = run(
        tmp_path,
        f"""
{SETUP}
def noisy(record):
    print("seen", record.getMessage())
    return True
logging.root.handlers[0].addFilter(noisy)
logging.getLogger("app").warning("asked %s", QUESTION)
from discreet.export.ledger import LEDGER
logging.root.handlers[0].removeFilter(noisy)
print(LEDGER.sink("stdout lines").missing_by_reason["nested"] > 0)
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [record["message"] for record in ended.records] == ["seen {}", "asked <str 16-63>", "<str 1-15>"]


SHOP = """
attributes.mode = { type = "enum", values = ["fast", "slow"] }

[contract]
name = "shop"
format = 1
summary = "A shop."

[[events]]
name = "fell_back"
level = "WARNING"
meaning = "It fell back."

[[warning_codes]]
code = "no_template"
emitted_by = "shop"
meaning = "There is none."

[[exceptions]]
class = "shop.NoLine"
code = "no_line"
error_class = "upstream"

[[records]]
module = "shop"
source = "print"
template = "No template: {}"
event = "fell_back"
warning_code = "no_template"
error_code_from = "handled"

[[records]]
module = "shop"
source = "print"
template = "Mode {} is off"
args = [{ as = "mode" }]
"""


def test_a_print_that_a_contract_declares_gets_its_event_and_codes(tmp_path: Path) -> None:
    """From the handled exception too; a slot is shown in its type."""
    (tmp_path / "shop.toml").write_text(SHOP, encoding="utf-8")
    (tmp_path / "shop.py").write_text(
        "class NoLine(Exception):\n"
        "    pass\n"
        "def sell(question):\n"
        "    try:\n"
        "        raise NoLine(question)\n"
        "    except NoLine as error:\n"
        "        print(f'No template: {error}')\n"
        "    mode = 'fast'\n"
        "    print('Mode', mode, 'is off')\n",
        encoding="utf-8",
    )
    ended = run(
        tmp_path,
        f"from discreet.contract import activate\nactivate(['shop.toml'])\n{SETUP}\nimport shop\nshop.sell(QUESTION)",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert ended.records == [
        {
            "level": "WARNING",
            "logger": "stdout",
            "message": "No template: {error}",
            "event": "fell_back",
            "warning_code": "no_template",
            "error_code": "no_line",
            "error_class": "upstream",
            "stream": "stdout",
            "module": "shop",
            "line": 7,
            "withheld": 1,
        },
        {
            "level": "INFO",
            "logger": "stdout",
            "message": "Mode fast is off",
            "event": "output_line",
            "mode": "fast",
            "stream": "stdout",
            "module": "shop",
            "line": 9,
        },
    ]


def test_threads_write_lines_of_their_own(tmp_path: Path) -> None:
    """What two threads write at the same time is never one line, and an ended one's rest is a line at the end."""
    ended = run(
        tmp_path,
        f"""
{SETUP}
import threading
gate = threading.Barrier(4)
def work(text):
    for _ in range(20):
        print("a", end="")
        gate.wait()
        print(text)
    print("unfinished", end="")
threads = [threading.Thread(target=work, args=(QUESTION,)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    messages = [record["message"] for record in ended.records]
    assert sorted(set(messages)) == ["a{text}", "unfinished"]
    assert (messages.count("a{text}"), messages.count("unfinished")) == (80, 4)


def test_a_forked_child_writes_its_own_lines_only(tmp_path: Path) -> None:
    """What the parent had begun is the parent's."""
    ended = run(
        tmp_path,
        f"""
{SETUP}
import os
print("parent", end="")
if os.fork() == 0:
    print("child", QUESTION)
    os._exit(0)
os.wait()
print(".")
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [record["message"] for record in ended.records] == ["child {QUESTION}", "parent."]


def test_the_end_of_the_program_finishes_lines(tmp_path: Path) -> None:
    """What was begun, what is printed at exit, and the text with which a program exits."""
    ended = run(
        tmp_path,
        f"""
{SETUP}
import atexit
atexit.register(lambda: print("Bye,", QUESTION, end=""))
sys.exit(QUESTION)
""",
    )

    assert (ended.code, ended.out, ended.err) == (1, "", "")
    assert [(record["logger"], record["message"]) for record in ended.records] == [
        ("stderr", "<str 16-63>"),
        ("stdout", "Bye, {QUESTION}"),
    ]


def test_a_program_that_never_configured_logging_sees_its_own_text(tmp_path: Path) -> None:
    """There is no handler for the lines, so each goes out sealed where it was written."""
    ended = run(tmp_path, "discreet.install(streams=True)\nprint('Asked', QUESTION)\nprint(QUESTION, file=sys.stderr)")

    assert (ended.code, ended.out, ended.err) == (0, "Asked {QUESTION}\n", "<str 16-63>\n")


def test_programs_find_the_streams_as_they_know_them(tmp_path: Path) -> None:
    """Encoding, descriptor, terminal or not, and what else the stream itself has."""
    ended = run(
        tmp_path,
        f"""
seen = lambda s: (s.encoding, s.errors, s.newlines, s.fileno(), s.isatty(), s.mode, s.name, s.closed, s.writable(),
                  s.readable(), s.line_buffering, s.buffer.fileno(), s.buffer.isatty())
before = [seen(sys.stdout), seen(sys.stderr)]
{SETUP}
same = [seen(sys.stdout), seen(sys.stderr)] == before
sys.stdout.reconfigure(line_buffering=True)
found = [same, sys.stdout.line_buffering, hasattr(sys.stdout, "nothing")]
try:
    sys.stdout.write(5)
except TypeError as error:
    found.append(type(error).__name__)
with open("seen.txt", "w") as file:
    print(*found, file=file)
import subprocess
subprocess.run([sys.executable, "-c", "print('child')"], stdout=sys.stdout)
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "child\n", "")
    assert (tmp_path / "seen.txt").read_text("utf-8") == "True True False TypeError\n"


def test_the_lines_are_wanted_where_the_root_logger_takes_warnings_only(tmp_path: Path) -> None:
    """Who wants fewer says so by the level of the logger `stdout`."""
    ended = run(
        tmp_path,
        f"logging.root.setLevel('WARNING')\n{SETUP}\nprint('Ready')\nlogging.getLogger('stdout').setLevel('WARNING')\nprint(QUESTION)",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [record["message"] for record in ended.records] == ["Ready"]


@pytest.mark.parametrize("by", ["argument", "variable"])
def test_configure_turns_lines_into_records(tmp_path: Path, by: str) -> None:
    """JSON lines on standard output are still lines of their own."""
    given = {"DISCREET_STREAMS": "on"} if by == "variable" else {}
    option = "streams=True" if by == "argument" else ""
    ended = run(tmp_path, f"discreet.configure({option})\nprint('Asked', QUESTION)", **given)

    found = [json.loads(line) for line in ended.out.splitlines()]
    assert [one["message"] for one in found if one["logger"] == "stdout"] == ["Asked {QUESTION}"]
    assert ended.err == ""
