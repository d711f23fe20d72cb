"""Exceptions that a generator makes, with texts wherever an exception can hold one."""

from __future__ import annotations

import pickle
import traceback as tracebacks
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.contract import active
from discreet.seal.exceptions import ExceptionFacts, code_of, describe, from_exc_info
from discreet.seal.standin import stand_in

MARK = "Zqxj"
BASES = (ValueError, KeyError, OSError, RuntimeError, UnicodeError, LookupError, SystemExit, SyntaxError)
PLACES = ("code", "status_code", "errno", "param", "lineno", "name", "filename", "response", "service", "__notes__")


@dataclass
class Plan:
    """What to make: the same plan is followed twice, with other texts."""

    base: type[BaseException] = ValueError
    own_class: str | None = None
    args: int = 1
    attributes: list[str] = field(default_factory=list)
    notes: int = 0
    raised: bool = False
    generated: bool = False
    cause: Plan | None = None
    context: Plan | None = None
    suppressed: bool = False
    members: list[Plan] = field(default_factory=list)


def plans(behind: st.SearchStrategy[Plan] | None = None) -> st.SearchStrategy[Plan]:
    optional = st.none() if behind is None else st.none() | behind
    return st.builds(
        Plan,
        base=st.sampled_from(BASES),
        own_class=st.sampled_from([None, "name", "module", "qualname", "all"]),
        args=st.integers(0, 3),
        attributes=st.lists(st.sampled_from(PLACES), max_size=3),
        notes=st.integers(0, 2),
        raised=st.booleans(),
        generated=st.booleans(),
        cause=optional,
        context=optional,
        suppressed=st.booleans(),
        members=st.just([]) if behind is None else st.lists(behind, max_size=3),
    )


class Texts:
    """Gives out the texts of one world, in order."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts
        self.given = 0

    def next(self) -> str:
        self.given += 1
        return f"{MARK}{self.texts[self.given % len(self.texts)]}"

    def name(self) -> str:
        return "".join(letter for letter in self.next() if letter.isascii() and letter.isalnum())


def make(plan: Plan, texts: Texts) -> BaseException:
    cls: type[BaseException] = plan.base
    members = [make(one, texts) for one in plan.members]
    if members:
        cls = BaseExceptionGroup
    if plan.own_class is not None:
        body = {
            "__module__": texts.next() if plan.own_class in ("module", "all") else __name__,
            "__qualname__": texts.next() if plan.own_class in ("qualname", "all") else "Plan",
            "code": texts.next(),
        }
        cls = type(texts.name(), (cls,), body)
    args = (texts.next(), members) if members else tuple(texts.next() for _ in range(plan.args))
    error = cls.__new__(cls, *args)
    if not members:
        BaseException.args.__set__(error, args)  # type: ignore[attr-defined]
    for name in plan.attributes:
        vars(error)[name] = [texts.next()] if name == "__notes__" else texts.next()
    for _ in range(plan.notes):
        error.add_note(texts.next())
    if plan.raised:
        thrown(error, texts.name() if plan.generated else None)
    error.__cause__ = make(plan.cause, texts) if plan.cause else None
    error.__context__ = make(plan.context, texts) if plan.context else None
    error.__suppress_context__ = plan.suppressed
    return error


def thrown(error: BaseException, name: str | None) -> None:
    namespace = {"error": error, "__name__": name}
    try:
        if name is None:
            raise error
        exec(compile(f"def {name}():\n  raise error\n{name}()", f"{name}.py", "exec"), namespace)
    except BaseException:  # thrown for its traceback
        pass


def rendered(error: BaseException) -> tuple[ExceptionFacts, str, str, bytes]:
    """Return all that can come out of an exception by any of our ways."""
    found, traceback = from_exc_info(error)
    assert found is error
    stand = stand_in(error, traceback)
    pickled = pickle.dumps(stand[1])
    again = "".join(tracebacks.format_exception(pickle.loads(pickled)))
    printed = "".join(tracebacks.format_exception(*stand))
    assert again == printed
    return describe(error, traceback, active()), repr(code_of(error, active())), printed, pickled


@settings(max_examples=150, deadline=None)
@given(
    plan=st.recursive(plans(), plans, max_leaves=6),
    first=st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=8),
    second=st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=8),
)
def test_no_text_of_an_exception_comes_out(plan: Plan, first: list[str], second: list[str]) -> None:
    """Not a piece of it, and not even that it was another text."""
    one = rendered(make(plan, Texts(first)))
    other = rendered(make(plan, Texts(second)))
    assert MARK not in repr(one)
    assert MARK.encode() not in one[3]
    assert one == other
