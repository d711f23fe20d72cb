"""Types whose values are identifiers: of requests, of models, of devices, and keyed digests."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Mapping
from typing import Final
from uuid import UUID

from discreet.seal.types.base import (
    MAX_TEXT,
    WITHHELD,
    Scalar,
    ValueType,
    Withheld,
    few_words,
    integer,
    regular_expression,
)

__all__ = ["Device", "Id", "KeyedDigest", "ModelId"]

_UUID: Final = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-[147][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    re.ASCII | re.IGNORECASE,
)
# A ULID's first ten characters are milliseconds: "01" from 2004 until 2039.
_ULID: Final = re.compile(r"01[0-9A-HJKMNP-TV-Z]{24}|01[0-9a-hjkmnp-tv-z]{24}", re.ASCII)
_HEX: Final = re.compile(r"(?:[0-9a-f]{8,64}|[0-9A-F]{8,64})", re.ASCII)
_INTEGER: Final = re.compile(r"[0-9]{1,20}", re.ASCII)
_PRINTED: Final = re.compile(rf"[!-~]{{1,{MAX_TEXT}}}", re.ASCII)
_UUID_VERSIONS: Final = frozenset({1, 4, 7})
_TEXT_BYTES: Final = 8

# Names in pieces: one long run of letters and digits may be a text in base64.
_PART: Final = r"[A-Za-z0-9]{1,24}+(?:[._-]{1,2}+[A-Za-z0-9]{1,24}+)*+"
# With a digit or exactly one slash: a single word may be any word.
_MODEL: Final = re.compile(rf"(?=[^0-9]*+[0-9]|[^/]*+/[^/]*+\Z){_PART}(?:/{_PART}){{0,3}}+(?::{_PART})?+", re.ASCII)
_MAX_MODEL: Final = 96

_DEVICE: Final = re.compile(
    r"(?:cpu|cuda|mps|xpu|hpu|npu|tpu|xla|hip|rocm|vulkan|meta|auto|disk|gpu)(?::[0-9]{1,3})?",
    re.ASCII,
)

_ENV_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}", re.ASCII)
_KEY_ENV: Final = "DISCREET_HMAC_KEY"
_MIN_KEY: Final = 16


class Id(ValueType):
    """A UUID of version 1, 4 or 7, a ULID, 8 to 64 hexadecimal digits, or an integer.

    UUIDs of versions 3 and 5 are digests of a name without a key, so they are withheld; so
    are hexadecimal digits that spell a text.

    Args:
        pattern: A regular expression; what it matches as a whole is let through as well, if
            it is printable ASCII without blanks.
    """

    __slots__ = ("_pattern", "wide")
    name = "id"
    looked_up = True

    def __init__(self, pattern: str | None = None) -> None:
        self._pattern = None if pattern is None else regular_expression(pattern)
        self.wide = pattern is not None
        self.options = () if pattern is None else (("pattern", pattern),)

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `pattern`, which may be left out."""
        cls.refuse_options(options, "pattern")
        pattern = options.get("pattern")
        if pattern is not None and type(pattern) is not str:
            raise ValueError("the option pattern is a regular expression, a text")
        return cls(pattern)

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str:
            if _UUID.fullmatch(value) or _ULID.fullmatch(value) or _INTEGER.fullmatch(value):
                return value
            if _HEX.fullmatch(value) and not _spells_text(value):
                return value
            if self._pattern is not None and _PRINTED.fullmatch(value):
                return value if self._pattern.fullmatch(value) else WITHHELD
            return WITHHELD
        if type(value) is UUID:
            text = str(value)
            return text if _UUID.fullmatch(text) else WITHHELD
        found = integer(value)
        return WITHHELD if found is None else found


def _spells_text(digits: str) -> bool:
    if len(digits) % 2:
        digits = digits[:-1]
    data = bytes.fromhex(digits)
    return len(data) >= _TEXT_BYTES and all(0x20 <= byte < 0x7F for byte in data)  # noqa: PLR2004 -- printable ASCII


class KeyedDigest(ValueType):
    """The first 16 bytes of an HMAC-SHA256, as hexadecimal digits.

    Equal values can be told from different ones, and nothing else, by whoever hasn't the
    key. Without a key of at least 16 bytes in the environment everything is withheld.

    Args:
        key_env: The environment variable that holds the key.
    """

    __slots__ = ("_key_env",)
    name = "hmac"

    def __init__(self, key_env: str = _KEY_ENV) -> None:
        self._key_env = key_env
        self.options = () if key_env == _KEY_ENV else (("key_env", key_env),)

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `key_env`, which may be left out."""
        cls.refuse_options(options, "key_env")
        name = options.get("key_env", _KEY_ENV)
        if type(name) is not str or not _ENV_NAME.fullmatch(name):
            raise ValueError("key_env is the name of an environment variable, in capitals")
        return cls(name)

    def _read(self, value: object) -> Scalar | Withheld:
        key = os.environ.get(self._key_env, "").encode("utf-8", "surrogateescape")
        if len(key) < _MIN_KEY:
            return WITHHELD
        if type(value) is str:
            data = value.encode("utf-8", "surrogatepass")
        elif type(value) is bytes:
            data = value
        elif type(value) is int or type(value) is UUID:
            data = str(value).encode()
        else:
            return WITHHELD
        return hmac.new(key, data, hashlib.sha256).hexdigest()[:32]


class ModelId(ValueType):
    """The name of a model as hubs and providers write it: ``org/name-7b``, ``gpt-4o``.

    It has a digit or one slash, few words, and is no path from a root.
    """

    __slots__ = ()
    name = "model_id"
    looked_up = True

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str and len(value) <= _MAX_MODEL and _MODEL.fullmatch(value) and few_words(value):
            return value
        return WITHHELD


class Device(ValueType):
    """A compute device: ``cpu``, ``cuda:0``, ``mps``."""

    __slots__ = ()
    name = "device"

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and _DEVICE.fullmatch(value) else WITHHELD
