"""How texts are made comparable: one definition, which the fast search and the naive one of the tests share.

*Spaced* form of a text: characters that show nothing are dropped (zero-width ones, soft hyphens, controls), then NFKC,
case folding and NFKC again; combining accents that are still there are dropped, dotless i becomes i, and white space
becomes one blank. Repeated until nothing changes.

*Letters* of a text: its spaced form without blanks. *Words*: its spaced form cut at blanks and punctuation; a Chinese,
Japanese, Korean or Thai character and a symbol is a word by itself.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import category, normalize

from discreet.matching.characters import (
    ACCENTS,
    ARE_ACCENTS,
    ARE_SEPARATORS,
    IS_IGNORED,
    IS_WIDE,
    WORDS,
)

__all__ = ["as_text", "letters", "spaced", "weight", "words"]

_DOTLESS_I: Final = "\u0131"
_MANY: Final = 200
_SYMBOLS: Final = 64

_BLANKS: Final = bytes((*range(9, 14), *range(28, 33)))
_CONTROLS: Final = bytes((*range(9), *range(14, 28), 127))
_PUNCTUATION: Final = bytes(code for code in range(128) if not chr(code).isalnum())

_LOWER: Final = bytes(ord(chr(code).lower()) if code < 128 else code for code in range(256))  # noqa: PLR2004 -- ASCII
_WORD_BREAKS: Final = bytes(
    32 if code in _PUNCTUATION and code not in _CONTROLS else _LOWER[code] for code in range(256)
)
_NOT_LETTERS: Final = _BLANKS + _CONTROLS
_NOT_WORDS: Final = _PUNCTUATION

_BEGINS_ESCAPE: Final = frozenset("\\%&+")
_NOT_PLAIN: Final = b"\0"
_PLAIN: Final = bytes(0 if code in b"\\%&+" or not 32 <= code < 127 else _LOWER[code] for code in range(256))  # noqa: PLR2004 -- printable

_HAS_ACCENT: Final = re.compile(f"[{ACCENTS}]")
_CASELESS: Final = (
    "\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\u30fc\uac00-\ud7a3"
    "\u0621-\u063a\u0641-\u064a\u0904-\u0939\u0e01-\u0e2e\u0e30-\u0e32\u0e40-\u0e4e"
)
_CASED: Final = (
    "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u012f\u0134-\u013e\u0141-\u0148\u014a-\u017e"
    "\u0400-\u045f\u0391-\u03a9\u03b1-\u03c9"
)
_COMMON: Final = re.compile(f"[ -~{_CASELESS}{_CASED}]+")
"""Characters that NFKC leaves as they are, alone and beside each other, and that are no separators, or are of ASCII;
most of what people write."""

_UNCOMMON: Final = re.compile(f"[^\x00-\x7f{_CASELESS}{_CASED}]")
_UNSTEADY: Final = re.compile(f"[^\x00-\x7f{_CASELESS}]")
"""What isn't common, or is and may be changed by case folding; ASCII is folded by itself at the end."""

_LATIN_BLANKS: Final = _BLANKS + b"\x85\xa0"
_LATIN_HIDDEN: Final = _CONTROLS + bytes((*range(0x80, 0x85), *range(0x86, 0xA0), 0xAD))
_LATIN_HARD: Final = tuple(
    bytes((ord(one),)) for one in "\u00a8\u00aa\u00af\u00b2\u00b3\u00b4\u00b5\u00b8\u00b9\u00ba\u00bc\u00bd\u00be"
)
"""Characters of Latin-1 of which NFKC makes others."""

_LATIN_LOWER: Final = _LOWER[:128] + "".join(map(chr, range(128, 256))).lower().encode("latin-1")
_LATIN_NOT_LETTERS: Final = _LATIN_BLANKS + _LATIN_HIDDEN
_LATIN_NOT_WORDS: Final = _PUNCTUATION + bytes((*range(0x80, 0xC0), 0xD7, 0xF7))
_SHARP_S: Final = b"\xdf"


def as_text(value: str | bytes | bytearray | memoryview) -> str:
    """Return bytes as text: UTF-16 if they begin with its mark, else UTF-8, else Latin-1.

    No method of a subclass is called.

    .. versionadded:: 0.1.0
    """
    if type(value) is str:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    value = b"".join((value,))
    if value[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return value.decode("utf-16", "replace")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


class _About(NamedTuple):
    """What folding has to know of a character that isn't common."""

    form: str | None
    """What it is replaced by beforehand; None: by nothing else."""

    unsteady: bool
    """Whether folding may leave something that has to be folded again."""

    separators: str
    """The separators outside of ASCII that it becomes."""


@lru_cache(maxsize=8192)
def _about(character: str) -> _About:
    """Return what there is to know of a single character.

    Replacing each character by its own NFKC form changes nothing of the whole text's, and spares NFKC its slow path,
    which a single full-width comma in a text would cause.
    """
    if IS_IGNORED.match(character):
        return _About("", unsteady=False, separators="")
    form = normalize("NFKC", character)
    folded = normalize("NFKC", form.casefold())
    return _About(
        form if form != character else None,
        _DOTLESS_I in form or " " in form or IS_IGNORED.search(form) is not None or bool(_HAS_ACCENT.search(folded)),
        "".join(part for part in folded if not part.isascii() and ARE_SEPARATORS.match(part)),
    )


def _joined_surrogates(text: str) -> str:
    """Join the halves of characters that some program wrote as two."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _with_forms(text: str, forms: dict[str, str]) -> str:
    if len(forms) > _MANY:
        return text.translate({ord(character): form for character, form in forms.items()})
    for character, form in forms.items():
        text = text.replace(character, form)
    return text


def _spaced(text: str) -> tuple[str, set[str]]:
    """Return the spaced form of a text, and the separators outside of ASCII that it has."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = _joined_surrogates(text)
    text = " ".join(text.split())
    while True:
        before = text
        special = {character: _about(character) for character in set(_COMMON.sub("", text))}
        forms = {character: about.form for character, about in special.items() if about.form is not None}
        text = normalize("NFKC", normalize("NFKC", _with_forms(text, forms)).casefold())
        if any(about.unsteady for about in special.values()):
            text = " ".join(ARE_ACCENTS.sub("", text).replace(_DOTLESS_I, "i").split())
            if text != before:
                continue
        elif "" in forms.values():
            text = " ".join(text.split())
        return text, {part for about in special.values() for part in about.separators}


def spaced(text: str) -> str:
    """Return the spaced form of a text.

    .. versionadded:: 0.1.0
    """
    if text.isascii():
        return " ".join(text.encode().translate(_LOWER, _CONTROLS).decode().split())
    return _spaced(text)[0]


def letters(text: str) -> bytes:
    """Return the letters of a text, in UTF-8 (lone surrogates as they are).

    .. versionadded:: 0.1.0
    """
    return letters_and_words(text)[0]


def words(text: str) -> list[str]:
    """Return the words of a text.

    .. versionadded:: 0.1.0
    """
    if text.isascii():
        return text.encode().translate(_WORD_BREAKS, _CONTROLS).decode().split()
    return WORDS.findall(spaced(text))


def joined_words(text: str) -> bytes:
    """Return the words of a text without anything between them, in UTF-8."""
    return letters_and_words(text)[1]


def letters_and_words(text: str) -> tuple[bytes, bytes]:
    """Return the letters of a text, and its words without anything between them, both in UTF-8."""
    if text.isascii():
        folded = text.encode().translate(_LOWER, _NOT_LETTERS)
        # To delete without a table takes half the time.
        return folded, folded.translate(None, _NOT_WORDS)
    return _of_latin(text) or _of_common(text) or _of_any(text)


def plain_letters(text: str) -> bytes | None:
    """Return the letters of a plain text, None if it isn't plain.

    A plain text has printable characters of Latin-1, none of which begins an escape, and each of which is folded by
    itself. So the letters of a piece of it are a piece of its letters, and its words likewise.
    """
    if not text.isascii():
        if not text.isprintable() or not _BEGINS_ESCAPE.isdisjoint(text):
            return None
        both = _of_latin(text)
        return both[0] if both is not None else None
    # For ASCII the same in a fraction of the time.
    folded = text.encode().translate(_PLAIN, b" ")
    return folded if _NOT_PLAIN not in folded else None


def words_of(plain: str) -> bytes:
    """Return the words of a plain text without anything between them."""
    if not plain.isascii():
        return letters_and_words(plain)[1]
    return plain.encode().translate(_LOWER, _NOT_WORDS)


def _of_latin(text: str) -> tuple[bytes, bytes] | None:
    """Do the same for a text that Latin-1 has all characters of, None if it hasn't or NFKC has something to do."""
    try:
        raw = text.encode("latin-1")
    except UnicodeEncodeError:
        return None
    for hard in _LATIN_HARD:
        if hard in raw:
            return None
    folded = raw.translate(_LATIN_LOWER, _LATIN_NOT_LETTERS)
    if _SHARP_S in folded:
        folded = folded.replace(_SHARP_S, b"ss")
    joined = folded.translate(None, _LATIN_NOT_WORDS)
    return folded.decode("latin-1").encode(), joined.decode("latin-1").encode()


def _of_common(text: str) -> tuple[bytes, bytes] | None:
    """Do the same for a text of common characters and separators, None if it has others.

    A character is looked at where it first stands and replaced everywhere, so the whole is one pass over the text and a
    quick one for each kind of punctuation. Nothing that is left composes with anything.
    """
    joined = text
    search, at, symbols = _UNSTEADY, 0, 0
    while (found := search.search(joined, at)) is not None:
        character, at = found[0], found.start()
        if search is _UNSTEADY and _COMMON.match(character):
            search = _UNCOMMON
            continue
        form, unsteady, separators = (" ", False, "") if character.isspace() else _about(character)
        if unsteady:
            return None
        if form is not None:
            if not form.isascii() and not _COMMON.fullmatch(form):
                return None
            text, joined = text.replace(character, form), joined.replace(character, form)
        elif separators == character:
            joined = joined.replace(character, " ")
        else:
            symbols += 1
            if symbols > _SYMBOLS or category(character) != "So":
                return None
            at += 1
    if search is _UNCOMMON:
        text, joined = text.casefold(), joined.casefold()
    return text.encode().translate(_LOWER, _NOT_LETTERS), joined.encode().translate(_LOWER, _NOT_WORDS)


def _of_any(text: str) -> tuple[bytes, bytes]:
    joined, separators = _spaced(text)
    joined = joined.replace(" ", "")
    found = joined.encode("utf-8", "surrogatepass")
    # One pass for each kind of dash or quotation mark costs less than a regular expression that stops at every one.
    for separator in separators:
        joined = joined.replace(separator, "")
    return found, joined.encode("utf-8", "surrogatepass").translate(None, _NOT_WORDS)


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
