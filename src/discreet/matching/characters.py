"""Classes of characters that matching tells apart, as parts of regular expressions.

They are written out, so that a text matches the same way under every release of Python and its Unicode tables.
"""

from __future__ import annotations

import re
from typing import Final

__all__: list[str] = []

IGNORED: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"
)
"""What shows nothing: zero-width characters, soft hyphens, variation selectors and the rest of Unicode's
Default_Ignorable_Code_Point, and the control characters that are no white space."""

ACCENTS: Final = "\u0300-\u034e\u0350-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
"""Combining marks of no one script; those that compose with their letter are part of it when this is asked."""

WIDE: Final = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa\u30fc-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U0001aff0-\U0001b16f\U00020000-\U0003fffd"
)
"""Chinese characters, kana, bopomofo and Hangul: one of them says about as much as two letters."""

ALONE: Final = WIDE + (
    "\u0e01-\u0e2e\u0e30-\u0e4e\u0e50-\u0e59\u0e5c-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17d3\u17d7-\u17ff\u1950-\u19df\u1a20-\u1aad"
    "\u20a0-\u20cf\u2100-\u2bff\ua9e0-\ua9ff\uaa60-\uaadf\U0001f000-\U0001fbff"
)
"""What a word may begin and end at: the wide ones, scripts written without spaces (Thai, Lao, Tibetan, Burmese, Khmer),
and symbols such as emoji."""

SEPARATORS: Final = (
    "\x00-/:-@\\[-`{-\x7f\u0080-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7\u02b9-\u02df"
    "\u037e\u0387\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05c6\u05f3\u05f4\u0600-\u060f\u061b-\u061f"
    "\u066a-\u066d\u06d4\u0964\u0965\u0970\u0e2f\u0e4f\u0e5a\u0e5b\u10fb\u1360-\u1368\u1400\u166e\u1680"
    "\u16eb-\u16ed\u1735\u1736\u17d4-\u17d6\u1800-\u180a\u2000-\u206f\u2e00-\u2e7f\u3000-\u3004\u3008-\u3020"
    "\u3030\u303d-\u303f\u30a0\u30fb\ufe10-\ufe1f\ufe30-\ufe6f\ufffd"
)
"""Punctuation and white space: what stands between words."""

IS_IGNORED: Final = re.compile(f"[{IGNORED}]")
IS_WIDE: Final = re.compile(f"[{WIDE}]")
ARE_SEPARATORS: Final = re.compile(f"[{SEPARATORS}]+")
ARE_ACCENTS: Final = re.compile(f"[{ACCENTS}]+")
WORDS: Final = re.compile(f"[{ALONE}]|[^{ALONE}{SEPARATORS}]+")
"""A word: one character that stands alone, or a run of others that no separator interrupts."""
