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
    few_digits,
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
# Longer ones are digests of texts, as anybody can make them: those of MD5 have 32 digits, of SHA-1 40, of SHA-256 64.
_HEX: Final = re.compile(r"(?=[0-9]*+[A-Fa-f])(?:[0-9a-f]{8,16}|[0-9A-F]{8,16})", re.ASCII)
_UUID_HEX: Final = re.compile(
    r"(?:[0-9a-f]{12}[147][0-9a-f]{3}[89ab][0-9a-f]{15}|[0-9A-F]{12}[147][0-9A-F]{3}[89AB][0-9A-F]{15})", re.ASCII
)
# A telephone number has up to fifteen digits, and seldom fewer than ten without a plus sign or a zero in front.
_INTEGER: Final = re.compile(r"[0-9]{1,12}", re.ASCII)
_MAX_INTEGER: Final = 10**12
_LONG_NUMBER: Final = re.compile(r"[0-9]{13}", re.ASCII)
# Digits that stand in a random piece of an identifier are not a number.
_RANDOM: Final = re.compile(r"(?<![A-Za-z0-9])(?=[0-9]*+[a-f][0-9]*+[a-f])[0-9a-f]{16,}(?![A-Za-z0-9])", re.ASCII)
_ULID_PIECE: Final = re.compile(rf"(?<![A-Za-z0-9])(?:{_ULID.pattern})(?![A-Za-z0-9])", re.ASCII)
_PRINTED: Final = re.compile(rf"[!-~]{{1,{MAX_TEXT}}}", re.ASCII)
_BLANKS: Final = b"\0\t\n\r"

# Names in pieces: one long run of letters and digits may be a text in base64.
_PART: Final = r"[A-Za-z0-9]{1,24}+(?:[._-]{1,2}+[A-Za-z0-9]{1,24}+)*+"
# With a digit or exactly one slash: a single word may be any word.
_MODEL: Final = re.compile(
    rf"(?=[^0-9]*+[0-9]|[^/]*+/[^/]*+\Z)(?:accounts/fireworks/models/)?{_PART}(?:/{_PART})?+(?::{_PART})?+", re.ASCII
)
# Of letters that can be a word: a model's size, kind and version have one or two.
_FIVE_WORDS: Final = re.compile(
    r"[^A-Za-z]*+(?:(?:[A-Za-z]{1,2}+(?![A-Za-z])[^A-Za-z]*+)*+[A-Za-z]{3,}+[^A-Za-z]*+){0,5}+"
    r"(?:[A-Za-z]{1,2}+(?![A-Za-z])[^A-Za-z]*+)*+",
    re.ASCII,
)
_MAX_MODEL: Final = 96

_DEVICE: Final = re.compile(
    r"(?:cpu|cuda|mps|xpu|hpu|npu|tpu|xla|hip|rocm|vulkan|meta|auto|disk|gpu)(?::[0-9]{1,3})?",
    re.ASCII,
)

_ENV_NAME: Final = re.compile(r"[A-Z][A-Z0-9_]{0,63}", re.ASCII)
_KEY_ENV: Final = "DISCREET_HMAC_KEY"
_MIN_KEY: Final = 16


class Id(ValueType):
    """A UUID of version 1, 4 or 7, a ULID, 8 to 16 hexadecimal digits, or an integer of at most 12.

    UUIDs of versions 3 and 5 and longer hexadecimal digits are digests of a text without a
    key, so they are withheld; type those `hmac`. So are digits that spell a text.

    Args:
        pattern: A regular expression; what it matches as a whole is let through as well, if
            it is printable ASCII without blanks, and has at most 7 digits in a row outside
            of a ULID and of 16 or more hexadecimal digits.
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
            if _INTEGER.fullmatch(value):
                return value
            if _UUID.fullmatch(value) or _UUID_HEX.fullmatch(value):
                return WITHHELD if _uuid_spells_text(value) else value
            if _ULID.fullmatch(value) and not _LONG_NUMBER.search(value):
                return value
            if _HEX.fullmatch(value) and not _spells_text(value):
                return value
            if self._pattern is not None and _PRINTED.fullmatch(value) and self._pattern.fullmatch(value):
                return value if few_digits(_ULID_PIECE.sub("", _RANDOM.sub("", value))) else WITHHELD
            return WITHHELD
        if type(value) is UUID:
            text = str(value)
            return text if _UUID.fullmatch(text) and not _uuid_spells_text(text) else WITHHELD
        found = integer(value)
        return found if found is not None and -_MAX_INTEGER < found < _MAX_INTEGER else WITHHELD


def _spells_text(digits: str) -> bool:
    if len(digits) % 2:
        return _spells_text(digits[:-1]) or _spells_text(digits[1:])
    data = bytes.fromhex(digits)
    return _is_text(data)


def _is_text(data: bytes) -> bool:
    """Tell whether bytes are a text in UTF-8 or UTF-16, also with a few zeros or an end of a line after it."""
    short = data.replace(b"\0", b"")
    if len(short) * 2 < len(data):
        return False
    try:
        text = short.decode()
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char in "\t\n\r" for char in text)


def _uuid_spells_text(text: str) -> bool:
    """Tell the same of a UUID, some bits of which say its version."""
    data = bytearray.fromhex(text.replace("-", ""))
    # Most others have a byte that no text has.
    if any(byte < 0x20 and byte not in _BLANKS for byte in (*data[:6], data[7], *data[9:])):  # noqa: PLR2004 -- a blank
        return False
    for high in range(16):
        data[6] = high << 4 | data[6] & 0x0F
        for top in range(4):
            data[8] = top << 6 | data[8] & 0x3F
            if _is_text(bytes(data)):
                return True
    return False


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

    It has a digit or one slash, at most five words of three or more letters and, but for a
    date such as ``20241022``, at most seven digits in a row.
    """

    __slots__ = ()
    name = "model_id"
    looked_up = True

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str and len(value) <= _MAX_MODEL and _MODEL.fullmatch(value) and few_words(value):
            return value if _FIVE_WORDS.fullmatch(value) else WITHHELD
        return WITHHELD


class Device(ValueType):
    """A compute device: ``cpu``, ``cuda:0``, ``mps``."""

    __slots__ = ()
    name = "device"

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and _DEVICE.fullmatch(value) else WITHHELD
