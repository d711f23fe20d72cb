"""How texts are made comparable: one definition, which the fast search and the naive one of the tests share.

*Spaced* form of a text: characters that show nothing are dropped (zero-width ones, soft hyphens, controls), then NFKC,
case folding and NFKC again; combining accents that are still there are dropped, dotless i becomes i, and white space
becomes one blank. Repeated until nothing changes.

*Letters* of a text: its spaced form without blanks. *Words*: its spaced form cut at blanks and punctuation; a Chinese,
Japanese, Korean or Thai character and a symbol is a word by itself.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from discreet.matching.characters import (
    ACCENTS,
    ARE_ACCENTS,
    ARE_SEPARATORS,
    IS_ALONE,
    IS_IGNORED,
    IS_WIDE,
    WORDS,
)

__all__ = ["as_text", "letters", "spaced", "weight", "words"]

_DOTLESS_I: Final = "\u0131"
_MANY: Final = 200

_BLANKS: Final = bytes((*range(9, 14), *range(28, 33)))
_CONTROLS: Final = bytes((*range(9), *range(14, 28), 127))
_PUNCTUATION: Final = bytes(code for code in range(128) if not chr(code).isalnum())

_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))  # noqa: PLR2004 -- ASCII
_WORD_BREAKS: Final = bytes(
    32 if code in _PUNCTUATION and code not in _CONTROLS else _LOWER[code] for code in range(256)
)
_NOT_LETTERS: Final = _BLANKS + _CONTROLS
_NOT_WORDS: Final = _PUNCTUATION

_HAS_ACCENT: Final = re.compile(f"[{ACCENTS}]")
_CHARACTERS: Final[set[str]] = set()
"""Characters that were found to need no replacement; single characters, which tell nothing of a text."""


def as_text(value: str | bytes) -> str:
    """Return bytes as text: UTF-16 if they begin with its mark, else UTF-8, else Latin-1.

    .. versionadded:: 0.1.0
    """
    if isinstance(value, str):
        return value
    if value[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return value.decode("utf-16", "replace")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def _replaced(character: str) -> str | None:
    """Return what a single character is replaced by beforehand, None if it is left as it is.

    Replacing each character by its own NFKC form changes nothing of the whole text's, and spares NFKC its slow path,
    which a single full-width comma in a text would cause.
    """
    if IS_IGNORED.match(character):
        return ""
    form = normalize("NFKC", character)
    folded = form.casefold()
    return form if form != character or character == _DOTLESS_I or _HAS_ACCENT.search(folded) else None


def _joined_surrogates(text: str) -> str:
    """Join the halves of characters that some program wrote as two."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass") if text else text


def _odd(text: str) -> dict[str, str]:
    """Return the characters of a text that are replaced beforehand or may leave something to drop."""
    odd = {}
    for character in set(text).difference(_CHARACTERS):
        form = _replaced(character)
        if form is None:
            _CHARACTERS.add(character)
        else:
            odd[character] = form
    return odd


def _folded(text: str) -> str:
    return normalize("NFKC", normalize("NFKC", text).casefold())


def _with_forms(text: str, odd: dict[str, str]) -> str:
    if len(odd) > _MANY:
        return text.translate({ord(character): form for character, form in odd.items()})
    for character, form in odd.items():
        text = text.replace(character, form)
    return text


def spaced(text: str) -> str:
    """Return the spaced form of a text.

    .. versionadded:: 0.1.0
    """
    if text.isascii():
        return " ".join(text.encode().translate(_LOWER, _CONTROLS).decode().split())
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _joined_surrogates(text)
    text = " ".join(text.split())
    while odd := _odd(text):
        before = text
        text = _folded(_with_forms(text, odd))
        text = " ".join(ARE_ACCENTS.sub("", text).replace(_DOTLESS_I, "i").split())
        if text == before:
            return text
    return _folded(text)


def letters(text: str) -> bytes:
    """Return the letters of a text, in UTF-8 (lone surrogates as they are).

    .. versionadded:: 0.1.0
    """
    if text.isascii():
        return text.encode().translate(_LOWER, _NOT_LETTERS)
    return spaced(text).replace(" ", "").encode("utf-8", "surrogatepass")


def words(text: str) -> list[str]:
    """Return the words of a text.

    .. versionadded:: 0.1.0
    """
    if text.isascii():
        return text.encode().translate(_WORD_BREAKS, _CONTROLS).decode().split()
    return WORDS.findall(spaced(text))


def joined_words(text: str) -> bytes:
    """Return the words of a text without anything between them, in UTF-8."""
    if text.isascii():
        return text.encode().translate(_LOWER, _NOT_WORDS)
    return ARE_SEPARATORS.sub("", spaced(text)).encode("utf-8", "surrogatepass")


def stands_alone(text: str) -> bool:
    """Tell whether a text has a character that is a word by itself."""
    return not text.isascii() and IS_ALONE.search(text) is not None


def decoded(folded: bytes) -> str:
    """Return folded bytes as text again."""
    return folded.decode("utf-8", "surrogatepass")


def weight(text: str) -> int:
    """Return how many characters a text counts as: wide ones count 2.

    .. versionadded:: 0.1.0
    """
    return len(text) if text.isascii() else len(text) + len(IS_WIDE.findall(text))


def weight_of_bytes(folded: bytes) -> int:
    """Return the weight of folded bytes that hold whole characters."""
    return len(folded) if folded.isascii() else weight(decoded(folded))
