"""What a value may be a written form of: JSON, repr, percent, form, HTML, backslash-x, quoted-printable, base64.

A value is searched as it is and in every reading of it. A reading may have readings itself (JSON within a URL).
"""

from __future__ import annotations

import base64
import binascii
import html
import quopri
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final
from urllib.parse import unquote

__all__ = ["may_be_encoded", "readings"]

_DEPTH: Final = 4
_MOST: Final = 24

_BACKSLASH: Final = re.compile(
    r"""(?P<bytes>(?:\\x[0-9A-Fa-f]{2}|\\[0-3][0-7]{2})+)
    | (?P<halves>(?:\\u[0-9A-Fa-f]{4})+)
    | \\u\{(?P<braced>[0-9A-Fa-f]{1,6})\}
    | \\U(?P<long>[0-9A-Fa-f]{8})
    | \\(?P<one>[^xuU])""",
    re.VERBOSE | re.DOTALL,
)
_ONE_BYTE: Final = re.compile(r"\\x([0-9A-Fa-f]{2})|\\([0-3][0-7]{2})")
_ONE_LETTER: Final = dict(zip("nrtfvba0e", "\n\r\t\f\v\b\a\0\x1b", strict=True))
_LAST_CHARACTER: Final = 0x10FFFF

_PERCENT: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_PERCENT_U: Final = re.compile(r"%u([0-9A-Fa-f]{4})")
# In quoted-printable an ASCII character other than `=` is escaped only at the end of a line. Without that condition
# every `status=200` and `id=8f3c` of a log would be read as one.
_QUOTED: Final = re.compile(r"=(?:[C-F][0-9A-F](?:=[89AB][0-9A-F]|(?![0-9A-F]))|3D|(?:20|09)?\r?\n)")
_QUOTED_HINT: Final = re.compile(r"=(?:[C-F?]|3D)")
_ENCODED_WORD: Final = re.compile(r"=\?[\w-]+\?[Qq]\?([^?]*)\?=")
_STRAY: Final = re.compile("[\udc80-\udcff]")
_STRAY_AS_LATIN_1: Final = 0xDC00
_OTHER_HALVES: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_COLOUR: Final = re.compile(r"\x1b\[[0-9;:]*[A-Za-z]")

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{22,}(?:\r?\n[A-Za-z0-9+/_-]+)*")
_BASE64_WHOLE: Final = re.compile(r"\s*([A-Za-z0-9+/_-]{6,})={0,2}\s*")
_BASE64_MAP: Final = bytes(97 if chr(code).isalnum() or code in b"+/_-" else 32 for code in range(128)) + bytes(128)
_BASE64_LONG: Final = b"a" * 22
_HEXADECIMAL: Final = re.compile(r"[0-9A-Fa-f+]+")  # Ids and UUIDs; no text becomes only these.
_TEXT: Final = re.compile(
    rb"(?:[\t\n\r -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}){8,}"
)
_TO_STANDARD: Final = str.maketrans("-_", "+/", "\r\n")


def readings(value: str, *, base64: bool = True) -> list[str]:
    """Return a value and what it may be a written form of, the value itself first.

    Args:
        value: The text as it stands in a record.
        base64: Whether to undo base64 too.

    .. versionadded:: 0.1.0
    """
    found = [value]
    if not _may_be_written(value, base64=base64):
        return found
    seen = {value}
    layer = [value]
    for _ in range(_DEPTH):
        deeper: list[str] = []
        for text in layer:
            for reading in _undone(text, base64=base64):
                if reading not in seen and len(found) < _MOST:
                    seen.add(reading)
                    found.append(reading)
                    deeper.append(reading)
        layer = deeper
        if not layer:
            break
    return found


def may_be_encoded(text: str) -> bool:
    """Tell whether a plain text can have a reading: all begin with an escape but for two kinds."""
    if len(text) >= len(_BASE64_LONG) and text.lower() == text:
        # All that is looked for otherwise has letters of upper case.
        return "=?" in text
    return ("=" in text and _may_be_quoted(text)) or (
        # Short base64 counts only as a whole.
        (len(text) >= len(_BASE64_LONG) or " " not in text) and _has_base64(text)
    )


def _may_be_written(text: str, *, base64: bool) -> bool:
    """Tell whether a text can have a reading; most have none, so this is quick."""
    return (
        "\\" in text
        or "%" in text
        or "&" in text
        or "+" in text
        or "\x1b" in text
        or ("=" in text and _may_be_quoted(text))
        or (base64 and _has_base64(text))
        or (not text.isascii() and _has_stray_bytes(text))
    )


def _may_be_quoted(text: str) -> bool:
    return _QUOTED_HINT.search(text) is not None or ("\n" in text and _QUOTED.search(text) is not None)


def _has_base64(text: str) -> bool:
    if len(text) < len(_BASE64_LONG):
        # Shorter ones count only as a whole.
        return text.isascii() and " " not in text and _BASE64_WHOLE.fullmatch(text) is not None
    if text.lower() == text:
        # Base64 of a text of 16 characters has letters of both cases; ids, paths and plain messages often haven't.
        # This way costs a tenth of `islower`.
        return False
    mapped = (text.encode() if text.isascii() else text.encode("ascii", "replace")).translate(_BASE64_MAP)
    return _BASE64_LONG in mapped


def _has_stray_bytes(text: str) -> bool:
    try:
        # Most texts have no surrogate, and this is the quickest way to know.
        text.encode()
    except UnicodeEncodeError:
        return _STRAY.search(text) is not None
    return False


def _undone(text: str, *, base64: bool) -> Iterator[str]:
    if "\\" in text:
        yield _BACKSLASH.sub(_unescaped, text)
    if "%" in text and (_PERCENT.search(text) or _PERCENT_U.search(text)):
        yield unquote(_PERCENT_U.sub(lambda found: chr(int(found[1], 16)), text).replace("+", " "))
        if "+" in text:
            yield unquote(text)
    elif "+" in text:
        yield text.replace("+", " ")
    if "&" in text:
        yield html.unescape(text)
    if "=?" in text:
        yield _ENCODED_WORD.sub(lambda found: _from_quoted(found[1].replace("_", " ")), text)
    if "=" in text and _QUOTED.search(text):
        yield _from_quoted(text)
    if "\x1b" in text:
        yield _COLOUR.sub("", text)
    if not text.isascii() and _has_stray_bytes(text):
        # `os.fsdecode` and `errors="surrogateescape"` keep undecodable bytes so; other surrogates are no bytes.
        yield _OTHER_HALVES.sub("", text).encode("utf-8", "surrogateescape").decode("utf-8", "ignore")
        yield _STRAY.sub(lambda found: chr(ord(found[0]) - _STRAY_AS_LATIN_1), text)
    if base64 and _has_base64(text):
        yield from _from_base64(text)


def _unescaped(found: re.Match[str]) -> str:
    if run := found["bytes"]:
        raw = bytes(int(hexa, 16) if hexa else int(octal, 8) for hexa, octal in _ONE_BYTE.findall(run))
        # `\xc3\xa4` are the bytes of one character to a program that writes bytes, two characters to `repr`. The
        # first reading counts where it is possible: as two characters they would be gibberish.
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return raw.decode("latin-1")
    if run := found["halves"]:
        return bytes.fromhex(run.replace("\\u", "")).decode("utf-16-be", "surrogatepass")
    if code := found["braced"] or found["long"]:
        number = int(code, 16)
        return chr(number) if number <= _LAST_CHARACTER else found[0]
    return _ONE_LETTER.get(found["one"], found["one"])


def _from_quoted(text: str) -> str:
    raw = quopri.decodestring(text.encode("utf-8", "surrogatepass"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _decoded(run: str) -> bytes:
    whole = run[: len(run) - (1 if len(run) % 4 == 1 else 0)]
    try:
        return base64.b64decode(whole + "=" * (-len(whole) % 4))
    except binascii.Error:
        return b""


def _from_base64(text: str) -> Iterator[str]:
    whole = _BASE64_WHOLE.fullmatch(text)
    if whole is not None:
        # Most identifiers have base64's alphabet and hold no text.
        with suppress(UnicodeDecodeError):
            yield _decoded(whole[1].translate(_TO_STANDARD)).decode("utf-8")
    decoded: list[str] = []
    for found in _BASE64.finditer(text):
        run = found[0].translate(_TO_STANDARD)
        if run.islower() or run.isupper() or _HEXADECIMAL.fullmatch(run):
            continue
        # The run may begin before the encoded text does (`/path/QUJD`), so all four alignments are read.
        for offset in range(4):
            decoded += [part.decode("utf-8", "ignore") for part in _TEXT.findall(_decoded(run[offset:]))]
    # One reading for all of them: a line may have many ids that look like base64.
    if decoded:
        yield "\n".join(decoded)
