"""Measure what registering and looking up costs, and how often the matcher is wrong.

    python benchmarks/matcher.py [--rounds 7]

Registering is compared with `text.casefold().split()` of the same texts, and with an automaton of pyahocorasick that
finds every ninth piece of eight characters, if that package is installed. Looking up is done with values that all
differ, so that nothing is remembered. Figures are medians of this thread's CPU time.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from matcher_corpus import KINDS, lines_of_ids, prose, raised_messages, registered, variations

from discreet.matching import Index
from discreet.matching.folding import letters

SIZES = (10_000, 100_000, 1_000_000)
LENGTHS = (20, 100, 300, 1000)


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Return microseconds and the result."""
    begin = time.thread_time_ns()
    result = run()
    return (time.thread_time_ns() - begin) / 1000, result


def _split(text: str) -> list[str]:
    return text.casefold().split()


def ready(texts: list[str]) -> Index:
    """Return an index that a first short and a first long value made."""
    index = Index([("text", text) for text in texts])
    index.find("x1y2z3" * 8)
    return index


def automaton(texts: list[str]) -> Any:
    """Return an automaton that finds pieces of eight characters, every ninth; hits would have to be confirmed."""
    import ahocorasick

    made = ahocorasick.Automaton(ahocorasick.STORE_LENGTH)
    joined = "\0".join(letters(text).decode() for text in texts)
    for start in range(0, len(joined) - 7, 9):
        made.add_word(joined[start : start + 8])
    made.make_automaton()
    return made


def has_ahocorasick() -> bool:
    """Tell whether there is something to compare with."""
    try:
        import ahocorasick  # noqa: F401 -- only whether it can be imported
    except ImportError:
        return False
    return True


def costs(kinds: tuple[str, ...], rounds: int) -> None:
    """Print the costs for texts of these kinds."""
    compare = has_ahocorasick()
    for size in SIZES:
        texts = registered(size, kinds)
        found: dict[str, list[float]] = {}
        for number in range(rounds):
            plain, _ = timed(partial(list, map(_split, texts)))
            build, index = timed(partial(ready, texts))
            found.setdefault("casefold and split", []).append(plain)
            found.setdefault("register", []).append(build)
            for value in variations(20, 40, seed=99 + number):
                index.find(value)
            for length in LENGTHS:
                values = list(variations(length, 200, seed=number))
                cost, _ = timed(lambda: [index.find(value) for value in values])  # noqa: B023 -- called at once
                found.setdefault(f"look up {length}", []).append(cost / len(values))
            if compare:
                build, made = timed(partial(automaton, texts))
                found.setdefault("automaton: build", []).append(build)
                for length in LENGTHS:
                    values = list(variations(length, 200, seed=number))
                    cost, _ = timed(lambda: [list(made.iter(letters(value).decode())) for value in values])  # noqa: B023 -- the same
                    found.setdefault(f"automaton: look up {length}", []).append(cost / len(values))
        print(f"\n{size:,} characters, {' '.join(kinds)}")
        base = statistics.median(found["casefold and split"])
        for name, measured in found.items():
            cost = statistics.median(measured)
            beside = f"   x {cost / base:.2f}" if name in {"register", "automaton: build"} else ""
            print(f"  {name:26} {cost:>12,.2f} us{beside}")


def false_alarms() -> None:
    """Print how many values that were made from no text are withheld."""
    messages, ids = raised_messages(), lines_of_ids()
    for name, texts in (
        ("100 KB of English, German, Chinese, Japanese", registered(100_000, KINDS)),
        ("100 KB of Python's manual", prose(100_000)),
        ("1 MB of English, German, Chinese, Japanese", registered(1_000_000, KINDS)),
    ):
        index = Index([("text", text) for text in texts])
        print(f"\nfalse alarms with {name} registered")
        for kind, values in (("messages", messages), ("ids", ids)):
            rules = Counter(match.rule for value in values if (match := index.find(value)) is not None)
            share = 100 * sum(rules.values()) / len(values)
            print(f"  {len(values)} {kind:10} {share:.2f} %   {dict(rules)}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, {options.rounds} rounds")
    for kinds in (("english",), ("german",), ("chinese",)):
        costs(kinds, options.rounds)
    false_alarms()


if __name__ == "__main__":
    main()
