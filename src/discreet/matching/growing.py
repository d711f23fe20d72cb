"""The matcher for texts that come bit by bit, such as those of a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from discreet.matching.index import Index, Match, Text

__all__ = ["Growing", "Source"]

Source = Callable[[], Iterable[Text]]
"""Returns texts; called when something is searched for, and again after others were added."""

_Stage = tuple[int, tuple[Source, ...], Index]

_NONE: Final[tuple[_Stage, ...]] = ()


class Growing(Index):
    """Registered texts, to which more are added; a search sees all that were added before it.

    What was made searchable stays so: texts that are added are put together with earlier ones only once they are about
    as many, so that each is made searchable few times, however many come.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_last", "_stages")

    def __init__(self) -> None:
        super().__init__(())
        self.blank = True
        self._stages = _NONE
        self._last: Index | None = None

    def add(self, source: Source, weight: int) -> None:
        """Add texts.

        Args:
            source: Returns them.
            weight: About how many characters they have.

        .. versionadded:: 0.1.0
        """
        stages = list(self._stages)
        sources: tuple[Source, ...] = (source,)
        while stages and stages[-1][0] <= 2 * weight:
            earlier, of_them, _ = stages.pop()
            weight += earlier
            sources = (*of_them, *sources)
        stages.append((weight, sources, Index(_together(sources))))
        self._stages = tuple(stages)

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
        last = self._last
        found = [index for _, _, index in self._stages]
        return found if last is None else [last, *found]

    def clear(self) -> None:
        """Forget all texts.

        .. versionadded:: 0.1.0
        """
        for index in self._all():
            index.clear()
        self._stages, self._last = _NONE, None


def _together(sources: tuple[Source, ...]) -> Source:
    return lambda: [text for source in sources for text in source()]
