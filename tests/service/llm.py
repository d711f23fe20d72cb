"""A local LLM that speaks the OpenAI protocol and fails in each request as its scenario says."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any, Self

from tests.service.scenarios import Scenario
from tests.service.words import Texts

_QUESTION = re.compile(r"^Question: (.*)$", re.MULTILINE)
_START, _END = "\nDocuments:\n", "\n\nExtract verbatim spans"
_CODES = {400: "content_policy_violation", 401: "invalid_api_key", 429: "rate_limit_exceeded"}
_ABOUT = {"id": "chatcmpl-1", "created": 1767225600, "model": "heron-7b"}
_SPACED = re.compile(r"\S+\s*")


@dataclass
class Asked:
    """One of the load's requests, as the LLM sees it."""

    texts: Texts
    scenario: Scenario
    heard: list[tuple[str, int, str | int]] = field(default_factory=list)
    """Of each HTTP request: what was asked for, which attempt it was, and how it was answered."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """The LLM is at work on it, and waits."""

    left: asyncio.Event = field(default_factory=asyncio.Event)
    """The client has left."""


class FakeLLM:
    """Answers on a free port of 127.0.0.1; an async context manager.

    Args:
        delay: Seconds before each answer.
        cancels: Whether its own client leaves when that one's has left; else it answers then.
    """

    def __init__(self, delay: float = 0.0, *, cancels: bool) -> None:
        self.asked: dict[str, Asked] = {}
        self.unknown: list[str] = []
        self.delay = delay
        self._cancels = cancels
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        assert self._server is not None
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def expect(self, texts: Texts, scenario: Scenario) -> Asked:
        """Get to know a request before it is made."""
        found = self.asked[texts.question] = Asked(texts, scenario)
        return found

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while await self._served(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # A client that leaves, or the end: asyncio complains of a handler that is cancelled.
            pass
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _served(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Serve one HTTP request; return whether the connection stays."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        body = json.loads(await reader.readexactly(int(headers["content-length"])))
        prompt = body["messages"][-1]["content"]
        found = _QUESTION.search(prompt)
        asked = self.asked.get(found[1]) if found else None
        if asked is None:
            self.unknown.append(prompt)
            return False
        part, attempt = _part_of(prompt, asked, body), int(headers.get("x-stainless-retry-count", 0))
        answers = asked.scenario.parts.get(part, ("good",))
        how = answers[min(attempt, len(answers) - 1)]
        asked.heard.append((part, attempt, how))
        await asyncio.sleep(self.delay)
        if part == "stream" and not isinstance(how, int):
            return await _Stream(asked, writer).told(str(how), reader)
        if how == "silent":
            await reader.read()
            return False
        if how == "wait":
            asked.begun.set()
            if self._cancels:
                await reader.read()
                return False
            await asked.left.wait()
            how = "good"
        data, more = _answer(how, part, prompt, asked)
        _send(writer, how if isinstance(how, int) else 200, data, more, cut=how == "hang up")
        await writer.drain()
        return how != "hang up"


def _part_of(prompt: str, asked: Asked, body: dict[str, Any]) -> str:
    if body.get("stream"):
        return "stream"
    if _START not in prompt:
        return "template"
    documents = list(_documents(prompt).values())
    return "batch" if len(documents) > 1 else ("first", "second")[asked.texts.documents.index(documents[0])]


def _documents(prompt: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(prompt.partition(_START)[2].partition(_END)[0])
    return found


def _answer(how: str | int, part: str, prompt: str, asked: Asked) -> tuple[bytes, dict[str, str]]:
    """Return body and headers; errors quote what was asked, as those of real providers do."""
    if isinstance(how, int):
        error = {"message": f"Can't answer: {prompt}", "type": "error", "param": None, "code": _CODES.get(how)}
        return json.dumps({"error": error}).encode(), {"Retry-After": "1", "retry-after-ms": "20"}
    if how == "garbled":
        return f"<html>{prompt}</html>".encode(), {}
    text: str | None = f"{asked.texts.template}\n\n- [SPAN_1]\n- [SPAN_2]"
    if part != "template":
        quotes = {key: [_quote(asked.texts, text)] for key, text in _documents(prompt).items()}
        if how == "altered":
            next(iter(quotes.values())).append(asked.texts.altered)
        text = json.dumps(quotes, ensure_ascii=False)
        text = text[: len(text) * 2 // 3] if how == "broken" else text
    if how in ("empty", "no text"):
        text = "" if how == "empty" else None
    message = {"role": "assistant", "content": text}
    choices = [{"index": 0, "finish_reason": "stop", "message": message}]
    usage = {"prompt_tokens": 31, "completion_tokens": 7, "total_tokens": 38}
    return json.dumps({**_ABOUT, "object": "chat.completion", "choices": choices, "usage": usage}).encode(), {}


def _quote(texts: Texts, document: str) -> str:
    return texts.quotes[texts.documents.index(document)]


def _send(writer: asyncio.StreamWriter, status: int, data: bytes, more: dict[str, str], *, cut: bool) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": str(len(data)), **more}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {status} Said\r\n{head}\r\n".encode() + (data[: len(data) // 2] if cut else data))


class _Stream:
    """An answer in pieces."""

    def __init__(self, asked: Asked, writer: asyncio.StreamWriter) -> None:
        self._asked = asked
        self._writer = writer

    async def told(self, how: str, reader: asyncio.StreamReader) -> bool:
        head = "HTTP/1.1 200 Said\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
        self._writer.write(head.encode())
        words = [match[0] for match in _SPACED.finditer(self._asked.texts.template)]
        for word in words:
            self._piece(_delta(word))
        await self._writer.drain()
        if how == "hang up later":
            return False
        if how == "go on":
            await self._went_on(words, reader)
            return False
        if how == "fail":
            message = f"Died while saying {self._asked.texts.template}"
            self._piece({"error": {"message": message, "type": "error", "code": "server_error"}})
        self._write(b"data: [DONE]\n\n")
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
        return True

    async def _went_on(self, words: list[str], reader: asyncio.StreamReader) -> None:
        """Go on until the client leaves: who only passes it on notices when nobody takes it."""
        end = asyncio.create_task(reader.read())
        try:
            while not (end.done() or self._writer.is_closing()):
                self._asked.begun.set()
                for word in words:
                    self._piece(_delta(word))
                await self._writer.drain()
                await asyncio.wait({end}, timeout=0.05)
        except ConnectionError:
            # It has left while it was written to.
            pass
        finally:
            end.cancel()
            await asyncio.gather(end, return_exceptions=True)

    def _piece(self, value: dict[str, Any]) -> None:
        self._write(f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode())

    def _write(self, data: bytes) -> None:
        self._writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def _delta(word: str) -> dict[str, Any]:
    choices = [{"index": 0, "delta": {"content": word}, "finish_reason": None}]
    return {**_ABOUT, "object": "chat.completion.chunk", "choices": choices}
