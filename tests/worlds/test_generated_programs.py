"""Two worlds: programs that only move texts about leave the same bytes, whatever the texts are."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.worlds.compare import Outputs, Worlds
from tests.worlds.generate import generated
from tests.worlds.texts import TEXTS

pytestmark = pytest.mark.long

PROGRAMS = 150


@pytest.fixture(scope="module", params=["source", "bytecode"])
def worlds(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worlds]:
    """The generated programs, with their source beside them or without, and the server that runs them."""
    compiled = request.param == "bytecode"
    programs = generated(PROGRAMS, start=int(compiled))
    with Worlds(programs, tmp_path_factory.mktemp(request.param), compiled=compiled) as found:
        yield found


@pytest.fixture(scope="module")
def first(worlds: Worlds) -> Outputs:
    """What the programs leave in the first world."""
    return worlds.run("first")


def test_the_same_world_twice_gives_the_same_bytes(worlds: Worlds, first: Outputs) -> None:
    """The control: clock, ids, hashes and names are fixed, so that only texts can make a difference."""
    assert worlds.differences(first, worlds.run("control")) == []


def test_other_letters_and_digits_give_the_same_bytes(worlds: Worlds, first: Outputs) -> None:
    """No sink shows anything that was made from a letter or a digit of a text."""
    assert worlds.differences(first, worlds.run("permuted")) == []


def test_unrelated_texts_of_the_same_length_give_the_same_bytes(worlds: Worlds, first: Outputs) -> None:
    """Words, signs and line ends do not show either; lengths may, by their band."""
    assert worlds.differences(first, worlds.run("unrelated")) == []


@pytest.mark.integration
def test_what_is_sent_over_otlp_is_among_the_outputs(first: Outputs) -> None:
    """Each record of the file, and every span, so that the tests above speak of them too."""
    logs, spans = (first[f"otlp-{signal}.txt"].splitlines() for signal in ("logs", "traces"))
    written = [json.loads(line) for line in first["logs.jsonl"].splitlines()]

    # What is said of the end itself is said when the others have been sent.
    ends = ("pipeline_closed", "records_missing")
    assert len(logs) == len([line for line in written if line.get("event") not in ends])
    assert len(spans) == len(first["spans.jsonl"].splitlines())
    assert sum("worlds.event" in line for line in logs) > PROGRAMS // 10
    assert not any(text in first["otlp-logs.txt"] for text in TEXTS if len(text) > 5)


def test_without_the_guard_the_worlds_differ(worlds: Worlds) -> None:
    """The programs do log the texts: a good part of what plain logging writes of them differs."""
    one, other = (worlds.run(world, guarded=False)["fields.log"].split("\n") for world in ("first", "permuted"))

    different = sum(a != b for a, b in zip(one, other, strict=True))

    assert different > len(one) // 6


def test_what_comes_out_is_more_than_nothing(first: Outputs) -> None:
    """A guard that withholds everything would pass the other tests."""
    lines = [json.loads(line) for line in first["logs.jsonl"].splitlines()]
    shown = [line for line in lines if not line["message"].startswith("<")]

    assert len(lines) > 3 * PROGRAMS
    assert len(shown) > len(lines) // 2
    assert {"worlds.event", "undeclared"} <= {line.get("event") for line in lines}
    assert any("123" in line["message"] for line in shown)
    assert any(len(line.get("exception_chain", "")) > 40 for line in lines)
    assert not any(text in first["logs.jsonl"] for text in TEXTS if len(text) > 5)
