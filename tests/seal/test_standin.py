from __future__ import annotations

import copy
import os
import pickle
import subprocess
import sys
import traceback as tracebacks
from types import TracebackType

import pytest

from discreet.contract import Registry
from discreet.export.ledger import LEDGER
from discreet.seal import standin
from discreet.seal.exceptions import describe
from discreet.seal.standin import stand_in

HERE = __name__
FILE = f"{__name__.replace('.', '/')}.py"
SENTENCE = "she said the baby would be called Rowan"


class Failure(Exception):
    pass


class InputFailure(Failure, ValueError):
    pass


class Ask(SystemExit):
    pass


class Batch(ExceptionGroup[Exception]):
    pass


def raised(error: BaseException, behind: BaseException | None = None) -> BaseException:
    try:
        raise error from behind
    except BaseException as caught:
        return caught


def stood(error: BaseException) -> BaseException:
    return stand_in(error, error.__traceback__)[1]


def shape(error: BaseException | None) -> object:
    """Return all there is to see of an exception."""
    if error is None:
        return None
    kind = type(error)
    return {
        "name": (kind.__module__, kind.__qualname__, kind.__name__),
        "text": (str(error), error.args, getattr(error, "__notes__", [])),
        "frames": [(*key[:3], line) for key, line in frames_of(error.__traceback__)],
        "cause": shape(error.__cause__),
        "context": shape(error.__context__),
        "suppressed": error.__suppress_context__,
        "in it": [shape(one) for one in error.exceptions] if isinstance(error, BaseExceptionGroup) else [],
    }


def frames_of(step: TracebackType | None) -> list[tuple[tuple[str, str, str], int]]:
    found = []
    while step is not None:
        code = step.tb_frame.f_code
        found.append(((code.co_filename, code.co_qualname, step.tb_frame.f_globals["__name__"]), step.tb_lineno))
        step = step.tb_next
    return found


def bare(name: str, module: str = "builtins", **more: object) -> dict[str, object]:
    """Return the shape of a stand-in with nothing but a name, and what the test adds."""
    short = name.rpartition(".")[2]
    empty = {"frames": [], "cause": None, "context": None, "suppressed": False, "in it": []}
    return {"name": (module, name, short), "text": ("", (), []), **empty, **more}


def test_a_stand_in_has_name_chain_and_frames_and_nothing_else() -> None:
    """It comes as a triple of class, exception and traceback, for `exc_info`."""
    inner = raised(KeyError(SENTENCE))
    inner.add_note(SENTENCE)
    error = raised(InputFailure(SENTENCE, {SENTENCE: 1}), inner)
    error.name = SENTENCE  # type: ignore[attr-defined]
    cls, found, traceback = stand_in(error, error.__traceback__)
    lines = [one.__traceback__.tb_lineno for one in (error, inner)]  # type: ignore[union-attr]
    frames = [[(f"<{FILE}>", "raised", HERE, line)] for line in lines]
    assert shape(found) == bare(
        "InputFailure",
        HERE,
        frames=frames[0],
        suppressed=True,
        cause=bare("KeyError", frames=frames[1], suppressed=True),
    )
    assert (type(found), found.__traceback__, vars(found), repr(found)) == (cls, traceback, {}, "InputFailure()")


def test_a_printed_stand_in_shows_where_and_what_and_no_text() -> None:
    """No source line is found for its frames, and none is underlined."""
    error = raised(Failure(SENTENCE))
    line = error.__traceback__.tb_lineno  # type: ignore[union-attr]
    assert "".join(tracebacks.format_exception(*stand_in(error, error.__traceback__))) == (
        f'Traceback (most recent call last):\n  File "<{FILE}>", line {line}, in raised\n{HERE}.Failure\n'
    )


def test_a_context_is_kept_unless_it_is_suppressed() -> None:
    """With the flag, so that a traceback says what it said."""
    outer = Failure(SENTENCE)
    outer.__context__ = KeyError(SENTENCE)
    suppressed = Failure(SENTENCE)
    suppressed.__context__ = KeyError(SENTENCE)
    suppressed.__suppress_context__ = True
    both = Failure(SENTENCE)
    both.__cause__, both.__context__ = TypeError(SENTENCE), KeyError(SENTENCE)
    both.__suppress_context__ = False
    assert [shape(stood(one)) for one in (outer, suppressed, both)] == [
        bare("Failure", HERE, context=bare("KeyError")),
        bare("Failure", HERE, suppressed=True),
        bare("Failure", HERE, context=bare("KeyError"), cause=bare("TypeError")),
    ]


def test_a_class_that_isn_t_proven_is_stood_for_by_its_nearest_base() -> None:
    """Its own name, which may be a text, is not taken over."""
    made = type(SENTENCE, (InputFailure,), {"__module__": SENTENCE})
    assert shape(stood(made(SENTENCE))) == bare("InputFailure", HERE)
    assert describe(stood(made(SENTENCE)), None, Registry()).type == f"{HERE}.InputFailure+"


@pytest.mark.parametrize(
    ("error", "base"),
    [
        (Failure(), Exception),
        (InputFailure(), ValueError),
        (Ask(3), SystemExit),
        (FileNotFoundError(2, SENTENCE), FileNotFoundError),
        (UnicodeDecodeError("utf-8", b"x", 0, 1, SENTENCE), UnicodeDecodeError),
        (SyntaxError(SENTENCE, ("file", 1, 1, SENTENCE)), SyntaxError),
        (ImportError(SENTENCE, name=SENTENCE), ImportError),
        (StopIteration(SENTENCE), StopIteration),
        (KeyboardInterrupt(), KeyboardInterrupt),
        (Batch(SENTENCE, [ValueError()]), ExceptionGroup),
        (BaseExceptionGroup(SENTENCE, [KeyboardInterrupt()]), BaseExceptionGroup),
    ],
)
def test_a_stand_in_is_an_instance_of_the_same_built_in_exception(error: BaseException, base: type) -> None:
    """Tools that leave out exceptions by class go on doing so; printing it is safe."""
    found = stood(error)
    assert (isinstance(found, base), type(found).__name__) == (True, type(error).__name__)
    assert SENTENCE not in "".join(tracebacks.format_exception(found)) + repr(found) + str(found)


def test_a_group_holds_stand_ins_of_what_is_in_it() -> None:
    """A class derived from a group too; a group of exceptions stays one."""
    group = Batch(SENTENCE, [KeyError(SENTENCE), ExceptionGroup(SENTENCE, [raised(Failure(SENTENCE))])])
    found = stood(group)
    line = group.exceptions[1].exceptions[0].__traceback__.tb_lineno  # type: ignore[attr-defined]
    leaf = bare("Failure", HERE, frames=[(f"<{FILE}>", "raised", HERE, line)], suppressed=True)
    inner = {**bare("ExceptionGroup"), "in it": [leaf]}
    assert shape(found) == {**bare("Batch", HERE), "in it": [bare("KeyError"), inner]}


def test_stand_ins_are_bounded() -> None:
    """A wide group, a deep one, a long chain, a circle; what is left out of a group is said."""
    wide = ExceptionGroup("", [ValueError(str(n)) for n in range(10_000)])
    deep: Exception = ValueError()
    for _ in range(150):
        deep = ExceptionGroup("", [deep])
    many = ExceptionGroup("", [ExceptionGroup("", [ValueError() for _ in range(30)]) for _ in range(30)])
    chain = ValueError()
    for _ in range(500):
        outer = ValueError()
        outer.__context__ = chain
        chain = outer
    circle = KeyError()
    circle.__cause__ = circle
    assert [count(stood(one)) for one in (wide, deep, many, chain, circle)] == [33, 21, 100, 21, 1]
    assert stood(wide).__notes__ == ["9968 more left out"]
    once_more = stood(stood(wide))
    assert (once_more.__notes__, count(once_more)) == (["9968 more left out"], 33)
    innermost = stood(deep)
    while isinstance(innermost, BaseExceptionGroup):
        innermost = innermost.exceptions[0]
    assert shape(innermost) == bare("ExceptionGroup"), "a group that may hold nothing stands as an exception"


def count(error: BaseException | None) -> int:
    if error is None:
        return 0
    inside = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
    return 1 + count(error.__cause__) + count(error.__context__) + sum(map(count, inside))


def test_classes_of_stand_ins_are_made_once() -> None:
    """For each name and base; an exception's class that goes away doesn't keep its stand-in's."""
    made = [type("Passing", (Failure,), {})() for _ in range(3)]
    assert len({type(stood(one)) for one in (*made, stood(made[0]))}) == 1
    assert type(stood(Failure())) is not type(stood(made[0]))


def test_a_stand_in_that_was_raised_again_is_cleaned() -> None:
    """Whoever raises it hangs the real frames on it, and maybe a real exception."""
    found = stood(Failure(SENTENCE))
    try:
        try:
            raise KeyError(SENTENCE)
        except KeyError:
            raise found  # noqa: B904  # the context is what is tested
    except Exception as error:
        again, pickled = stood(error), pickle.loads(pickle.dumps(error))
        lines = [one.__traceback__.tb_lineno for one in (error, error.__context__)]  # type: ignore[union-attr]
    here = [(f"<{FILE}>", "test_a_stand_in_that_was_raised_again_is_cleaned", HERE, line) for line in lines]
    expected = bare("Failure", HERE, frames=here[:1], context=bare("KeyError", frames=here[1:]))
    assert [shape(one) for one in (again, pickled)] == [expected] * 2
    globals_of = [one.__traceback__.tb_frame.f_globals for one in (again, again.__context__)]  # type: ignore[union-attr]
    assert globals_of == [{"__name__": HERE}] * 2


def test_a_stand_in_can_be_pickled_and_copied() -> None:
    """With chain, flags, groups and frames; ordinary exceptions lose most of that."""
    group = Batch(SENTENCE, [raised(InputFailure(SENTENCE), KeyError(SENTENCE)), *map(OSError, range(30))])
    error = raised(Failure(SENTENCE), group)
    error.__context__, error.__suppress_context__ = raised(Ask(SENTENCE)), False
    found = stood(error)
    copies = [pickle.loads(pickle.dumps(found, protocol)) for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]
    copies += [copy.copy(found), copy.deepcopy(found)]
    assert [shape(one) for one in copies] == [shape(found)] * len(copies)
    assert [describe(one, one.__traceback__, Registry()) for one in copies] == [
        describe(error, error.__traceback__, Registry())
    ] * len(copies)
    assert SENTENCE.encode() not in pickle.dumps(found)


def test_the_class_of_a_stand_in_can_be_pickled_too() -> None:
    """Tools that send a record to a thread or process of their own pickle type and value; loguru drops it else."""
    found = stood(raised(Failure(SENTENCE)))
    group = stood(raised(Batch(SENTENCE, [KeyError(SENTENCE)])))
    for one in (found, group):
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            kind, copied = pickle.loads(pickle.dumps((type(one), one), protocol))
            assert kind is type(copied) is type(one)
    assert copy.deepcopy(type(found)) is type(found)


def test_a_pickle_is_read_where_nobody_knows_the_class() -> None:
    """As in the process that a queue or a socket leads to, which needs only this package."""
    group = Batch(SENTENCE, [raised(InputFailure(SENTENCE)), KeyError(SENTENCE)])
    found = stood(raised(group))
    program = (
        "import pickle, sys, traceback\n"
        "found = pickle.load(sys.stdin.buffer)\n"
        f"assert {HERE!r} not in sys.modules\n"
        "print(''.join(traceback.format_exception(found)), end='')"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))}
    run = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(found), capture_output=True, check=True, env=environment
    )
    assert run.stdout.decode() == "".join(tracebacks.format_exception(found))


def test_a_long_traceback_keeps_its_ends() -> None:
    """A gap is a frame of its own, whose line is the number of frames left out."""

    def recurse(n: int) -> None:
        if n == 0:
            raise RecursionError(SENTENCE)
        recurse(n - 1)

    try:
        recurse(700)
    except RecursionError as error:
        found = stood(error)
    frames = frames_of(found.__traceback__)
    gap = (("<frames left out>", "<frames left out>", "<frames left out>"), 662)
    assert (len(frames), frames[10], frames.count(gap)) == (41, gap, 1)


def test_a_failure_leaves_an_empty_exception_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The handler gets an exception all the same; a log call never raises."""

    def fails(*_args: object) -> None:
        raise ZeroDivisionError(SENTENCE)

    LEDGER.clear()
    monkeypatch.setattr(standin, "steps", fails)
    error = raised(Failure(SENTENCE))
    cls, found, traceback = stand_in(error, error.__traceback__)
    assert (cls, found.args, traceback) == (Exception, (), None)
    assert LEDGER.failures == {("stand_in", "ZeroDivisionError"): 1}
