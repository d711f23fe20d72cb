"""What each status of an answer means."""

from __future__ import annotations

import re
from pathlib import Path

from discreet.export.otlp.answers import Action, Answer, judge

PAGE = Path(__file__).parents[3] / "docs" / "otlp.md"
ROW = re.compile(r"^\| (?P<when>[^|]+) \| (?P<done>[^|]*)\| `(?P<reason>\w+)` \|$", re.MULTILINE)


def said() -> dict[str, tuple[Action, str]]:
    """Return what the page says of each status, and of `3`, `4` and `5` for the others that begin so."""
    found: dict[str, tuple[Action, str]] = {}
    action = Action.GIVE_UP
    for row in ROW.finditer(PAGE.read_text(encoding="utf-8")):
        done = row["done"].strip()
        if done.startswith("sent again"):
            action = Action.RETRY
        elif "halved" in done:
            action = Action.HALVE
        elif done != "the same":
            action = Action.GIVE_UP
        for status in re.findall(r"[345](?:\d\d|(?=xx))", row["when"]):
            found[status] = (action, row["reason"])
    return found


def test_every_status_means_what_the_page_says() -> None:
    """Only those that the specification of OTLP names are sent again; no redirect is followed."""
    page = said()
    judged = {status: judge(Answer(status), lambda _: 0) for status in range(300, 600)}

    assert {status: (one.action, one.reason) for status, one in judged.items()} == {
        status: page.get(str(status), page[str(status)[0]]) for status in judged
    }
    assert [status for status, one in judged.items() if one.action is Action.RETRY] == [429, 502, 503, 504]
