"""The texts of a request's body, by its content type: JSON, forms, parts of forms, and plain text."""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import orjson

from discreet.instrument.fields import Texts, pairs

__all__ = ["Body", "media_type", "read_body", "read_message"]

_PARAMETER: Final = re.compile(r';\s*([\w.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))')
_ENCODINGS: Final = {"gzip": 47, "x-gzip": 47, "deflate": 47}
"""zlib's window bits for the content encodings that can be undone, with whatever header the data has."""

_LINES: Final = frozenset({"application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"})
_FORM: Final = "application/x-www-form-urlencoded"


class Body(NamedTuple):
    """A body as it came, and what its headers say of it."""

    data: bytes
    content_type: str
    content_encoding: str


def media_type(value: str) -> tuple[str, dict[str, str]]:
    """Return a content type without its parameters, in small letters, and the parameters.

    Args:
        value: A header's value, such as ``text/plain; charset=utf-8``.

    .. versionadded:: 0.1.0
    """
    kind, _, _ = value.partition(";")
    found = {
        name.lower(): re.sub(r"\\(.)", r"\1", quoted) if quoted else plain
        for name, quoted, plain in _PARAMETER.findall(value)
    }
    return kind.strip().lower(), found


def read_body(body: Body, texts: Texts, bound: int) -> None:
    """Read the texts of a whole body; what it has that can't be read makes them incomplete.

    Args:
        body: The body.
        texts: Takes the texts.
        bound: How many bytes an encoded body may have when it is undone.

    .. versionadded:: 0.1.0
    """
    data = body.data
    encoding = body.content_encoding.strip().lower()
    if encoding not in ("", "identity"):
        plain = _decoded(data, encoding, bound)
        if plain is None:
            texts.incomplete = True
            return
        data = plain
    kind, parameters = media_type(body.content_type)
    if kind == _FORM:
        pairs(_text(data, parameters.get("charset", "")), "form", texts)
    elif kind.startswith("multipart/"):
        _parts(data, parameters.get("boundary", ""), texts)
    else:
        _plain(data, "body", kind, parameters.get("charset", ""), texts)


def read_message(data: str | bytes, texts: Texts) -> None:
    """Read the texts of a message of a websocket: JSON or plain text.

    Args:
        data: The message.
        texts: Takes the texts.

    .. versionadded:: 0.1.0
    """
    _plain(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data, "message", "", "", texts)


def _decoded(data: bytes, encoding: str, bound: int) -> bytes | None:
    window = _ENCODINGS.get(encoding)
    if window is None:
        return None
    undo = zlib.decompressobj(window)
    try:
        plain = undo.decompress(data, bound)
    except zlib.error:
        return None
    return plain if undo.eof else None


def _plain(data: bytes, place: str, kind: str, charset: str, texts: Texts) -> None:
    """Read JSON by its values, and anything else that is text as it is."""
    if kind in _LINES:
        for line in data.splitlines():
            _plain(line, place, "application/json", charset, texts)
        return
    if kind.endswith(("/json", "+json")) or (not kind.startswith("text/") and data.lstrip()[:1] in (b"{", b"[", b'"')):
        found, value = _json(data)
        if found:
            texts.walk(value, place)
            return
    text = _text(data, charset)
    # What isn't text has texts that only the application can read: a scanned page, an archive.
    if "\N{REPLACEMENT CHARACTER}" in text or "\0" in text:
        texts.incomplete = True
    texts.take(place, text)


def _json(data: bytes) -> tuple[bool, Any]:
    try:
        return True, orjson.loads(data)
    except orjson.JSONDecodeError:
        pass
    try:
        # Takes what orjson refuses and applications read: NaN, lone surrogates, UTF-16, long numbers.
        return True, json.loads(data)
    except (ValueError, RecursionError):
        # The application can't read it either, and the text as it came is looked for.
        return False, None


def _text(data: bytes, charset: str) -> str:
    try:
        return data.decode(codecs.lookup(charset).name if charset else "utf-8", "replace")
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _parts(data: bytes, boundary: str, texts: Texts) -> None:
    if not boundary:
        texts.incomplete = True
        _plain(data, "body", "", "", texts)
        return
    for head, content in _split(data, b"--" + boundary.encode("latin-1", "replace")):
        headers = dict(_headers(head))
        _, disposition = media_type(headers.get("content-disposition", ""))
        kind, parameters = media_type(headers.get("content-type", ""))
        name = disposition.get("name", "")
        place = texts.key("form", "form", name)
        filename = disposition.get("filename") or disposition.get("filename*")
        if filename is not None:
            texts.take(place.shown, filename)
        if place.true in texts.public:
            continue
        if kind.endswith(("/json", "+json")) or kind in _LINES or (filename is not None and not kind):
            _plain(content, place.shown, kind, parameters.get("charset", ""), texts)
        elif not kind or kind.startswith("text/"):
            texts.take(place.shown, _text(content, parameters.get("charset", "")))
        else:
            texts.incomplete = True


def _split(data: bytes, mark: bytes) -> Iterator[tuple[bytes, bytes]]:
    for piece in (b"\r\n" + data).split(b"\r\n" + mark)[1:]:
        if piece.startswith(b"--"):
            return
        head, _, content = piece.partition(b"\r\n\r\n")
        yield head, content


def _headers(head: bytes) -> Iterator[tuple[str, str]]:
    for line in head.decode("utf-8", "replace").split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip().lower(), value.strip()
