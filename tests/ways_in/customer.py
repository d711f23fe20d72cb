"""What the customers of these tests write, and ways to find it again."""

from __future__ import annotations

import base64
import re
from urllib.parse import quote, quote_plus

SENTENCES = (
    "May my nephew Caspian keep the beehives behind the old rectory?",
    "The lodger in flat nine burned lavender until the plaster blistered",
    "Please tell nobody that Marguerite pawned her mother's accordion",
    "Which ointment did the farrier give Peregrine for his swollen wrist?",
)

# Words of the sentences that no program says by itself: each is enough to give a customer away.
TELLING = (
    "Caspian beehives rectory lodger lavender plaster blistered Marguerite pawned accordion ointment farrier Peregrine"
    " swollen"
).split()

# A request that has a sentence in its path, another in its query and a third in its body.
NOTE = f"/notes/{quote(SENTENCES[0])}?q={quote(SENTENCES[1])}"
FAILING = f"/fail?q={quote(SENTENCES[3])}"
UNKNOWN = f"/{quote(SENTENCES[2])}?q={quote(SENTENCES[0])}"
BODY = SENTENCES[2]


def found_in(*texts: str) -> list[str]:
    """Return every sentence and telling word that stands in a text, as it is or written another way."""
    whole = "\n".join(texts)
    # Escapes of JSON, URLs and Python leave letters as they are, so one search for words sees through them.
    words = [word for word in TELLING if word.casefold() in whole.casefold()]
    encoded = base64.b64encode
    sentences = [
        sentence
        for sentence in SENTENCES
        if sentence in whole
        or quote(sentence) in whole
        or quote_plus(sentence) in whole
        or encoded(sentence.encode()).decode() in whole
        or re.sub(r"\W", "", sentence) in re.sub(r"\W", "", whole)
    ]
    return sentences + words
