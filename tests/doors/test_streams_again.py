"""configure() and the streams: a set-up is what its own call says; who writes while handling a sealed record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import TO_JSON, run

STATE = "states.append(set(discreet.doors.door_states()[f'sys.{name}'] for name in ('stdout', 'stderr')))"


@pytest.mark.parametrize(
    ("steps", "states"),
    [
        (["configure(json=None, streams=True)", "configure(json=None)"], ["guarded", "closed"]),
        (["configure(json=None)", "configure(json=None, streams=True)"], ["closed", "guarded"]),
        (
            ["configure(json=None, streams=True)", "configure(json=None, install=False)", "configure(json=None)"],
            ["guarded", "closed", "closed"],
        ),
        (["configure(json=None, streams=True)"] * 2 + ["configure(json=None)"], ["guarded", "guarded", "closed"]),
        # The program's own.
        (["install(streams=True)", "configure(json=None)"], ["guarded", "guarded"]),
        (
            ["install(streams=True)", "configure(json=None, streams=True)", "configure(json=None)"],
            ["guarded", "guarded", "guarded"],
        ),
        (
            ["install()", "configure(json=None, streams=True)", "configure(json=None)", "install()"],
            ["closed", "guarded", "closed", "closed"],
        ),
        (
            ["configure(json=None, streams=True)", "uninstall()", "install(streams=True)", "configure(json=None)"],
            ["guarded", "closed", "guarded", "guarded"],
        ),
    ],
    ids=range(8),
)
def test_the_streams_are_as_the_last_call_says(tmp_path: Path, steps: list[str], states: list[str]) -> None:
    """Those that the program itself put under guard stay so."""
    body = "".join(f"discreet.{step}\n{STATE}\n" for step in steps)
    ended = run(tmp_path, f"import discreet.doors\nstates = []\n{body}discreet.uninstall()\nprint(states)\n")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == f"{[{state} for state in states]}\n"


def test_handlers_of_any_kind_write_to_the_streams_what_they_were_given(tmp_path: Path) -> None:
    """By methods of any parameters, on classes, mixins and instances; what a mixin does besides is a line."""
    ended = run(
        tmp_path,
        f"""
        class Odd(logging.Handler):
            def handle(self, *what):
                print("odd", what[0].getMessage())

        class Mixin:
            def emit(self, one):
                print("mixed", one.getMessage() if isinstance(one, logging.LogRecord) else one)

        class Mixed(Mixin, logging.Handler):
            pass

        class Plain(logging.Handler):
            def emit(self, record):
                print("plain", record.getMessage())

        discreet.install(streams=True)
        own = logging.NullHandler()
        own.handle = lambda record: print("own", record.getMessage())
        own.level = logging.INFO
        log = logging.getLogger("app")
        log.setLevel("INFO")
        log.propagate = False
        mixed = Mixed()
        for handler in (Odd(), mixed, Plain(), own):
            log.addHandler(handler)
        log.info("Asked %s", QUESTION)
        Plain().emit(logging.makeLogRecord({{"msg": QUESTION}}))
        {TO_JSON}
        mixed.emit(QUESTION)
        """,
    )

    assert (ended.code, ended.err) == (0, "")
    shown = "Asked <str 16-63>"
    assert ended.out.splitlines() == [
        f"odd {shown}",
        f"mixed {shown}",
        f"plain {shown}",
        f"own {shown}",
        "plain <str 16-63>",
    ]
    assert [record["logger"] for record in ended.records] == ["stdout"]
