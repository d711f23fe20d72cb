"""Programs with generated log calls, written to files and imported, and what is found of their messages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.seal.sites import finding, imported

LITERAL = st.text("ab 01.,-_e%{}:'\"\\\n\té", max_size=6)
TEXT = st.text("ab 0123456789.,+-_eE%{}é\n", max_size=10)


@dataclass(frozen=True)
class Kind:
    """How a slot is written, and whether only a number can stand there."""

    expression: str
    spec: str = ""
    conversion: str = ""
    numeric: bool = False
    takes: str = "text"

    def of(self, number):
        return self.expression.replace("{}", str(number))


KINDS = [
    Kind("v{}"),
    Kind("v{}", conversion="!r"),
    Kind("v{}", spec=">14"),
    Kind("v{}.upper()"),
    Kind("v{} or 'none'"),
    Kind("(v{} if v{} else 5)"),
    Kind("v{}[:2]"),
    Kind("v{} * 2"),
    Kind("v{} + v{}"),
    Kind("v{}", spec="{width}"),
    Kind("str(v{})"),
    Kind("[one for one in v{}]"),
    Kind("len(v{})", numeric=True),
    Kind("len(v{}) + 1", numeric=True),
    Kind("-len(v{})", numeric=True),
    Kind("str(len(v{}))", numeric=True),
    Kind("(len(v{}) if v{} else 0)", numeric=True),
    Kind("len(v{})", conversion="!s", numeric=True),
    Kind("len(v{})", spec="<9", conversion="!r"),
    Kind("v{}", takes="number"),
    Kind("v{}", spec="d", numeric=True, takes="number"),
    Kind("v{}", spec=",", numeric=True, takes="number"),
    Kind("v{}", spec=".2f", numeric=True, takes="number"),
    Kind("v{}", spec="+.1e", numeric=True, takes="number"),
    Kind("v{}", spec="x", takes="number"),
    Kind("v{}", spec="c", takes="letter"),
    Kind("v{} - 1", numeric=True, takes="number"),
    Kind("v{} / 3", numeric=True, takes="number"),
    Kind("v{} // 3", numeric=True, takes="number"),
    Kind("v{} ** 2", numeric=True, takes="number"),
    Kind("v{} % 7", takes="number"),
    Kind("v{} * 7", takes="number"),
    Kind("round(v{}, 1)", numeric=True, takes="number"),
    Kind("float(v{})", numeric=True, takes="number"),
]
VALUES = {"text": TEXT, "number": st.integers(-(10**8), 10**8), "letter": st.integers(0x41, 0x5A)}


STYLES = ("f-string", "plus", "format", "percent")


@st.composite
def calls(draw):
    """Return a style, and the pieces of a message: literal texts, and slots with their values."""
    pieces = draw(st.lists(st.one_of(LITERAL, st.sampled_from(KINDS)), min_size=1, max_size=6))
    beginning = draw(st.sampled_from(["Word", "w: ", "It's "]))
    made = [beginning, *(p if isinstance(p, str) else (p, draw(VALUES[p.takes])) for p in pieces)]
    return draw(st.sampled_from(STYLES)), made


def written(style, pieces):
    """Return the expression of a message in one of the styles."""
    slots = [(number, piece[0]) for number, piece in enumerate(pieces) if not isinstance(piece, str)]
    if style == "f-string" or not slots:
        return " ".join(
            "f" + repr(p).replace("{", "{{").replace("}", "}}") if isinstance(p, str) else slot(n, p[0])
            for n, p in enumerate(pieces)
        )
    if style == "plus":
        return " + ".join(repr(p) if isinstance(p, str) else slot(n, p[0]) for n, p in enumerate(pieces))
    values = ", ".join(kind.of(number) for number, kind in slots)
    if style == "format":
        text = "".join(
            p.replace("{", "{{").replace("}", "}}") if isinstance(p, str) else f"{{{p[0].conversion}:{p[0].spec}}}"
            for p in pieces
        )
        return f"{text!r}.format({values}, width=width)"
    text = "".join(p.replace("%", "%%") if isinstance(p, str) else directive(p[0]) for p in pieces)
    return f"{text!r} % ({values},)"


def slot(number, kind):
    return f'f"{{{kind.of(number)}{kind.conversion}{":" + kind.spec if kind.spec else ""}}}"'


def directive(kind):
    if kind.conversion:
        return "%" + kind.conversion[1]
    return "%" + (kind.spec if kind.spec[-1:] in tuple("dfexc") else "s")


def is_numeric(style, kind):
    """Say what the code proves; ``%`` leaves alone a specification that it doesn't have."""
    if style == "percent":
        return kind.expression in NUMBERS or directive(kind)[-1] in "dfe"
    return kind.numeric


NUMBERS = {kind.expression for kind in KINDS if kind.numeric and not kind.spec}


def program(messages):
    lines = ["import logging", 'log = logging.getLogger("generated")', "width = 12"]
    for index, (style, pieces) in enumerate(messages):
        names = ", ".join(f"v{number}" for number, piece in enumerate(pieces) if not isinstance(piece, str))
        text = written(style, pieces)
        lines.append(f"def call{index}({names}):\n    text = {text}\n    log.info({text})\n    return text")
    return "\n".join(lines) + "\n"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(calls(), min_size=1, max_size=12))
def test_generated_messages_show_their_literals_and_only_numbers(tmp_path, messages):
    """Each literal stands where the program has it; each slot shows its whole number, or its expression."""
    module = imported(tmp_path, program(messages))
    for index, (style, pieces) in enumerate(messages):
        slots = [(number, *piece) for number, piece in enumerate(pieces) if not isinstance(piece, str)]
        with finding() as finder:
            whole = getattr(module, f"call{index}")(*[value for _, _, value in slots])
        (shown,), (site,) = finder.take(), finder.sites
        if not slots:
            assert (site.literal, shown) == (whole, whole)
            continue
        literals = "".join(piece if isinstance(piece, str) else "\0" for piece in pieces).split("\0")
        assert list(site.parts.literals) == literals
        assert [slot.numeric for slot in site.parts.slots] == [is_numeric(style, kind) for _, kind, _ in slots]
        expected = re.escape(literals[0])
        for found, (number, kind, value), literal in zip(site.parts.slots, slots, literals[1:], strict=True):
            assert re.sub(r"[\s()]", "", found.expression) == re.sub(r"[\s()]", "", kind.of(number))
            text = eval(written(style, ["", *[""] * (number - 1), (kind, value)]), {"width": 12, f"v{number}": value})
            expression = re.escape(f"{{{found.expression}}}")
            expected += f"(?:{expression}|{re.escape(text)})" if found.numeric else expression
            expected += re.escape(literal)
        assert re.fullmatch(expected, shown)
