"""The texts of the running call: what is taken, how long it stays, where it is handed to."""

from __future__ import annotations

import gc
import threading
from collections import deque
from dataclasses import dataclass

import pytest

import discreet.scope
from discreet.errors import InvalidInputError
from discreet.scope import current, customer_text

QUESTION = "Where is the key of the boat house?"
CHUNK = "The key hangs behind the door, so says Anna Smith."


@dataclass
class Chunk:
    text: str | None = None
    content: object = None
    score: float = 0.5


class Page:
    def __init__(self, page_content: object) -> None:
        self.page_content = page_content


class Loud(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError

    __repr__ = __str__


def test_there_is_no_scope_outside_of_a_call() -> None:
    """And none any more after it."""
    before = current()
    with customer_text(question=QUESTION) as scope:
        inside = current()

    assert (before, inside, current(), scope.closed) == (None, scope, None, True)


class Lying(bytes):
    """As none that means well; what it is made of counts."""

    def __bytes__(self) -> bytes:
        return b"nothing"


@pytest.mark.parametrize(
    ("value", "places"),
    [
        (QUESTION, ["it"]),
        (QUESTION.encode(), ["it"]),
        (bytearray(QUESTION, "utf-8"), ["it"]),
        (memoryview(QUESTION.encode()), ["it"]),
        (memoryview(QUESTION.encode())[::1], ["it"]),
        (Lying(QUESTION.encode()), ["it"]),
        ({f"Anna asked: {QUESTION}": 7, "score": 0.5}, ["it[0]"]),
        (Loud(QUESTION), ["it"]),
        (None, []),
        ([], []),
        (["a", QUESTION, None], ["it[0]", "it[1]"]),
        ((["a"], [QUESTION]), ["it[0][0]", "it[1][0]"]),
        (deque([QUESTION]), ["it[0]"]),
        (frozenset({QUESTION}), ["it[0]"]),
        (Chunk(text=QUESTION), ["it"]),
        (Chunk(content=[{"type": "text", "text": QUESTION}]), ["it[0][0]", "it[0].text"]),
        (Chunk(), []),
        ([Page(QUESTION), Page({"title": "a", "score": 0.5})], ["it[0]", "it[1].title"]),
        ({"question": QUESTION, "Who is Anna?": ["b"], "n": 1}, ["it.question", "it[1]", "it[1][0]"]),
        (
            {"documents": [{"content": QUESTION, "metadata": {"title": "a"}}]},
            ["it[0][0].content", "it[0][0].metadata.title"],
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_texts_are_taken_from_what_holds_them(value: object, places: list[str]) -> None:
    """Each with its place; keys that a customer may have written are told by their number."""
    with customer_text(it=value) as scope:
        assert list(scope.places) == places
        found = scope.find(f"No answer for {QUESTION}")

    assert (found is not None) == bool(places)


def endless() -> list[object]:
    made: list[object] = []
    made.append(made)
    return made


class Failing:
    @property
    def text(self) -> str:
        raise RuntimeError(QUESTION)


@pytest.mark.parametrize(
    ("value", "place"),
    [
        (5, "it"),
        (["a", 0.5], "it[1]"),
        (object(), "it"),
        ({"a": [object()]}, "it[0][0]"),
        ((part for part in [QUESTION]), "it"),
        (iter([QUESTION]), "it"),
        (Chunk, "it"),
        (Failing(), "it"),
        (endless(), "it" + "[0]" * 17),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_text_is_refused_with_its_place(value: object, place: str) -> None:
    """The message has no text, and no scope is left open."""
    with pytest.raises(InvalidInputError) as caught, customer_text(question=QUESTION, it=value):
        pass

    assert (caught.value.param, current()) == (place, None)
    assert QUESTION not in str(caught.value)


def test_a_text_without_a_name_is_refused() -> None:
    """Words of the call are names of parameters, which only a decorator has; a text isn't quoted in the message."""
    with pytest.raises(InvalidInputError, match=r"^parameters\[0\]: a text needs a name"), customer_text(QUESTION):
        pass
    with pytest.raises(InvalidInputError, match=r"^texts: the name"), customer_text(**{QUESTION: "a"}):
        pass


def test_scopes_inside_one_another_add_up() -> None:
    """The inner one is asked first; the outer one is whole again after it."""
    with customer_text(question=QUESTION) as outer:
        with customer_text(chunks=["a", CHUNK]) as inner:
            places = [inner.find(value).place for value in (QUESTION, CHUNK)]  # type: ignore[union-attr]
            both = inner.places
        after = (current(), outer.find(CHUNK), outer.find(QUESTION).place)  # type: ignore[union-attr]

    assert (places, both) == (["question", "chunks[1]"], ("question", "chunks[0]", "chunks[1]"))
    assert after == (outer, None, "question")


def test_scopes_may_end_in_another_order() -> None:
    """As streams do that are read in turns."""
    first, second = customer_text(question=QUESTION), customer_text(chunk=CHUNK)
    first.__enter__()
    inner = second.__enter__()
    first.__exit__(None, None, None)
    between = (current(), inner.find(QUESTION), inner.find(CHUNK))
    second.__exit__(None, None, None)

    assert between[:2] == (inner, None)
    assert between[2] is not None
    assert current() is None


def test_one_context_manager_may_be_entered_more_than_once() -> None:
    """Each time is a scope of its own."""
    texts = customer_text(question=QUESTION)
    with texts as first, texts as second:
        different = first is not second
    with texts as third:
        found = third.find(QUESTION)

    assert different
    assert found is not None
    assert [scope.closed for scope in (first, second, third)] == [True, True, True]


def test_nothing_is_searched_through_before_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that logs nothing pays for the collecting alone."""
    made: list[object] = []
    monkeypatch.setattr("discreet.matching.index.letters_and_words", lambda text: made.append(text) or (b"", b""))
    with customer_text(question=QUESTION) as scope:
        before = list(made)
        scope.find("a value")

    assert (before, made) == ([], [QUESTION, "a value"])


def _copies(mark: str) -> list[object]:
    gc.collect()
    return [
        found
        for holder in gc.get_objects()
        # By their types: to ask for the class of a lazy object of somebody's would make it.
        if issubclass(type(holder), (dict, list, tuple, set, discreet.matching.Index))
        for found in gc.get_referents(holder)
        if (type(found) is str and mark in found) or (type(found) is bytes and mark.encode() in found)
    ]


def test_nothing_of_a_text_outlives_its_scope() -> None:
    """Neither the text nor a folded form of it, although a task may hold the scope itself."""
    mark = "zq" + "xj" * 2 + str(len(CHUNK))
    text = f"The {mark} hangs behind the door of the boat house."
    kept = []
    with customer_text(question=text, chunks=[Chunk(text=text)]) as scope:
        kept.append(scope)
        assert scope.find(f"no {mark}") is None
        assert scope.find(text.upper()) is not None
        assert scope.find(mark) is not None
        for number in range(40):
            scope.find(f"value {number}")
        during = len(_copies(mark))
    del text
    after = [found for found in _copies(mark) if found != mark]

    assert during > 3
    assert (after, kept[0].find("The boat house"), current()) == ([], None, None)


def test_a_thread_has_the_scope_by_carry_alone() -> None:
    """A plain thread begins without; so does a thread of a pool."""
    seen: list[object] = []
    with customer_text(question=QUESTION) as scope:
        carried = discreet.scope.carry(lambda: seen.append(current()))
        threads = [threading.Thread(target=target) for target in (carried, lambda: seen.append(current()))]
        for thread in threads:
            thread.start()
            thread.join()
        carried()
        mine = current()
    late = threading.Thread(target=carried)
    late.start()
    late.join()

    assert seen == [scope, None, scope, None]
    assert mine is scope


def test_carry_outside_of_a_scope_gives_the_function_itself() -> None:
    """There is nothing to carry."""
    assert discreet.scope.carry(len) is len
