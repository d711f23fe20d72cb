"""The matcher's rules written down as plainly as possible, for the fast one to be compared with."""

from __future__ import annotations

from unicodedata import normalize

from discreet.matching.characters import ARE_ACCENTS, IS_IGNORED, IS_WIDE, WORDS
from discreet.matching.readings import readings


def weight(text: str) -> int:
    return sum(2 if IS_WIDE.match(character) else 1 for character in text)


def spaced(text: str) -> str:
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    while True:
        before = text
        text = " ".join(IS_IGNORED.sub("", text).split())
        text = normalize("NFKC", normalize("NFKC", text).casefold())
        text = ARE_ACCENTS.sub("", text).replace("ı", "i")
        if text == before:
            return text


def letters(text: str) -> str:
    return spaced(text).replace(" ", "")


def words(text: str) -> list[str]:
    return WORDS.findall(spaced(text))


def windows(text: str, needed: int) -> set[str]:
    """The shortest pieces from each character that count so much."""
    found = set()
    for start in range(len(text)):
        end, counted = start, 0
        while counted < needed and end < len(text):
            counted += weight(text[end])
            end += 1
        if counted >= needed:
            found.add(text[start:end])
    return found


def shares(text: str, value: str) -> bool:
    return not windows(letters(text), 24).isdisjoint(windows(letters(value), 24))


def has_edge(text: str, value: str) -> bool:
    whole, searched = letters(text), letters(value)
    if weight(whole) < 16:
        return False
    head = next(whole[:end] for end in range(len(whole) + 1) if weight(whole[:end]) >= 16)
    tail = next(whole[start:] for start in range(len(whole), -1, -1) if weight(whole[start:]) >= 16)
    return head in searched or tail in searched


def stands_in(short: str, long: str, least: int) -> bool:
    """Whether the words of one make up consecutive words of the other, cut differently or not."""
    wanted, found = words(short), words(long)
    joined = "".join(wanted)
    if weight(joined) < least:
        return False
    return any(
        "".join(found[start:end]) == joined and _digits(found[start:end]) == _digits(wanted)
        for start in range(len(found))
        for end in range(start + 1, len(found) + 1)
    )


def _digits(parts: list[str]) -> list[int]:
    """Where one word ends with an ASCII digit and the next begins with one."""
    return [
        len("".join(parts[: number + 1]))
        for number in range(len(parts) - 1)
        if parts[number][-1] in "0123456789" and parts[number + 1][0] in "0123456789"
    ]


def is_whole(text: str, value: str) -> bool:
    return 8 <= weight(letters(text)) < 16 and stands_in(text, value, 8)


def matches(texts: list[str], value: str) -> set[str]:
    """The rules that hold, for the value in any reading and the texts in any but base64."""
    found = set()
    for text in [view for one in texts for view in readings(one, base64=False)]:
        for reading in readings(value):
            found |= {
                name
                for name, holds in (
                    ("shared", shares(text, reading)),
                    ("edge", has_edge(text, reading)),
                    ("inside", stands_in(reading, text, 4)),
                    ("whole", is_whole(text, reading)),
                )
                if holds
            }
    return found
