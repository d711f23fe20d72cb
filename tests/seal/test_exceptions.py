from __future__ import annotations

import sys
from types import TracebackType

import pytest

from discreet.contract import Registry
from discreet.export.ledger import LEDGER
from discreet.seal import exceptions
from discreet.seal.exceptions import (
    CodeFacts,
    ExceptionFacts,
    code_of,
    describe,
    from_exc_info,
    message_allowed,
    set_message_check,
)

HERE = __name__
FILE = f"{__name__.replace('.', '/')}.py"
SENTENCE = "my neighbour's dog barks every night at half past two"
NOTHING = Registry()


class Failure(Exception):
    pass


def raised(error: BaseException, behind: BaseException | None = None) -> BaseException:
    try:
        raise error from behind
    except BaseException as caught:
        return caught


def facts(error: BaseException) -> ExceptionFacts:
    return describe(error, error.__traceback__, NOTHING)


def test_an_exception_is_its_type_and_its_frames() -> None:
    """No message, no notes, no arguments, no attribute, no source line."""
    error = raised(Failure(SENTENCE, {"dog": SENTENCE}))
    error.add_note(SENTENCE)
    error.dog = SENTENCE  # type: ignore[attr-defined]
    assert error.__traceback__ is not None
    line = error.__traceback__.tb_lineno
    assert facts(error) == ExceptionFacts(
        type=f"{HERE}.Failure",
        chain=(f"{HERE}.Failure",),
        codes=(None,),
        frames=(f"{FILE}:raised:{line}",),
    )


def test_an_exception_that_was_never_raised_has_no_frames() -> None:
    """Its type is known all the same."""
    assert facts(KeyError(SENTENCE)) == ExceptionFacts("KeyError", chain=("KeyError",), codes=(None,))


def test_the_chain_follows_what_a_traceback_would_show() -> None:
    """The cause if there is one, else the context unless it is suppressed."""
    inner = raised(KeyError(SENTENCE))
    caused = raised(ValueError(SENTENCE), inner)
    try:
        try:
            raise inner
        except KeyError:
            raise Failure(SENTENCE)  # noqa: B904  # the context is what is tested
    except Failure as error:
        in_context = error
    try:
        try:
            raise inner
        except KeyError:
            raise Failure(SENTENCE) from None
    except Failure as error:
        suppressed = error
    kept = raised(OSError(2, SENTENCE), caused)
    kept.__context__ = in_context
    kept.__suppress_context__ = False
    assert [facts(one).chain for one in (inner, caused, in_context, suppressed, kept)] == [
        ("KeyError",),
        ("ValueError", "KeyError"),
        (f"{HERE}.Failure", "KeyError"),
        (f"{HERE}.Failure",),
        ("FileNotFoundError", "ValueError", "KeyError"),
    ]


def test_a_chain_that_bites_its_tail_ends() -> None:
    """Python lets causes and contexts run in a circle."""
    first, second = ValueError(SENTENCE), KeyError(SENTENCE)
    first.__cause__, second.__context__ = second, first
    itself = TypeError(SENTENCE)
    itself.__cause__ = itself
    assert [facts(one).chain for one in (first, second, itself)] == [
        ("ValueError", "KeyError"),
        ("KeyError", "ValueError"),
        ("TypeError",),
    ]


@pytest.mark.parametrize(
    ("length", "last"),
    [(20, "KeyError"), (21, "... 1 more"), (500, "... 480 more"), (5000, "... 1000+ more")],
)
def test_a_long_chain_is_shown_to_its_twentieth_link(length: int, last: str) -> None:
    """The rest is counted, up to a thousand; codes stand beside the links."""
    error: BaseException = KeyError(SENTENCE)
    for _ in range(length - 1):
        outer = KeyError(SENTENCE)
        outer.__cause__ = error
        error = outer
    found = facts(error)
    assert (found.chain[:20], found.chain[-1]) == (("KeyError",) * 20, last)
    assert found.codes == (None,) * len(found.chain)
    while error.__cause__ is not None:  # taken apart here: the interpreter's own way is recursive
        error, error.__cause__ = error.__cause__, None


def test_a_group_says_what_types_are_in_it_at_any_depth() -> None:
    """The most frequent first; groups in it are only counted by what they hold."""
    inner = ExceptionGroup(SENTENCE, [TypeError(SENTENCE), Failure(SENTENCE)])
    group = ExceptionGroup(SENTENCE, [ValueError(SENTENCE), inner, ValueError(SENTENCE), ExceptionGroup("", [inner])])
    found = facts(raised(group, KeyError(SENTENCE)))
    assert (found.type, found.chain, found.codes) == (
        "ExceptionGroup",
        (f"ExceptionGroup(4: ValueError x2, TypeError, {HERE}.Failure)", "KeyError"),
        (None, None),
    )
    stopped = BaseExceptionGroup(SENTENCE, [KeyboardInterrupt(), SystemExit(3), *[OSError()] * 2, KeyError()])
    assert facts(stopped).chain == ("BaseExceptionGroup(5: OSError x2, KeyboardInterrupt, SystemExit, KeyError)",)


def test_a_group_of_many_types_shows_five_of_them() -> None:
    """A class made of a text counts as its nearest proven base."""
    made = [type(f"Dog{n}", (LookupError,), {})(SENTENCE) for n in range(4)]
    group = ExceptionGroup(
        "", [*made, ValueError(), TypeError(), OSError(), RuntimeError(), EOFError(), BufferError(), Failure()]
    )
    assert facts(group).chain == (
        "ExceptionGroup(11: LookupError+ x4, ValueError, TypeError, OSError, RuntimeError, 3 types more)",
    )


def test_wide_and_deep_groups_are_counted_whole() -> None:
    """Ten thousand exceptions in one group; groups in groups, 150 deep; the same group twice."""
    wide = ExceptionGroup("", [ValueError(str(n)) for n in range(10_000)])
    deep = ExceptionGroup("", [ValueError(SENTENCE)])
    doubled = deep
    for _ in range(150):
        deep = ExceptionGroup(SENTENCE, [deep])
        doubled = ExceptionGroup(SENTENCE, [doubled, doubled])
    assert [facts(one).chain[0] for one in (wide, deep, doubled)] == [
        "ExceptionGroup(10000: ValueError x10000)",
        "ExceptionGroup(1: ValueError)",
        "ExceptionGroup(1: ValueError)",
    ]


def test_a_group_of_more_than_can_be_counted_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count is then a lower bound."""
    monkeypatch.setattr(exceptions, "_MAX_NODES", 3)
    group = ExceptionGroup("", [KeyError(), ExceptionGroup("", [TypeError()]), ExceptionGroup("", [ValueError()])])
    assert facts(group).chain == ("ExceptionGroup(1+: KeyError)",)


def test_every_shape_of_exc_info_gives_an_exception_or_none() -> None:
    """What a record has as `exc_info` can be anything, since records are made by hand too."""
    error = raised(ValueError(SENTENCE))
    other = raised(KeyError(SENTENCE)).__traceback__
    plain = TypeError(SENTENCE)

    class Triple(tuple):
        __slots__ = ()

        def __getitem__(self, key):
            raise AssertionError("called")

        __iter__ = __len__ = __bool__ = __eq__ = __getitem__  # type: ignore[assignment]
        __hash__ = None  # type: ignore[assignment]

    with_traceback = (error, error.__traceback__)
    shapes: dict[object, tuple[BaseException | None, TracebackType | None]] = {
        error: with_traceback,
        plain: (plain, None),
        (ValueError, error, error.__traceback__): with_traceback,
        (ValueError, error, other): (error, other),
        (ValueError, error, None): with_traceback,
        (ValueError, error, "traceback"): with_traceback,
        (ValueError, error): with_traceback,
        (None, plain, None): (plain, None),
        (ValueError, None, None): (None, None),
        (None, None, None): (None, None),
        ("a",): (None, None),
        (1, 2, 3): (None, None),
        (1, 2, 3, error): (None, None),
        (): (None, None),
        SENTENCE: (None, None),
        None: (None, None),
        False: (None, None),
        17: (None, None),
        ValueError: (None, None),
        True: (None, None),
    }
    assert {shape: from_exc_info(shape) for shape in shapes} == shapes
    assert from_exc_info(Triple((ValueError, error, None))) == with_traceback
    assert from_exc_info([ValueError, error, None]) == with_traceback
    assert from_exc_info([]) == (None, None)
    assert from_exc_info({}) == (None, None)


def test_true_stands_for_the_exception_that_is_being_handled() -> None:
    """As it does in a logging call."""
    try:
        raise Failure(SENTENCE)
    except Failure:
        found, handled = from_exc_info(True), sys.exc_info()
    assert found == handled[1:]


def test_an_exception_that_no_contract_knows_has_no_code() -> None:
    """Nor has it attributes."""
    assert code_of(Failure(SENTENCE), NOTHING) == CodeFacts(None, None, {}, undeclared=False)


def test_a_failure_of_our_own_leaves_the_type_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record with the bare type is worth more than none; a log call never raises."""

    class Broken:
        def exception(self, cls: type) -> None:
            raise ZeroDivisionError(SENTENCE)

    LEDGER.clear()
    error = raised(Failure(SENTENCE))
    bare = ExceptionFacts(f"{HERE}.Failure", chain=(f"{HERE}.Failure",), codes=(None,))
    assert describe(error, error.__traceback__, Broken()) == bare
    monkeypatch.setattr(exceptions, "shown_class", Broken().exception)
    bare = ExceptionFacts("BaseException+", chain=("BaseException+",), codes=(None,))
    assert describe(error, error.__traceback__, Broken()) == bare
    assert LEDGER.failures == {("describe", "ZeroDivisionError"): 3}


def test_a_text_is_let_through_only_by_a_check_that_says_yes() -> None:
    """Without a check no text is; a check that fails or answers otherwise lets none through."""

    def fails(_text: str) -> bool:
        raise RuntimeError(SENTENCE)

    LEDGER.clear()
    found = [message_allowed(SENTENCE)]
    try:
        for check in (lambda text: text == SENTENCE, lambda text: "yes", lambda text: False, fails):
            set_message_check(check)  # type: ignore[arg-type]
            found.append(message_allowed(SENTENCE))
    finally:
        set_message_check(None)
    assert (found, LEDGER.failures) == ([False, True, False, False, False], {("message check", "RuntimeError"): 1})
