from __future__ import annotations

import logging

import pytest

from tests.seal.sites import finding, imported

TEXT = "two cups of rye flour"
log = logging.getLogger("numbers")

SLOTS = [
    # what stands in the slot, with what values, whether it is shown
    ("{a:d}", "5", True),
    ("{a:5d}", "12345", True),
    ("{a:,}", "5", True),
    ("{a:_d}", "5", True),
    ("{a:+.1e}", "5.5", True),
    ("{a:.0%}", "0.5", True),
    ("{a:n}", "5", True),
    ("{a:x}", "5", False),
    ("{a:c}", "53", False),
    ("{a:b}", "5", False),
    ("{a}", "5", False),
    ("{a:>1}", "5", False),
    ("{a:.3}", "'555'", False),
    ("{a:{b}}", "5, 'd'", False),
    ("{a!r:>1}", "5", False),
    ("{a:%d}", "__import__('datetime').date(2001, 1, 5)", False),
    ("{len(a)}", "'55555'", True),
    ("{len(a):>1}", "'55555'", True),
    ("{len(a):c}", "'5' * 53", False),
    ("{len(a)!r}", "'55555'", True),
    ("{len(a)!r:.1}", "'55555'", False),
    ("{len(a) + len(b)}", "'5', '5'", True),
    ("{len(a) * len(b)}", "'5', '55555'", True),
    ("{len(a) % 7}", "'55555'", True),
    ("{len(a) * b}", "'5', '5'", False),
    ("{a * 1}", "'5'", False),
    ("{a % 7}", "'%d'", False),
    ("{a + b}", "'5', '5'", False),
    ("{a + 1}", "5", True),
    ("{a - b}", "7, 2", True),
    ("{a // b}", "11, 2", True),
    ("{a ** b}", "5, 1", True),
    ("{a / 2}", "11", True),
    ("{a / b}", "__import__('pathlib').PurePath('.'), '5'", False),
    ("{-a}", "-5", True),
    ("{+a}", "5", True),
    ("{round(a)}", "5.1", True),
    ("{round(a, 1)}", "5.11", True),
    ("{int(a)}", "'5'", True),
    ("{float(a)}", "'5'", True),
    ("{str(len(a))}", "'55555'", True),
    ("{str(a)}", "5", False),
    ("{abs(a)}", "5", False),
    ("{len(*b)}", "5, ['5']", False),
    ("{(len(a) if a else 0)}", "'55555'", True),
    ("{(len(a) if a else b)}", "'', '5'", False),
    ("{5}", "5", True),
    ("{True}", "5", False),
    ("{a[0]}", "['5']", False),
    ("{b.real}", "5, 5", False),
]


@pytest.mark.parametrize(("slot", "values", "numeric"), SLOTS)
def test_a_slot_is_numeric_only_if_its_code_says_so(tmp_path, slot, values, numeric):
    """By a format for numbers, by an operator that texts don't have, by a built-in function; not by its value."""
    text = f'import logging\nlog = logging.getLogger("w")\ndef run(a, b=1):\n    log.info(f"has {slot} of it")\n'
    module = imported(tmp_path, text)
    with finding() as finder:
        eval(f"run({values})", {"run": module.run})
    assert [found.numeric for found in finder.sites[0].parts.slots] == [numeric]
    assert ("{" not in finder.shown[0]) == numeric


DIRECTIVES = [
    ('"has %d of it" % a', "5", True),
    ('"has %5d of it" % (a,)', "12345", True),
    ('"has %.1f of it" % a', "5", True),
    ('"has %c of it" % a', "53", False),
    ('"has %x of it" % a', "5", False),
    ('"has %s of it" % a', "5", False),
    ('"has %s of it" % (len(a),)', "'55555'", True),
    ('"has %*d of it" % (b, a)', "5, 1", True),
    ('"has %(x)d of it" % {"x": a}', "5", True),
    ('"has {:d} of it".format(a)', "5", True),
    ('"has {} of it".format(len(a))', "'55555'", True),
    ('"has {0} of it".format(a)', "5", False),
    ('"has {0.real} of it".format(a)', "5", False),
    ('"has {0.real:d} of it".format(a)', "5", True),
    ('"has {:{}} of it".format(a, b)', "5, 'd'", False),
    ('"has {:d} of it".format(*a)', "[5]", True),
    ('"has " + str(len(a)) + " of it"', "'55555'", True),
    ('"has " + str(a) + " of it"', "5", False),
    ('"has " + a + " of it"', "'5'", False),
]


@pytest.mark.parametrize(("expression", "values", "numeric"), DIRECTIVES)
def test_other_ways_to_put_a_text_together_have_the_same_numbers(tmp_path, expression, values, numeric):
    """What holds for an f-string holds for ``%``, ``str.format`` and ``+``."""
    text = f'import logging\nlog = logging.getLogger("w")\ndef run(a, b=1):\n    log.info({expression})\n'
    module = imported(tmp_path, text)
    with finding() as finder:
        eval(f"run({values})", {"run": module.run})
    assert [found.numeric for found in finder.sites[0].parts.slots] == [numeric]
    assert ("{" not in finder.shown[0]) == numeric


def test_the_body_of_a_class_makes_no_number_by_a_name(tmp_path):
    """There a name can be the class's own; at the top of a module it can't."""
    text = 'import logging\nlog = logging.getLogger("w")\ndef run():\n    class A:\n        len = str\n'
    text += '        log.info(f"has {len(55555)} of it")\n'
    module = imported(tmp_path, text)
    with finding() as finder:
        module.run()
        imported(tmp_path, 'import logging\nlogging.getLogger("w").info(f"has {len([5] * 5)} of it")\n')
    assert finder.take() == ["has {len(55555)} of it", "has 5 of it"]


@pytest.mark.parametrize("shadow", ["len = str", "def len(x): return x", "from builtins import str as len"])
def test_a_shadowed_built_in_makes_no_number(tmp_path, shadow):
    """A module may have a ``len`` of its own, before or after the first call."""
    text = (
        f'import logging\nlog = logging.getLogger("w")\ndef run(q):\n    log.info(f"Size {{len(q)}} of it")\n{shadow}\n'
    )
    module = imported(tmp_path, text)
    with finding() as finder:
        module.run("1234567")
    assert finder.take() == ["Size {len(q)} of it"]


def test_a_built_in_that_is_shadowed_later_makes_no_number_from_then_on(tmp_path):
    """What was remembered depends on the module's globals as they are."""
    text = 'import logging\nlog = logging.getLogger("w")\ndef run(q):\n    log.info(f"Size {len(q)} of it")\n'
    module = imported(tmp_path, text)
    with finding() as finder:
        module.run("1234567")
        module.len = str
        module.run("1234567")
    assert finder.take() == ["Size 7 of it", "Size {len(q)} of it"]


def test_numbers_are_withheld_where_the_message_can_be_another_text():
    """In one branch a number stands where in the other a text does, and the text can be digits."""
    digits, count, yes = "5551234", 3, 0
    with finding() as finder:
        log.info(f"{count:d} of {digits} kept" if yes else f"{digits} of {count:d} kept")
        log.info(f"{count:d} kept of {digits}" if yes else f"{digits} of {count:d} kept")
        log.info(digits + " were kept" if yes else f"{count:d} were kept" if yes else digits + " were kept")
    assert finder.take() == ["{count} of {digits} kept", "{digits} of 3 kept", "{digits} were kept"]


def test_a_text_that_can_stand_in_place_of_the_literal_is_not_taken_for_it():
    """A customer may have written the same words as the other branch has."""
    question = "So nothing was asked here, or " + TEXT
    with finding() as finder:
        log.info(question or "nothing was asked here")
        log.info(question or f"So nothing {len(TEXT)} here, or {TEXT}")
        log.info("" or "nothing was asked here")
    assert finder.take() == [None, None, "nothing was asked here"]
