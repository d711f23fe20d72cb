"""The texts of a request's body, by its content type: JSON, forms, parts of forms, and plain text."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Sequence
from encodings.aliases import aliases
from typing import Any, Final, NamedTuple

import orjson

from discreet.instrument.fields import MAX_TEXTS, Texts, pairs
from discreet.instrument.parts import media_type, read_head, split_parts

__all__ = ["Body", "read_body", "read_message", "read_piece", "read_together"]

_ENCODINGS: Final = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""zlib's window bits for the content encodings that can be undone, with whatever header the data has."""

_LINES: Final = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"})
_FORM: Final = "application/x-www-form-urlencoded"
_TEXTUAL: Final = re.compile(
    r"|text/.*|.*[/+](?:json|xml|yaml)|application/(?:x-)?(?:yaml|toml|sql|graphql|javascript|octet-stream)"
)
"""Content types of text, or of anything. In others texts may stand between bytes that look like letters."""

_UTF_8: Final = frozenset({"", "utf_8", "ascii"})
_CHARSETS: Final = frozenset({"", "utf_8_sig", *aliases.values()})
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_NO_TEXT: Final = re.compile("[\0-\x08\x0e-\x1a\x1c-\x1f\x7f\N{REPLACEMENT CHARACTER}]")
"""What a text doesn't have: bytes of another encoding, or of a format that is no text."""


class Body(NamedTuple):
    """A body as it came, and what its headers say of it."""

    data: bytes
    content_type: str
    content_encoding: str


def read_body(body: Body, texts: Texts, bound: int) -> None:
    """Read the texts of a whole body; what it has that can't be read makes them incomplete.

    Args:
        body: The body.
        texts: Takes the texts.
        bound: How many bytes an encoded body may have when it is undone.

    .. versionadded:: 0.1.0
    """
    data = body.data
    if _is_encoded(body):
        plain = _decoded(data, body.content_encoding.strip().lower(), bound)
        if plain is None:
            texts.incomplete = True
            return
        data = plain
    kind, parameters = media_type(body.content_type)
    if kind == _FORM:
        _form(data, parameters.get("charset", ""), texts)
    elif kind.startswith("multipart/"):
        _parts(data, parameters.get("boundary", ""), parameters.get("charset", ""), texts)
    else:
        _plain(data, "body", kind, parameters.get("charset", ""), texts)


def read_piece(body: Body, texts: Texts) -> None:
    """Read the texts of a body of which more comes, or is lost: as it came.

    Args:
        body: What has come.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    try:
        # Its last character may be half there.
        codecs.getincrementaldecoder("utf-8")().decode(body.data)
        texts.incomplete = texts.incomplete or _is_encoded(body)
    except UnicodeDecodeError:
        texts.incomplete = True
    texts.found.append(("body", body.data))


def read_message(data: str | bytes, texts: Texts) -> None:
    """Read the texts of a message of a websocket: JSON or plain text.

    Args:
        data: The message.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    _plain(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, "message", "", "", texts)


def read_together(messages: Sequence[str | bytes], texts: Texts) -> None:
    """Read what the texts of messages are together, at each place: a text may come in several, and a name be cut.

    Args:
        messages: One after the other.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    pieces = _Pieces()
    for one in messages:
        read_message(one, pieces)
    places: dict[str, list[str]] = {}
    for place, text in pieces.found:
        places.setdefault(place, []).append(str(text))
    for place, said in places.items():
        if len(said) > 1:
            texts.take(place, "".join(said))


class _Pieces(Texts):
    """All texts, also a single letter."""

    __slots__ = ()

    def take(self, shown: str, text: str) -> None:
        if len(self.found) < MAX_TEXTS:
            self.found.append((shown, text))


def _is_encoded(body: Body) -> bool:
    return body.content_encoding.strip().lower() not in ("", "identity")


def _decoded(data: bytes, encoding: str, bound: int) -> bytes | None:
    window = _ENCODINGS.get(encoding)
    if window is None:
        return None
    plain = b""
    while data:
        # A gzip file may have several members, one after the other.
        undo = zlib.decompressobj(window)
        try:
            plain += undo.decompress(data, bound - len(plain) + 1)
        except zlib.error:
            return None
        if not undo.eof or len(plain) > bound:
            return None
        data = undo.unused_data
    return plain


def _plain(data: bytes, place: str, kind: str, charset: str, texts: Texts) -> None:
    """Read JSON by its values, and anything else that is text as it is."""
    if kind in _LINES:
        for line in data.splitlines():
            if texts.is_full:
                break
            _plain(line, place, "application/json", charset, texts)
        return
    if kind.endswith(("/json", "+json")) or (not kind.startswith("text/") and data.lstrip()[:1] in (b"{", b"[", b'"')):
        found, value = _json(data)
        if found:
            texts.walk(value, place)
            return
    if not _TEXTUAL.fullmatch(kind):
        texts.incomplete = True
    texts.take(place, _text(data, charset, texts))


def _json(data: bytes) -> tuple[bool, Any]:
    try:
        value = orjson.loads(data)
        if _count(value) == sum(1 for _ in _STRING.finditer(data)):
            return True, value
    except orjson.JSONDecodeError:
        pass
    try:
        # Takes what orjson refuses and applications read: NaN, lone surrogates, UTF-16, long numbers.
        return True, json.loads(data, object_pairs_hook=_all_values)
    except (ValueError, RecursionError):
        # The application can't read it either, and the text as it came is looked for.
        return False, None


def _count(value: Any) -> int:
    """Count the strings, with the keys. There are fewer than were written if a key was written twice."""
    count = 0
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if type(one) is str:
            count += 1
        elif type(one) is dict:
            count += len(one)
            waiting.extend(one.values())
        elif type(one) is list:
            waiting.extend(one)
    return count


def _all_values(written: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in written:
        found[key] = [found[key], value] if key in found else value
    return found


def _charset(name: str) -> str | None:
    """Return the name of an encoding as Python writes it, None for one that it doesn't have."""
    normal = name.strip().lower().replace("-", "_").replace(" ", "_")
    # A name that isn't known is remembered by `codecs` for ever, and a client may send any number.
    found = aliases.get(normal, normal)
    return found if found in _CHARSETS else None


def _text(data: bytes, charset: str, texts: Texts) -> str:
    try:
        text = data.decode(_charset(charset) or "utf-8", "replace")
    except (LookupError, ValueError):
        # An encoding of something else than text, or one that takes no replacement.
        text = data.decode("utf-8", "replace")
    # What isn't text has texts that only the application can read: a scanned page, an archive.
    if _NO_TEXT.search(text):
        texts.incomplete = True
    return text


def _form(data: bytes, charset: str, texts: Texts) -> None:
    if _charset(charset) not in _UTF_8:
        # It is the application's choice whether it believes that.
        texts.incomplete = True
    # Frameworks read what isn't ASCII, which no browser sends, as one or the other.
    for written in dict.fromkeys((data.decode("utf-8", "replace"), data.decode("latin-1"))):
        pairs(written, "form", texts)


def _parts(data: bytes, boundary: str, charset: str, texts: Texts) -> None:
    found, whole = split_parts(data, boundary) if boundary else ([], False)
    if not whole or _charset(charset) not in _UTF_8:
        texts.incomplete = True
    if not found:
        _plain(data, "body", "", "", texts)
    for number, (lines, content) in enumerate(found):
        if texts.is_full:
            break
        head = read_head(lines)
        place = texts.key("form", "form", head.name, number)
        for name in head.file_names or ():
            texts.take(place.shown, name)
        if place.true in texts.public:
            continue
        texts.incomplete = texts.incomplete or not head.known
        kind = head.kind
        if kind.endswith(("/json", "+json")) or kind in _LINES or (head.file_names is not None and not kind):
            _plain(content, place.shown, kind, head.charset, texts)
        elif not kind or kind.startswith("text/"):
            # Not every framework believes a part that says what its encoding is.
            if not content.isascii() and _charset(head.charset) not in _UTF_8:
                texts.incomplete = True
            texts.take(place.shown, _text(content, head.charset, texts))
        else:
            texts.incomplete = True
