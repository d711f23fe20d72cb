"""Ids of requests: taken over from a client if they are safe, else made."""

from __future__ import annotations

import re
from typing import Final
from uuid import uuid4

from discreet.errors import ConfigurationError
from discreet.seal.types import WITHHELD
from discreet.seal.types.ids import Id

__all__ = ["IdShape", "checked_header", "new_id", "safe_id"]


class IdShape(Id):
    """The type `id` without its look into the texts of the running call, which may just be being read.

    .. versionadded:: 0.1.0
    """

    __slots__ = ()
    looked_up = False


_ID: Final = Id()
_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]{0,63}", re.ASCII)


def checked_header(name: str | None) -> str | None:
    """Return the name of a header, None if there is to be none.

    Args:
        name: What somebody configured.

    Raises:
        ConfigurationError: It is no name of a header.

    .. versionadded:: 0.1.0
    """
    if name is None:
        return None
    if type(name) is not str or not _HEADER.fullmatch(name):
        raise ConfigurationError(
            "must be the name of a header", place="request_id_header", remedy="Write it as X-Request-ID, or None."
        )
    return name


def safe_id(value: str | None) -> str | None:
    """Return an id as it may go out, None if it isn't of the type `id`, or agrees with a text of the running call.

    Args:
        value: What a client sent.

    .. versionadded:: 0.1.0
    """
    found = _ID.safe(value)
    return found if found is not WITHHELD and type(found) is str else None


def new_id() -> str:
    """Return a new id: a UUID of version 4.

    .. versionadded:: 0.1.0
    """
    # Not looked at: whatever a random number may spell, nobody wrote it.
    return str(uuid4())
