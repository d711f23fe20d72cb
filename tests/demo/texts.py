"""The customers' texts of the demo, read apart from the demo's own code, and ways to find them."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

FILE = Path(__file__).parents[2] / "docs" / "examples" / "demo" / "documents.toml"

# Words that no program says by itself: each is enough to give a customer away.
TELLING = (
    "Adebayo anaphylactic Amoxicillin Anselm Bartholomew Bisoprolol Brandt Breslow Echocardiography"
    " Fitzwarren furosemide Halvorsen Ilse Jorunn Kestrel Lindqvist Malin melanoma Oberkirchen"
    " Oluwaseun penicillin Petrel Quarry Renwick Sertraline sentinel Thorvaldsen Tobiah"
).split()


def texts() -> list[str]:
    """Every text in the file: keys and numbers apart, all of it is a customer's."""

    def strings(value: object) -> Iterator[str]:
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            for key, inner in value.items():
                # This one is the demo's own key of a document.
                if key != "document":
                    yield from strings(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from strings(inner)

    return list(strings(tomllib.loads(FILE.read_text(encoding="utf-8"))))


def sentences() -> list[str]:
    return [part for text in texts() for part in re.split(r"(?<=[.?;:])\s+", text) if part]


def pieces(length: int) -> set[str]:
    """All runs of so many characters, white space and case apart."""
    folded = map(fold, texts())
    return {text[at : at + length] for text in folded for at in range(len(text) - length + 1)}


def fold(text: str) -> str:
    return "".join(text.split()).casefold()


def words(text: str) -> set[str]:
    return {word.casefold() for word in re.findall(r"[^\W\d_]{4,}", text)}


def found(wanted: Iterable[str], where: dict[str, str]) -> dict[str, list[str]]:
    """What of `wanted` stands where; empty when nothing does."""
    hits = {name: sorted(want for want in wanted if want in text) for name, text in where.items()}
    return {name: hit for name, hit in hits.items() if hit}
