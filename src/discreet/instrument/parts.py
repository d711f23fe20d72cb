"""The parts of a form, and the headers that say what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import unquote

__all__ = ["Head", "media_type", "read_head", "split_parts"]

_PARAMETER: Final = re.compile(r';\s*([\w.*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"][^;"]*))')
_ESCAPED: Final = re.compile(r"\\(.)")
_FOLD: Final = re.compile(rb"\r\n(?=[ \t])")
_AS_IT_IS: Final = frozenset({"", "7bit", "8bit", "binary"})
"""Transfer encodings that leave a part as it is. Some frameworks undo others, and some don't."""

_LOST: Final = "\N{REPLACEMENT CHARACTER}"


def media_type(value: str) -> tuple[str, dict[str, str]]:
    """Return a content type without its parameters, in small letters, and the parameters.

    Args:
        value: A header's value, such as ``text/plain; charset=utf-8``.

    .. versionadded:: 0.1.0
    """
    kind, _, _ = value.partition(";")
    return kind.strip().lower(), {name: _ESCAPED.sub(r"\1", text) for name, text in _parameters(value)}


def _parameters(value: str) -> Iterator[tuple[str, str]]:
    for name, quoted, plain in _PARAMETER.findall(value):
        yield name.lower(), quoted or plain.rstrip()


class Head(NamedTuple):
    """What the headers of a part say of it."""

    name: str
    file_names: tuple[str, ...] | None
    """All that a framework may take for the name of the file; None for a part that isn't one."""

    kind: str
    charset: str
    known: bool
    """Whether its headers and its content can be read in no other way than here."""


def read_head(head: bytes) -> Head:
    """Read the headers of a part.

    Args:
        head: The lines before its content.

    .. versionadded:: 0.1.0
    """
    text = _FOLD.sub(b"", head).decode("utf-8", "replace")
    headers = dict(_headers(text))
    disposition = headers.get("content-disposition", "")
    kind, parameters = media_type(headers.get("content-type", ""))
    names: dict[str, None] = {}
    known = _LOST not in text and headers.get("content-transfer-encoding", "").lower() in _AS_IT_IS
    is_file = False
    for key, value in _parameters(disposition):
        if key.partition("*")[0] != "filename":
            continue
        is_file = True
        # A backslash stands before a quote, or it is one of a path, of which some take the last part.
        names |= dict.fromkeys((value, _ESCAPED.sub(r"\1", value)))
        if key != "filename":
            plain = unquote(value.rpartition("'")[2])
            names[plain] = None
            # In pieces, or in another encoding.
            known = known and key == "filename*" and _LOST not in plain
    return Head(
        media_type(disposition)[1].get("name", ""),
        tuple(names) if is_file else None,
        kind,
        parameters.get("charset", ""),
        known,
    )


def split_parts(data: bytes, boundary: str) -> tuple[list[tuple[bytes, bytes]], bool]:
    """Return headers and content of each part, and whether all there is was understood.

    Args:
        data: The body.
        boundary: What stands between the parts.

    .. versionadded:: 0.1.0
    """
    found: list[tuple[bytes, bytes]] = []
    mark = b"\r\n--" + boundary.encode("latin-1", "replace")
    whole = True
    for piece in (b"\r\n" + data).split(mark)[1:]:
        if piece.startswith(b"--"):
            return found, whole
        head, blank, content = piece.partition(b"\r\n\r\n")
        # A longer word that begins as the boundary does is content to some.
        whole = whole and bool(blank) and not head.partition(b"\r\n")[0].strip(b" \t")
        found.append((head, content))
    return found, False


def _headers(head: str) -> Iterator[tuple[str, str]]:
    for line in head.split("\r\n"):
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip().lower(), value.strip()
