from __future__ import annotations

import re

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from discreet.seal.compose import Parts, Slot, fits, read, shown_slots, slots, surrounds

N = Slot("n", numeric=True)
T = Slot("t")

READ = [
    # parts, message, shown, withheld
    (("Loaded ", T, " in ", N, " ms"), "Loaded rye bread in 12.3 ms", "Loaded {t} in 12.3 ms", 1),
    ((N, " of ", N, " kept by ", T), "5 of 7 kept by 9 of 11", "5 of 7 kept by {t}", 1),
    ((N, " of ", T, " and ", T, " took ", N, "."), "3 of 4 and 5 took 6.5.", "3 of {t} and {t} took 6.5.", 2),
    ((T, " then ", N, " then ", T), "a then 5 then b", "{t} then {n} then {t}", 3),
    (("all ", N), "all 1,234,567", "all 1,234,567", 0),
    (("all ", N), "all 1_234_567", "all 1_234_567", 0),
    (("all ", N), "all -1.5e-07", "all -1.5e-07", 0),
    (("all ", N), "all +12.5%", "all +12.5%", 0),
    (("all ", N), "all 12345678", "all {n}", 1),
    (("all ", N), "all 12,345,678", "all {n}", 1),
    (("all ", N), "all nan", "all {n}", 1),
    (("all ", N), "all 1,23", "all {n}", 1),
    (("all ", N), "all ٣", "all {n}", 1),
    (("all ", N), "all ", "all {n}", 1),
    (("all ", N, "% done"), "all 45% done", "all 45% done", 0),
    (("all ", N, "% done by ", T), "all 45% done by 9", "all 45% done by {t}", 1),
    (("all ", N, ", ", T), "all 5, 6", "all 5, {t}", 1),
    (("all ", N, ",", T), "all 5,600", "all {n},{t}", 2),
    (("all ", N, ".", T), "all 5.600", "all {n}.{t}", 2),
    (("all ", N, "e", T), "all 5e6", "all {n}e{t}", 2),
    (("all ", N, "-", T), "all 5-6", "all {n}-{t}", 2),
    (("all ", N, "0 to ", T), "all 50 to x", "all {n}0 to {t}", 2),
    ((T, "-", N), "a-5", "{t}-{n}", 2),
    ((T, "1", N), "a15", "{t}1{n}", 2),
    ((T, N), "ab5", "{t}{n}", 2),
    ((N, T), "5ab", "{n}{t}", 2),
    ((N, N), "55", "{n}{n}", 2),
    ((T, " in ", N, N), "a in 55", "{t} in {n}{n}", 3),
    ((T, " took ", N, " s"), "it took 5 took 6 s", "{t} took 6 s", 1),
    ((N, " items and ", T, " of ", N), "nan items and b of 3", "{n} items and {t} of 3", 2),
    ((N, " and ", N, " and ", N), "1 and nan and 3", "1 and {n} and 3", 1),
    (("only words",), "only words", "only words", 0),
    ((), "", "", 0),
    ((N,), "5", "5", 0),
    ((T,), "5", "{t}", 1),
]


@pytest.mark.parametrize(("parts", "message", "expected", "withheld"), READ)
def test_numbers_are_read_from_either_end(parts, message, expected, withheld):
    """A number is shown where it can't be anything else; the same with and without the pattern of often used parts."""
    made = Parts(parts)
    assert (read(made, message), read(parts, message)) == ((expected, withheld),) * 2
    made.prepare()
    assert (read(made, message), fits(made, message)) == ((expected, withheld), True)


def test_parts_join_literals_and_leave_out_empty_ones():
    """However the code put the pieces together, the parts are the same, and so is the key."""
    parts = Parts(["a", "", "{b", T, "", T, "c}", ""])
    assert parts == ("a{b", T, T, "c}")
    assert (parts.literals, parts.slots, parts.key) == (("a{b", "", "c}"), (T, T), "a{{b{}{}c}}")


FIT = [
    (("a ", T, " b"), "a  b", True),
    (("a ", T, " b"), "a b", False),
    (("a ", T, " b"), "a x b ", False),
    (("a ", T, " b"), " a x b", False),
    ((T, " b ", T, " b"), "x b b", False),
    ((T, " b ", T, " b"), "x b  b", True),
    ((T, "bb", T, "bb"), "bbb", False),
    (("same",), "same", True),
    (("same",), "samesame", False),
]


@pytest.mark.parametrize(("parts", "message", "expected"), FIT)
def test_a_message_fits_when_all_literals_occur_in_order_and_nothing_is_left(parts, message, expected):
    """The first literal begins the message and the last one ends it, without overlapping."""
    made = Parts(parts)
    assert fits(made, message) == expected
    made.prepare()
    assert fits(made, message) == expected


def test_a_number_is_read_only_from_a_message_that_begins_and_ends_as_the_parts_do():
    """Anything else is not a message of these parts."""
    parts = Parts(("a ", N, " of ", T, " b"))
    assert [read(parts, message)[1] for message in ("a 5 of x b", "5 of x b", "a 5 of x", "a b")] == [1, 2, 2, 2]


def test_what_an_adapter_added_is_told_by_its_place_only():
    """The inner text needs one literal of eight letters."""
    parts = Parts(("counted ", T, " sheep"))
    assert surrounds(parts, "[x] counted y sheep (z)") == (True, True)
    assert surrounds(parts, "counted y sheep (z)") == (False, True)
    assert surrounds(parts, "[x] counted y sheep") == (True, False)
    assert surrounds(parts, "[x] sheep counted") is None
    assert surrounds(Parts(("seven l", T, "seven l")), "[x] seven l seven l") is None
    assert surrounds(Parts((T, " counted sheep")), "[x] y counted sheep") == (False, False)


def test_the_text_of_a_slot_is_given_only_when_its_borders_are_certain():
    """A contract may type it; with a literal in the text itself nobody knows where it ends."""
    parts = Parts((T, " asks ", T, " for ", T))
    assert slots(parts, "Ann asks Bob for salt") == ["Ann", "Bob", "salt"]
    assert slots(parts, "Ann asks Bob for salt for soup") == ["Ann", None, None]
    assert slots(parts, "Ann asks asks Bob for salt") == [None, None, "salt"]
    assert slots(parts, "Ann asks Bob asks Cid for salt") == [None, None, "salt"]
    assert slots(parts, "Ann tells Bob") is None
    assert slots(Parts((T, T)), "ab") == [None, None]
    assert slots(Parts(("a ", T)), "a b c") == ["b c"]


def test_each_slot_is_shown_as_in_the_whole_text():
    """A contract's row fills some slots and leaves the others as they are."""
    parts = Parts(("Got ", T, " in ", N, " ms"))
    assert shown_slots(parts, "Got x in 5 ms") == [("{t}", 1), ("5", 0)]
    assert shown_slots(("Got ", T), "Got x") == [("{t}", 1)]


def test_slots_are_compared_by_what_they_say():
    """Two slots of equal expression and kind are equal, and nothing else is."""
    assert Slot("n", numeric=True) == N
    assert (Slot("n") == N, Slot("n") == "n", hash(Slot("t")) == hash(T)) == (False, False, True)
    assert repr(N) == "Slot('n', numeric=True)"


# Letters, digits and everything that a number or a literal can have, so that they run into each other.
TEXTS = st.text("ab 0123456789.,+-_eE%{}é ", max_size=12)
LITERALS = st.text("ab 019.,+-_eE%{}:", min_size=0, max_size=5)
NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.floats(-1e6, 1e6).map("{:.2f}".format),
    st.integers(-(10**9), 10**9).map("{:,}".format),
    st.floats(-10, 10).map("{:.1%}".format),
    st.floats(-1e9, 1e9).map("{:e}".format),
)
PIECES = st.lists(st.tuples(LITERALS, st.one_of(st.tuples(st.just(N), NUMBERS), st.tuples(st.just(T), TEXTS))))
PLAIN = re.compile(r"[-+]?[0-9]{1,7}(\.[0-9]{1,9})?(e[-+][0-9]+)?%?")
OF_NUMBERS = set("0123456789.,+-_eE%")


def oracle(literals, values):
    """Say for each slot whether it must be shown: walk in from both ends over plain numbers, as a person would."""
    count = len(values)
    must = [False] * count
    for order in (range(count), range(count - 1, -1, -1)):
        for index in order:
            slot, text = values[index]
            left, right = literals[index], literals[index + 1]
            beside = (left or index == 0) and (right or index == count - 1)
            touches = (left and left[-1] in OF_NUMBERS) or (right and right[0] in OF_NUMBERS)
            if slot is not N or not PLAIN.fullmatch(text) or not beside or touches:
                break
            must[index] = True
    return must


def percent_ambiguity(literals, values):
    # Such slots are never numeric: the code's format says that the percent sign is the number's own.
    return any(
        slot is N and text.endswith("%") and literals[index + 1].startswith("%")
        for index, (slot, text) in enumerate(values)
    )


@settings(max_examples=500, deadline=None)
@given(PIECES, LITERALS, st.booleans())
@example([("", (N, "1")), (",", (T, "000"))], "", True)
@example([("", (N, "1")), (".", (T, "5"))], " ", True)
@example([("", (T, "1")), (" ", (T, "2")), (" ", (N, "3"))], "", True)
@example([("-", (N, "-1")), ("e", (N, "5"))], ".", True)
def test_no_character_of_a_text_comes_out_of_a_slot(pieces, tail, pattern):
    """Whatever texts stand beside numbers: each slot shows its own whole number or its expression, nothing else.

    The naive walk knows the values; what it shows has to be shown, and only numeric slots may show anything.
    """
    literals = [literal for literal, _ in pieces] + [tail]
    values = [value for _, value in pieces]
    assume(not percent_ambiguity(literals, values))
    message = "".join(literal + text for literal, (_, text) in pieces) + tail
    parts = Parts([part for literal, (slot, _) in pieces for part in (literal, slot)] + [tail])
    if pattern:
        parts.prepare()
    assert fits(parts, message)
    must = oracle(literals, values)
    shown = shown_slots(parts, message)
    for (slot, text), (piece, withheld), needed in zip(values, shown, must, strict=True):
        if withheld:
            assert not needed, (parts, message, text)
        else:
            assert slot is N
            assert piece == text, (parts, message)
    whole = "".join(literal + piece for literal, (piece, _) in zip(literals, shown, strict=False)) + tail
    assert read(parts, message) == (whole, sum(withheld for _, withheld in shown))
    certain = slots(parts, message)
    assert certain is not None
    assert all(found is None or found == text for found, (_, text) in zip(certain, values, strict=True))
