"""A text that comes over a websocket word by word is known as what the application makes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from discreet.instrument.asgi import ContentMiddleware
from tests.middleware.driving import ASKED, asgi, http, note, told


def shown(pieces: list[str | bytes], value: Callable[[list[Any]], str]) -> list[str]:
    """Return what is shown of a value that an application makes of all messages, and of another word."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        got = [await receive() for _ in pieces]
        note(value([one["text"] if "text" in one else one["bytes"].decode() for one in got]))
        note("a quiet word")

    messages = [{"type": "websocket.receive", "text" if isinstance(one, str) else "bytes": one} for one in pieces]
    return told(lambda: asgi(ContentMiddleware(app), {**http(), "type": "websocket"}, messages))


def joined(texts: list[Any]) -> str:
    return "".join(texts)


def deltas(texts: list[Any]) -> str:
    return "".join(json.loads(one)["delta"] for one in texts)


def cut(size: int) -> list[str]:
    return [ASKED[at : at + size] for at in range(0, len(ASKED), size)]


@pytest.mark.parametrize("size", [1, 2, 5, 23, 40])
def test_a_text_in_pieces_is_known(size: int) -> None:
    """Also letter by letter, and a part of it."""
    assert shown(list(cut(size)), joined) == ["<message 64-255>", "a quiet word"]
    assert shown([one.encode() for one in cut(size)], joined) == ["<message 64-255>", "a quiet word"]
    assert shown(list(cut(size)), lambda texts: joined(texts)[17:25]) == ["<message 1-15>", "a quiet word"]


def test_pieces_in_json_are_put_together_by_their_places() -> None:
    """Whatever else stands between them."""
    pieces: list[str | bytes] = [json.dumps({"type": "typing", "delta": one, "seq": 7}) for one in cut(5)]

    assert shown(pieces, deltas) == ["<message[1] 64-255>", "a quiet word"]


def test_json_in_pieces_is_known() -> None:
    """As a text, since no piece of it is JSON."""
    whole = json.dumps({"question": ASKED})
    pieces: list[str | bytes] = [whole[at : at + 11] for at in range(0, len(whole), 11)]

    found = shown(pieces, lambda texts: str(json.loads(joined(texts))["question"]))
    assert found == ["<message 64-255>", "a quiet word"]


def test_long_messages_are_not_looked_for_again_and_again() -> None:
    """Only with the one after them, in which a text may end that they begin."""
    long = "words of nobody " * 600
    found = shown([f"{long} {ASKED[:30]}", ASKED[30:], long, "quiet"], lambda texts: texts[0][-30:] + texts[1])

    assert found == ["<message 64-255>", "a quiet word"]
