"""Texts to register and values to look up, made anew from a seed; none of the values was made from the texts."""

from __future__ import annotations

import ast
import random
import sysconfig
import uuid
from collections.abc import Iterator
from pathlib import Path

CHUNK = 2000

NOUNS = [
    "harbour",
    "lantern",
    "rope",
    "captain",
    "ledger",
    "tide",
    "anchor",
    "cabin",
    "storm",
    "island",
    "letter",
    "window",
    "kitchen",
    "carpet",
    "deposit",
    "landlord",
    "garden",
    "bridge",
    "river",
    "market",
    "baker",
    "violin",
    "teacher",
    "winter",
    "journey",
    "ticket",
    "station",
    "engine",
    "doctor",
    "patient",
    "medicine",
    "contract",
    "insurance",
    "payment",
    "invoice",
    "customer",
    "delivery",
    "parcel",
    "warranty",
    "kettle",
    "bicycle",
    "neighbour",
    "mountain",
    "shepherd",
]
VERBS = [
    "keeps",
    "finds",
    "repairs",
    "sells",
    "paints",
    "carries",
    "answers",
    "refuses",
    "remembers",
    "borrows",
    "returns",
    "cancels",
    "explains",
    "measures",
    "promises",
    "delivers",
    "replaces",
    "inspects",
    "describes",
    "forgets",
]
OTHERS = [
    "old",
    "quiet",
    "yellow",
    "broken",
    "careful",
    "early",
    "distant",
    "heavy",
    "honest",
    "narrow",
    "seldom",
    "often",
    "before",
    "after",
    "because",
    "although",
    "while",
    "until",
    "with",
    "without",
    "beside",
    "behind",
    "under",
    "near",
]
GERMAN = [
    "der",
    "die",
    "das",
    "ein",
    "eine",
    "Schlüssel",
    "Bootshaus",
    "Tür",
    "größer",
    "üblich",
    "Vertrag",
    "Kündigung",
    "Vermieter",
    "Wohnung",
    "Straße",
    "hängt",
    "hinter",
    "niemals",
    "vielleicht",
    "gestern",
    "früher",
    "bezahlt",
    "Rechnung",
    "Ärztin",
    "Übung",
    "Fuß",
    "weiß",
    "können",
    "müssen",
    "während",
]
CHINESE = (
    "钥匙挂在船屋的门后请不要把它带走我们需要星期三之前归还合同押金房东地毯医生付款发票客户信件窗户厨房花园河流市场"
)
JAPANESE = (
    "鍵はドアの後ろに掛かっています水曜日までに返してください契約と敷金について大家さんへ連絡医者支払い請求書窓庭川"
)
KINDS = ("english", "german", "chinese", "japanese")


def _sentence(kind: str, chance: random.Random) -> str:
    if kind == "english":
        middle = [chance.choice(chance.choice((NOUNS, VERBS, OTHERS))) for _ in range(chance.randrange(4, 14))]
        return f"The {' '.join(middle)} {chance.choice(NOUNS)}. "
    if kind == "german":
        return f"{' '.join(chance.choices(GERMAN, k=chance.randrange(5, 14)))}. ".capitalize()
    letters, end = (CHINESE, "。") if kind == "chinese" else (JAPANESE, "。")
    return "".join(chance.choices(letters, k=chance.randrange(8, 30))) + end


def registered(size: int, kinds: tuple[str, ...] = ("english",), seed: int = 1) -> list[str]:
    """Return a question and chunks of 2,000 characters, `size` characters in all, in turns of the kinds."""
    chance = random.Random(seed)
    texts = [_sentence(kinds[0], chance)]
    left = size - len(texts[0])
    while left > 0:
        kind = kinds[len(texts) % len(kinds)]
        text = ""
        while len(text) < min(CHUNK, left):
            text += _sentence(kind, chance)
        texts.append(text[: min(CHUNK, left)])
        left -= len(texts[-1])
    return texts


def prose(size: int) -> list[str]:
    """Return real English in chunks: Python's own reference manual, which is about what its messages are about."""
    from pydoc_data.topics import topics

    whole = "\n".join(topics[name] for name in sorted(topics))[:size]
    return [whole[start : start + CHUNK] for start in range(0, len(whole), CHUNK)]


def raised_messages(limit: int = 2000) -> list[str]:
    """Return the literal parts of the messages in the standard library's `raise` statements."""
    found: dict[str, None] = {}
    folder = Path(sysconfig.get_paths()["stdlib"])
    for path in sorted(folder.rglob("*.py")):
        if "site-packages" in path.parts or "test" in path.parts or "tests" in path.parts:
            continue
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                message = _constant(node.exc.args[0])
                if message:
                    found[message] = None
    return list(found)[:limit]


def _constant(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "x7f" for part in node.values)
    return _constant(node.left) if isinstance(node, ast.BinOp) else ""


def lines_of_ids(count: int = 5000, seed: int = 3) -> list[str]:
    """Return lines of ids, paths, numbers and the words that logs are made of."""
    chance = random.Random(seed)
    shapes = (
        lambda: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        lambda: f"{chance.getrandbits(128):032x}",
        lambda: f"/var/lib/app/{chance.getrandbits(40):010x}/shard-{chance.randrange(64)}/index.bin",
        lambda: f"GET /v1/collections/{chance.randrange(10**6)}/points?limit={chance.randrange(99)} 200",
        lambda: f"10.{chance.randrange(256)}.{chance.randrange(256)}.{chance.randrange(256)}:{chance.randrange(65536)}",
        lambda: log_line(45, chance),
        lambda: f"2026-11-{chance.randrange(1, 31):02d}T{chance.randrange(24):02d}:{chance.randrange(60):02d}:07.123Z",
        lambda: f"gpt-{chance.randrange(9)}.{chance.randrange(9)}-mini",
        lambda: str(chance.randrange(10**9)),
        lambda: f"package.module_{chance.randrange(99)}.Class{chance.randrange(99)}",
    )
    return [chance.choice(shapes)() for _ in range(count)]


def log_line(size: int, chance: random.Random) -> str:
    """Return a line of code words, ids and numbers."""
    words = ("retrieval finished", "rerank done", "cache miss", "upstream call", "answer sent", "token budget")
    parts: list[str] = []
    while sum(map(len, parts)) + len(parts) < size:
        numbers = f"id={chance.getrandbits(32):08x} n={chance.randrange(500)} ms={chance.random() * 900:.1f}"
        parts.append(f"{chance.choice(words)} {numbers}")
    return " ".join(parts)[:size]


def variations(size: int, count: int, seed: int = 4) -> Iterator[str]:
    """Return so many different lines of one size."""
    chance = random.Random(seed)
    return (log_line(size, chance) for _ in range(count))
