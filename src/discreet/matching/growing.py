"""The matcher for texts that come bit by bit, such as those of a request and the replies of a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from discreet.forks import ForkSafeLock
from discreet.matching.index import Index, Match, Text

__all__ = ["Growing", "Source"]

Source = Callable[[], Iterable[Text]]
"""Returns texts; called when something is searched for, and again after others were added."""

_Stage = tuple[int, tuple[Source, ...], Index]

_NONE: Final[tuple[_Stage, ...]] = ()
_PORTIONS: Final = 8
_adding: Final = ForkSafeLock()
"""Held while texts are added to any: two threads would each lose what the other adds."""


class Growing(Index):
    """Registered texts, to which more are added; a search sees all that were added before it.

    What was made searchable stays so: texts that are added are put together with earlier ones only once they are about
    as many, so that each is made searchable few times, however many come.

    Args:
        most: How many times texts are added before the oldest are forgotten, in portions of an eighth of them; None
            for any number of times.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_last", "_portion", "_stages")

    def __init__(self, most: int | None = None) -> None:
        super().__init__(())
        self.blank = True
        self._portion = None if most is None else most // _PORTIONS
        self._stages = _NONE
        self._last: Index | None = None

    @property
    def kept(self) -> int:
        """How many times texts were added that aren't forgotten."""
        return sum(len(sources) for _, sources, _ in self._stages)

    def add(self, source: Source, weight: int) -> None:
        """Add texts.

        Args:
            source: Returns them.
            weight: About how many characters they have.

        .. versionadded:: 0.1.0
        """
        portion = self._portion
        with _adding:
            stages = list(self._stages)
            sources: tuple[Source, ...] = (source,)
            while stages and stages[-1][0] <= 2 * weight:
                earlier, of_them, _ = stages[-1]
                if portion is not None and len(of_them) + len(sources) > portion:
                    # What is put together is forgotten together.
                    break
                weight += earlier
                sources = (*of_them, *sources)
                stages.pop()
            stages.append((weight, sources, Index(_together(sources))))
            self._stages = tuple(stages)
            while portion is not None and self.kept > portion * _PORTIONS:
                self._stages = self._stages[1:]

    def put(self, source: Source) -> None:
        """Put texts in the place of those that were put there before.

        Args:
            source: Returns them.

        .. versionadded:: 0.1.0
        """
        self._last = Index(source)

    def find(
        self, value: str | bytes | bytearray | memoryview, *, inside: bool = True, written: bool = True
    ) -> Match | None:
        """Return where a value agrees with a registered text, as :meth:`Index.find` does.

        Args:
            value: The value as it would go out.
            inside: Whether a value that is itself a part of a text counts, however short.
            written: Whether to undo escapes and encodings too.

        .. versionadded:: 0.1.0
        """
        for index in self._all():
            match = index.find(value, inside=inside, written=written)
            if match is not None:
                return match
        return None

    def find_part(self, value: str) -> Match | None:
        """Return where a value agrees with a registered text, as :meth:`Index.find_part` does.

        Args:
            value: The value as it would go out.

        .. versionadded:: 0.1.0
        """
        for index in self._all():
            match = index.find_part(value)
            if match is not None:
                return match
        return None

    def lacks(self, value: str, parts: Sequence[str]) -> bool:
        """Tell whether surely nothing is found, as :meth:`Index.lacks` does.

        Args:
            value: The value as it would go out.
            parts: The values in it.

        .. versionadded:: 0.1.0
        """
        return all(index.lacks(value, parts) for index in self._all())

    def _all(self) -> list[Index]:
        # What was put in the place of others is the body of a request, of which most is said.
        last, later = self._last, self.later
        found = [index for _, _, index in self._stages]
        if later is not None:
            found.append(later)
        return found if last is None else [last, *found]

    def clear(self) -> None:
        """Forget all texts.

        .. versionadded:: 0.1.0
        """
        for index in self._all():
            index.clear()
        self._stages, self._last, self.later, self.partial = _NONE, None, None, True


def _together(sources: tuple[Source, ...]) -> Source:
    return lambda: [text for source in sources for text in source()]
