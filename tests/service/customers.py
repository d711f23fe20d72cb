"""What the customers of the help desk write, the requests that carry it, and ways to find it again."""

from __future__ import annotations

from itertools import cycle
from typing import Any
from urllib.parse import quote

SENTENCES = (
    "Does the ferryman still owe Wilhelmina for the cracked porcelain?",
    "Grandfather buried the tobacco tin beneath the third gooseberry bush",
    "Our upstairs neighbour Zebedee practises the trombone past midnight!",
    "Is it normal that my left eyelid twitches after the quinine tonic?",
    "The notary lost Ottoline's christening photograph in the flood",
    "Can Leopold claim the orchard if the hedgerow was never surveyed?",
    "Since the funeral my daughter sleepwalks and hums lullabies!",
    "How long may unpasteurised buttermilk stand in the scullery?",
    "Bartholomew's stepmother gambled away the vineyard on a Thursday",
    "Why does the piano tuner refuse to enter the conservatory?",
    "The veterinarian said the mastiff swallowed a thimble!",
    "Hildegard wants the apothecary's ledger back before Michaelmas",
)
PEOPLE = ("Wilhelmina Astridsdottir", "Zebedee Pennyfeather", "Leopold van Ruysdael")
TELLING = (
    "ferryman Wilhelmina porcelain tobacco gooseberry Zebedee trombone eyelid quinine tonic notary Ottoline christening"
    " photograph Leopold orchard hedgerow surveyed funeral sleepwalks lullabies unpasteurised buttermilk scullery"
    " Bartholomew stepmother gambled vineyard piano conservatory veterinarian mastiff thimble Hildegard apothecary"
    " Michaelmas Astridsdottir Pennyfeather Ruysdael"
).split()

Asked = tuple[str, str, Any]


def requests() -> list[Asked]:
    """Return the sixty requests: method, target and body, in rounds of every kind."""
    texts, people = cycle(SENTENCES), cycle(PEOPLE)
    found: list[Asked] = []
    while len(found) < 60:
        one, two, person = next(texts), next(texts), next(people)
        found += [
            ("POST", "/questions", {"text": one, "person": person, "urgency": 2}),
            ("POST", "/questions", {"text": one, "person": person}),
            ("GET", f"/questions/{quote(two)}", None),
            ("GET", f"/questions/1?note={quote(two)}", None),
            ("GET", f"/search?q={quote(one[:20])}", None),
            ("GET", f"/search?q={quote(one)}", None),
            ("GET", f"/answers/{quote(one)}?person={quote(person)}", None),
            ("POST", "/questions", {"text": two, "urgency": one}),
            ("DELETE", f"/people/{quote(person)}", None),
            ("GET", f"/{quote(two)}/{quote(person)}", None),
            ("GET", f"/count?reason={quote(one)}", None),
        ]
    return found[:60]


FAILING: Asked = ("GET", f"/search?q={quote(SENTENCES[6])}", None)
"""The search whose ranking fails: the second service refuses it, and the first answers that."""


def found_in(text: str) -> list[str]:
    """Return every telling word of a customer that stands in a text, however it is escaped."""
    # JSON, URLs, Python's repr and SQL leave the letters of a word as they are.
    folded = text.casefold()
    return [word for word in TELLING if word.casefold() in folded]
