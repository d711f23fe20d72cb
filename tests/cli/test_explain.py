"""discreet explain: what a line doesn't say, why, and what would let it out."""

from __future__ import annotations

import gzip
import io
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.cli.main import main
from discreet.contract import active
from discreet.contract.source import load_text
from discreet.errors import InvalidInputError
from discreet.explain import explain, read_line

log = logging.getLogger("florist")
WISH = "Twelve black tulips for Aunt Ermintrude"
HEAD = """
contract.name = "florist"
contract.format = 1
contract.summary = "A florist."
"""


class Bouquet:
    """Something that is no number."""


def say(text: str) -> None:
    log.info(text)


def written(emit: Callable[[], None], **options: Any) -> str:
    """The line that a call logs."""
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream, **options)
    log.addHandler(handler)
    log.setLevel("DEBUG")
    try:
        emit()
    finally:
        log.removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    return line


def reasons(emit: Callable[[], None], **options: Any) -> list[str]:
    """What each reason is about: the words before its first colon."""
    found = explain(read_line(written(emit, **options)), active())
    return [reason.partition(":")[0] for reason in found.reasons]


def rows(emit: Callable[[], None], **options: Any) -> list[str]:
    return list(explain(read_line(written(emit, **options)), active()).rows)


@pytest.mark.parametrize("preset", [None, "ecs", "otel"])
def test_every_slot_is_explained_and_the_template_named(preset: str | None) -> None:
    """For our own lines and for those of the presets."""

    def emit() -> None:
        log.info("Asked %s for %s by %d, until %s", WISH, Bouquet(), 3, 202612010930)

    assert reasons(emit, preset=preset)[:3] == ["<str 16-63>", "<tests.cli.test_explain.Bouquet>", "<int>"]
    assert rows(emit, preset=preset) == [
        (
            '[[records]]\nlogger = "florist"\ntemplate = "Asked {} for {} by {}, until {}"\n'
            'args = ["", "", "", ""]  # <str 16-63>, <tests.cli.test_explain.Bouquet>, 3, <int>'
        )
    ]


def test_the_row_lets_the_value_out_once_it_has_a_type(tmp_path: Path) -> None:
    """As it is printed, with a head and one type."""

    def emit() -> None:
        log.info('Sold "%s" {cut} at %.1f', "lily", 12.5)

    line = written(emit)
    assert json.loads(line)["message"] == 'Sold "<str 1-15>" {cut} at 12.5'
    (row,) = explain(read_line(line), active()).rows
    # The words in braces are the program's own: the line says that one value was withheld.
    assert 'template = "Sold \\"{}\\" {} at {}"' in row
    row = row.replace("{} at", "{{cut}} at").replace('["", "", ""]', '[{ type = "enum", values = ["lily"] }, ""]')
    contract = tmp_path / "florist.toml"
    contract.write_text(HEAD + row, encoding="utf-8")
    handle = discreet.configure(json=None, contracts=[contract])
    assert json.loads(written(emit))["message"] == 'Sold "lily" {cut} at 12.5'
    handle.close()


@pytest.mark.parametrize(
    ("message", "template", "slots"),
    [
        ("Took 3 of {n} in 12.5 ms", "Took {} of {} in {} ms", "3, {n}, 12.5"),
        ("{n} at 5xx, 12.5ms, -3, v2, 1,000, 1.2.3", "{} at 5xx, {}ms, {}, v2, {}, {}", "{n}, 12.5, -3, 1,000, 1.2.3"),
        ('Row \u2028 \\ "{n}" \x07', 'Row \\u2028 \\\\ \\"{}\\" \\u0007', "{n}"),
        ("<chunks[3] 16-63> and <str 0> <bytes 1-15> <host>", "{} and {} {} {}", None),
    ],
)
def test_a_template_can_be_pasted_as_it_is(message: str, template: str, slots: str | None) -> None:
    """Numbers are values too; whatever else stands in the message is written as TOML wants it."""
    fields = {"level": "INFO", "logger": "florist", "message": message, "withheld": 4}
    row = explain(fields, active()).rows[0]
    assert row.splitlines()[2] == f'template = "{template}"'
    if slots is not None:
        assert row.splitlines()[3].partition("# ")[2] == slots
    assert len(load_text(HEAD + row).records[0].args) == template.count("{}")


def test_a_whole_message_is_traced_to_its_helper() -> None:
    """Which a contract can name."""

    def emit() -> None:
        say(WISH)

    assert reasons(emit) == ["The whole message"]
    assert rows(emit) == [f'[loggers]\nwrappers = ["{__name__}.say"]']
    text = explain(read_line(written(emit)), active()).reasons[0]
    assert f"in {__name__}.say, line {say.__code__.co_firstlineno + 1}." in text


def test_attributes_are_told_by_their_number_only() -> None:
    """Their names aren't in the line."""

    def emit() -> None:
        log.info("Sold", extra={"wish": WISH, "flower": "tulip"})

    assert reasons(emit) == ["2 values that the message doesn't show"]
    assert rows(emit) == ['[loggers]\nnames = ["florist"]\n\n[attributes]\n# name = "type"']


def test_uvicorns_message_in_colours_needs_no_declaration() -> None:
    """It stands on the lines of every start, and repeats what they show."""
    stream = io.StringIO()
    handle = discreet.configure(json=stream)
    extra = {"color_message": "Started server process [\x1b[36m%d\x1b[0m]"}
    logging.getLogger("uvicorn.error").info("Started server process [%d]", 7, extra=extra)

    found = explain(read_line(stream.getvalue().splitlines()[-1]), active())

    said = "1 value that the message doesn't show: uvicorn's color_message, which repeats the message in colours."
    assert (found.reasons, found.rows) == ((said,), ())
    handle.close()


def test_a_slot_of_a_known_row_is_told_with_its_contract(tmp_path: Path) -> None:
    """Whether it has no type there, or a type that refused the value; no second row is offered."""
    contract = tmp_path / "florist.toml"
    row = '[[records]]\nlogger = "florist"\ntemplate = "Asked {} for {}"\nargs = ["", "count"]'
    contract.write_text(HEAD + row, encoding="utf-8")
    handle = discreet.configure(json=None, contracts=[contract])

    def emit() -> None:
        log.info("Asked %s for %s", WISH, WISH)

    found = explain(read_line(written(emit)), active())
    assert found.rows == ()
    said = "<str 16-63>: a text of 16-63 characters. In the contract florist, value"
    assert found.reasons == (
        f"{said} 1 of this template has no type.",
        f"{said} 2 of this template is of type count, which refused it.",
    )
    handle.close()


def test_a_callers_address_is_told_with_what_shows_it(tmp_path: Path) -> None:
    """It is withheld on purpose, so that no other type is wanted."""
    contract = tmp_path / "florist.toml"
    row = '[[records]]\nlogger = "florist"\ntemplate = "Asked by {}"\nargs = ["client_address"]'
    contract.write_text(HEAD + row, encoding="utf-8")
    handle = discreet.configure(json=None, contracts=[contract])

    found = explain(read_line(written(lambda: log.info("Asked by %s", "192.0.2.7:4711"))), active())

    said = "In the contract florist, value 1 of this template is a caller's address."
    shown = "discreet.seal.types.show_client_addresses() shows them."
    assert found.reasons == (f"<str 1-15>: a text of 1-15 characters. {said} {shown}",)
    handle.close()


def test_what_agrees_with_a_text_of_the_call_is_let_out_by_nothing() -> None:
    """So no row is offered."""

    def emit() -> None:
        with discreet.customer_text(question=WISH):
            log.info("Asked for %s", discreet.public("Ermintrude"))

    assert reasons(emit) == ["<question 1-15>"]
    assert rows(emit) == []


def test_an_exceptions_text_is_explained_with_a_row_for_its_class() -> None:
    """Unless a contract has one already."""

    def broken() -> None:
        try:
            raise LookupError(WISH)
        except LookupError:
            log.exception("It broke")

    def refused() -> None:
        try:
            raise OSError(WISH)
        except OSError:
            log.exception("It broke")

    assert reasons(broken) == ["The text of LookupError"]
    assert rows(broken) == ['[[exceptions]]\nclass = "LookupError"\nattributes = {}  # name = "type"']
    assert load_text(HEAD + rows(broken)[0]).exceptions[0].class_name == "LookupError"
    assert rows(refused) == []
    assert "The contract upstream says" in explain(read_line(written(refused)), active()).reasons[0]


@pytest.mark.parametrize(
    ("more", "begins"),
    [
        ({"event": "undeclared"}, "event undeclared: "),
        ({"error_code": "undeclared"}, "error_code undeclared: "),
        ({"logger": "florist.<str 1-15>"}, "The logger florist.<str 1-15>: "),
        ({"truncated": True}, "The line was cut"),
        ({"message": "<record withheld: the guard failed>", "withheld": 1}, "The guard failed"),
    ],
)
def test_what_else_a_line_lacks_is_explained(more: dict[str, Any], begins: str) -> None:
    """Names that nobody declared, loggers made at run time, cut lines, a guard that failed."""
    (reason,) = explain({"level": "INFO", "logger": "florist", "message": "Sold", **more}, active()).reasons
    assert reason.startswith(begins)


@pytest.mark.parametrize("line", ["", "{", "[1]", '"a"', '{"level": "INFO"}', "[" * 100_000], ids=range(6))
def test_what_is_no_line_of_ours_is_refused_without_quoting_it(line: str) -> None:
    """By a sentence that says what is missing."""
    with pytest.raises(InvalidInputError, match=r"^LINE: (is no JSON|has no level)"):
        read_line(line)


@pytest.fixture
def printed(capsys: pytest.CaptureFixture[str]) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Runs the command; returns its status and both outputs."""

    def run(*arguments: str) -> tuple[int, str, str]:
        status = main(["explain", *arguments])
        done = capsys.readouterr()
        return status, done.out, done.err

    yield run
    discreet.contract.reset()


LINE = '{"level":"INFO","logger":"florist","message":"Asked for <str 16-63> by 7","withheld":1}'
OUTPUT = """\
INFO florist: Asked for <str 16-63> by 7
  - <str 16-63>: a text of 16-63 characters, which nothing types. Types: id, code, model_id, device,
    route, origin, host, module, class, phrase, or an enum of its values.
  - This row names the template; write a type in place of each "" that may go out. A number in the
    message is taken for a value, and shown without a type; write it into the template if it always
    stands there.

    [[records]]
    logger = "florist"
    template = "Asked for {} by {}"
    args = ["", ""]  # <str 16-63>, 7
"""


def test_a_line_can_be_the_argument(printed: Callable[..., tuple[int, str, str]]) -> None:
    """It is explained as a person reads it."""
    assert printed(LINE) == (0, OUTPUT, "")
    assert printed('{"level":"INFO","logger":"florist","message":"Sold"}') == (
        0,
        "INFO florist: Sold\n  Nothing was withheld from this line.\n",
        "",
    )


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_lines_of_a_file_that_are_alike_are_explained_once(
    printed: Callable[..., tuple[int, str, str]], tmp_path: Path, name: str
) -> None:
    """The most frequent first, and at the end how many lines there were."""
    lines = ['{"level":"INFO","logger":"florist","message":"{x}","withheld":1}', "Sold", ""]
    lines += [LINE.replace("by 7", f"by {number}") for number in range(3)]
    file = tmp_path / name
    data = "\n".join(lines).encode()
    file.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    status, out, err = printed(str(file))
    assert (status, err) == (0, "")
    head, _, rest = out.partition("\n")
    assert head == "INFO florist: Asked for <str 16-63> by 0  (3 lines like this)"
    assert rest.partition("\n\nINFO florist: {x}\n")[1] != ""
    assert out.endswith("\n\n4 lines, 4 values withheld; 1 line not written by discreet.\n")


def test_lines_come_from_standard_input_too(
    printed: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a dash."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LINE.encode() + b"\n")))
    assert printed("-") == (0, f"{OUTPUT}\n1 line, 1 value withheld.\n", "")


def test_bad_input_is_told_in_one_sentence(printed: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """With status 2, and never quoted."""
    empty, foreign = tmp_path / "empty", tmp_path / "foreign"
    empty.write_text("", encoding="utf-8")
    foreign.write_text(f"{WISH}\n", encoding="utf-8")
    for argument, sentence in (
        (str(empty), "has no line at all"),
        (str(foreign), "has no line of JSON that discreet wrote"),
        (WISH, "is neither a line of JSON nor the path of a file; put a line in single quotes"),
        ('{"a": 1', "is no JSON; a whole line is needed"),
    ):
        assert printed(argument) == (2, "", f"discreet: LINE: {sentence}\n")


def test_what_a_terminal_would_obey_is_shown_as_an_escape(printed: Callable[..., tuple[int, str, str]]) -> None:
    """A line may be anybody's."""
    line = json.dumps({"level": "INFO", "logger": "a\x1b[2J", "message": "\x1b]0;x\x07 {n}\u202e", "withheld": 1})
    _, out, _ = printed(line)
    assert [letter for letter in out if not letter.isprintable() and letter != "\n"] == []
    assert "\\x1b]0;x\\x07" in out


def test_a_programs_own_contract_can_be_given(printed: Callable[..., tuple[int, str, str]], tmp_path: Path) -> None:
    """Then its rows are known."""
    contract = tmp_path / "florist.toml"
    row = '[[records]]\nlogger = "florist"\ntemplate = "Asked for {} by {}"\nargs = ["id", ""]'
    contract.write_text(HEAD + row, encoding="utf-8")
    assert "value 1 of this template is of type id, which" in " ".join(
        printed("--contract", str(contract), LINE)[1].split()
    )
