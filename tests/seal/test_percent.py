from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.seal import percent
from discreet.seal.percent import Template, parse, parse_uncached

FORMATS = st.builds(
    "%{}{}{}{}{}".format,
    st.text("#0- +", max_size=3),
    st.sampled_from(["", "1", "7", "12"]),
    st.sampled_from(["", ".", ".0", ".3"]),
    st.sampled_from(["", "h", "l", "L"]),
    st.sampled_from("dieEfFgGu"),
)
LITERALS = st.text("ab {}()%.é\n", max_size=6).map(lambda text: text.replace("%", "%%"))
NUMBERS = st.one_of(st.integers(-10_000_000, 10_000_000), st.floats(-1e9, 1e9), st.booleans())


def shape(template: Template) -> list[tuple[object, ...]]:
    return [(d.key, d.flags, d.width, d.precision, d.conversion, d.numeric) for d in template.directives]


def test_a_template_is_split_into_literals_and_directives():
    """Each directive has its parts, doubled percent signs are text, and the key has a slot for each directive."""
    template = parse("100%% of %(name)s {x} took %-8.3f ms, %5d of %s%r")
    assert shape(template) == [
        ("name", "", None, None, "s", False),
        (None, "-", 8, 3, "f", True),
        (None, "", 5, None, "d", True),
        (None, "", None, None, "s", False),
        (None, "", None, None, "r", False),
    ]
    assert template.literals == ("100% of ", " {x} took ", " ms, ", " of ", "", "")
    assert template.key == "100% of {} {{x}} took {} ms, {} of {}{}"
    assert (template.keyed, template.valid) == (True, True)


def test_a_star_takes_a_value_of_its_own():
    """The values of a tuple are told apart: those of a star belong to no slot."""
    template = parse("%*d and %.*f and %s")
    assert [index for index, _ in template.consumers] == [None, 0, None, 1, 2]
    assert template.arity == 5
    assert template.render((4, 7, 2, 1.5, "x")) == "   7 and 1.50 and x"


@pytest.mark.parametrize("text", ["half a %", "%y", "%(open", "%5", "%-", "%.", "%(a)", "90%, then %s", "%5%"])
def test_a_template_that_python_refuses_is_a_literal_without_slots(text):
    """Whatever a customer's text looks like, taking it apart raises nothing."""
    template = parse_uncached(text)
    assert (template.valid, template.literals, template.directives, template.arity) == (False, (text,), (), 0)


def test_nested_parentheses_belong_to_the_key():
    """CPython counts parentheses in a mapping key, so we do."""
    assert shape(parse("%(a(b)c)s")) == [("a(b)c", "", None, None, "s", False)]
    assert "%(a(b)c)s" % {"a(b)c": 1} == "1"


def test_texts_stand_as_they_are_even_where_a_number_belongs():
    """A placeholder is neither quoted nor cut, and does not make the rendering fail."""
    template = parse("%d items of %.3s, %r, %8s|%-8s|")
    assert template.render(["<list>", "<str 16-63>", "<str 0>", "GET", "PUT"]) == (
        "<list> items of <str 16-63>, <str 0>,      GET|PUT     |"
    )


def test_a_number_is_never_shown_as_a_character():
    """``%c`` would turn numbers into the letters of a text."""
    assert parse("%c%c and %d").render([77, 97, 5]) == "<char><char> and 5"


def test_too_few_and_too_many_values_render_without_raising():
    """A wrong number of arguments is the application's mistake, which its log call must survive."""
    assert parse("%s and %s").render(["one"]) == "one and <missing>"
    assert parse("%s").render(["one", "two"]) == "one"
    assert parse("%*d").render([]) == "<missing>"
    assert parse("%(a)s and %(b)d").render(["x"]) == "x and <missing>"


def test_odd_numbers_render_without_raising():
    """Infinity and NaN have no integer form; a huge width would fill the memory."""
    inf = float("inf")
    assert parse("%d %d %x").render([inf, float("nan"), 1.5]) == "inf nan 1.5"
    assert parse("%s %d").render([None, None]) == "None None"
    assert len(parse("%*d").render([10**12, 1])) == len(parse("%999999999d").render([1])) == 120
    assert parse("%*d|").render([-4, 1]) == "1   |"


def test_parsed_templates_are_remembered_only_when_asked():
    """A customer's text must not outlive the call, so there is a way without a cache."""
    assert parse("remembered %s") is parse("remembered %s")
    assert parse_uncached("not remembered %s") is not parse_uncached("not remembered %s")


def test_only_decimal_conversions_are_numeric():
    """Hexadecimal digits can spell words, and a character is a text."""
    assert sorted(percent.NUMERIC) == sorted("diueEfFgG")


@given(st.lists(st.tuples(LITERALS, FORMATS, NUMBERS), min_size=1, max_size=5), LITERALS)
@example([("", "%-+ 07.0d", -3)], "")
def test_numbers_are_rendered_as_python_renders_them(pieces, tail):
    """The rendering is checked against the ``%`` operator itself."""
    text = "".join(literal + form for literal, form, _ in pieces) + tail
    values = tuple(value for _, _, value in pieces)
    assert parse_uncached(text).render(values) == text % values


@given(st.text("%sdac)*.0-{} ", max_size=20))
@example("%*")
@example("%0%")
def test_a_template_is_valid_exactly_when_python_takes_it(text):
    """Validity and arity agree with the ``%`` operator."""
    template = parse_uncached(text)
    values = (1,) * (template.arity if template.valid else 50)
    try:
        text % values
    except ValueError:
        accepted = False
    else:
        accepted = True
    assert template.valid == accepted
