"""A folder of notes, to be asked questions."""

from __future__ import annotations

import json
import logging
import os
import re
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Self

from pilotbook.errors import ConfigurationError, InternalError, InvalidInputError, UpstreamError
from pilotbook.results import Answer, Quote, ResultWarning
from pilotbook.thesaurus import Thesaurus

__all__ = ["Book"]

log: Final = logging.getLogger(__name__)
# The one logger for text of customers, at DEBUG only.
content: Final = logging.getLogger("pilotbook.content")

MOST_WORDS: Final = 16
_COMMON: Final = frozenset({"and", "are", "for", "that", "the", "was", "what", "when", "where", "who"})


class Book:
    """A folder of notes, to be asked questions.

    Args:
        quotes: Its passages.
        warnings: What its notes lack.
        thesaurus: Where to ask for other words.
    """

    def __init__(
        self,
        quotes: Iterable[Quote],
        warnings: Iterable[ResultWarning] = (),
        *,
        thesaurus: Thesaurus | None = None,
    ) -> None:
        self.warnings = tuple(warnings)
        self._thesaurus = thesaurus
        self._passages = [(quote, _words(quote.text)) for quote in quotes]

    @classmethod
    def open(cls, folder: str | os.PathLike[str], *, thesaurus: Thesaurus | None = None) -> Self:
        """Read the notes of a folder, each a file `*.txt` in UTF-8.

        Raises:
            ConfigurationError: `not_readable`: the folder or a note can't be read; `no_notes`: it has none.
        """
        started = time.perf_counter()
        quotes: list[Quote] = []
        skipped = 0
        try:
            files = sorted(path for path in Path(folder).iterdir() if path.suffix == ".txt")
            for number, file in enumerate(files):
                try:
                    text = file.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    skipped += 1
                    continue
                quotes += [Quote(number, part.strip()) for part in text.split("\n\n") if part.strip()]
        except OSError as error:
            raise ConfigurationError("can't be read", setting="folder", code="not_readable") from error
        if not quotes:
            raise ConfigurationError("has no note with text in it", setting="folder", code="no_notes")
        warnings = []
        if skipped:
            log.warning(
                "Notes left out, since they are not in UTF-8: %d",
                skipped,
                extra={"event": "fallback_used", "warning_code": "note_skipped", "count": skipped},
            )
            warnings.append(ResultWarning("note_skipped", f"Notes that are not in UTF-8: {skipped}"))
        duration_ms = (time.perf_counter() - started) * 1000
        log.info(
            "Notes loaded: %d, with %d passages, in %.1f ms",
            len(files) - skipped,
            len(quotes),
            duration_ms,
            extra={
                "event": "notes_loaded",
                "notes": len(files) - skipped,
                "passages": len(quotes),
                "duration_ms": duration_ms,
            },
        )
        return cls(quotes, warnings, thesaurus=thesaurus)

    @classmethod
    def load(cls, file: str | os.PathLike[str], *, thesaurus: Thesaurus | None = None) -> Self:
        """Read what `save` wrote.

        Raises:
            ConfigurationError: `not_readable`: the file can't be read.
            InternalError: `index_broken`: it isn't what `save` writes.
        """
        try:
            rows = json.loads(Path(file).read_bytes())
            quotes = [Quote(int(note), str(text)) for note, text in rows]
        except OSError as error:
            raise ConfigurationError("can't be read", setting="index", code="not_readable") from error
        except (TypeError, ValueError) as error:
            raise InternalError("The index is not as it was saved; delete it", code="index_broken") from error
        return cls(quotes, thesaurus=thesaurus)

    def save(self, file: str | os.PathLike[str]) -> None:
        """Write the passages to a file, so that the next start need not read the notes."""
        rows = [(quote.note, quote.text) for quote, _ in self._passages]
        Path(file).write_text(json.dumps(rows), encoding="utf-8")

    def ask(self, question: str, *, top_k: int = 3) -> Answer:
        """Return the passages that have most words of a question.

        Args:
            question: The question; 16 of its words count at most.
            top_k: How many passages to return at most.

        Raises:
            InvalidInputError: `invalid_value`: `top_k` is below 1; `empty_question`: no word to search for.
            ConfigurationError: The thesaurus refuses the key or the request.
        """
        if top_k < 1:
            raise InvalidInputError("must be 1 or more", param="top_k", code="invalid_value")
        asked = _words(question)
        if not asked:
            raise InvalidInputError("has no word to search for", param="question", code="empty_question")
        content.debug("Question: %s", question)
        warnings: list[ResultWarning] = []
        words = frozenset(sorted(asked)[:MOST_WORDS])
        if len(asked) > MOST_WORDS:
            left_out = len(asked) - MOST_WORDS
            log.warning(
                "Words of a question left out: %d",
                left_out,
                extra={"event": "fallback_used", "warning_code": "question_shortened", "count": 1},
            )
            warnings.append(ResultWarning("question_shortened", f"Words left out: {left_out}"))
        words |= self._synonyms(words, warnings)
        ranked = sorted(self._passages, key=lambda passage: -len(passage[1] & words))
        quotes = tuple(quote for quote, has in ranked[:top_k] if has & words)
        log.debug(
            "Passages found: %d, for %d words",
            len(quotes),
            len(words),
            extra={"event": "search_finished", "quotes": len(quotes)},
        )
        for quote in quotes:
            content.debug("Quote of note %d: %s", quote.note, quote.text)
        return Answer(quotes, tuple(warnings))

    def _synonyms(self, words: frozenset[str], warnings: list[ResultWarning]) -> frozenset[str]:
        if self._thesaurus is None:
            return frozenset()
        try:
            return self._thesaurus.synonyms(words)
        except UpstreamError as error:
            # Not with `exc_info`: what the service says, the cause of this error, may quote the question.
            log.warning(
                "The thesaurus failed, so only the words of the question count",
                extra={
                    "event": "fallback_used",
                    "warning_code": "synonyms_unavailable",
                    "error_code": error.code,
                    "count": 1,
                },
            )
            warnings.append(ResultWarning("synonyms_unavailable", "Only the words of the question count"))
            return frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w{3,}", text.casefold())) - _COMMON
