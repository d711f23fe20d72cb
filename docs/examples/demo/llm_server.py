"""A fake LLM: a real HTTP server on loopback that speaks the OpenAI chat-completions protocol.

It runs no model. It answers by script, well or in one of the ways in which providers fail, and
its error texts quote the prompt, as those of real providers do.
"""

from __future__ import annotations

import enum
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from documents import TEMPLATE, Document, Question
from worlds import Spelling


class Behaviour(enum.Enum):
    """How the fake LLM answers, with the words that the report uses for it."""

    GOOD = "answers well"
    ALTERED = "quotes what isn't there"
    BROKEN_JSON = "breaks off its JSON"
    EMPTY = "answers with nothing"
    UNAUTHORIZED = "refuses the key (401)"
    RATE_LIMITED = "is over its rate limit (429)"
    SERVER_ERROR = "fails (500)"
    TEMPLATE_REJECTED = "rejects the template (400)"


@dataclass(frozen=True, slots=True)
class Reply:
    """One HTTP reply: status, JSON body and headers beyond the usual ones."""

    status: int
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


_EXTRACTION_START, _EXTRACTION_END = "\nDocuments:\n", "\n\nExtract verbatim spans"


class FakeLLM:
    """The fake LLM as a context manager: listens while the block runs.

    Args:
        spell: How this world spells texts; what the LLM writes is spelled with it too.
    """

    def __init__(self, spell: Spelling) -> None:
        self._spell = spell
        self._behaviour = Behaviour.GOOD
        self._question: Question | None = None
        self._document: Document | None = None
        self.requests = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        serve = self._server.serve_forever
        self._thread = threading.Thread(target=serve, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """The address that an OpenAI client takes as `base_url`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def expect(self, question: Question, document: Document, behaviour: Behaviour) -> None:
        """Say what is asked next, of which document, and how to answer it."""
        self._question, self._document, self._behaviour = question, document, behaviour

    def reply(self, prompt: str) -> Reply:
        """Answer a prompt by the script."""
        extraction = _EXTRACTION_START in prompt
        match self._behaviour:
            case Behaviour.UNAUTHORIZED:
                return _error(401, "invalid_api_key", f"Incorrect API key. Request was: {prompt}")
            case Behaviour.RATE_LIMITED:
                text = f"Rate limit reached while reading: {_end_of(prompt)}"
                return _error(429, "rate_limit_exceeded", text, {"Retry-After": "1"})
            case Behaviour.SERVER_ERROR:
                return _error(500, "server_error", f"Worker died on input: {_end_of(prompt)}")
            case Behaviour.TEMPLATE_REJECTED if not extraction:
                text = f"Flagged by our usage policy: {prompt}"
                return _error(400, "content_policy_violation", text)
            case Behaviour.EMPTY:
                return _completion("")
        if not extraction:
            return _completion(f"{self._spell(TEMPLATE)}\n\n- [SPAN_1]")
        quotes = json.dumps(self._quotes(prompt), ensure_ascii=False)
        if self._behaviour is Behaviour.BROKEN_JSON:
            return _completion(quotes[: len(quotes) * 2 // 3])
        return _completion(quotes)

    def _quotes(self, prompt: str) -> dict[str, list[str]]:
        if self._question is None or self._document is None:
            raise RuntimeError("the fake LLM was asked before expect()")
        asked = json.loads(prompt.partition(_EXTRACTION_START)[2].partition(_EXTRACTION_END)[0])
        found: dict[str, list[str]] = {}
        for place, (key, text) in enumerate(asked.items()):
            found[key] = list(self._question.quotes[self._document.chunks.index(text)])
            if self._behaviour is Behaviour.ALTERED:
                found[key] += self._question.altered[place : place + 1]
        return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        llm = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            server_version, sys_version = "FakeLLM/1", ""

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                llm.requests += 1
                reply = llm.reply(request["messages"][-1]["content"])
                body = json.dumps(reply.body, ensure_ascii=False).encode()
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("x-request-id", f"req_{llm.requests:032x}")
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                """Keep quiet: the base class writes each request to stderr."""

        return Handler


def _end_of(prompt: str) -> str:
    return "…" + prompt[-400:]


def _error(status: int, code: str, text: str, headers: dict[str, str] | None = None) -> Reply:
    error = {"message": text, "type": "invalid_request_error", "param": None, "code": code}
    return Reply(status, {"error": error}, headers or {})


def _completion(text: str) -> Reply:
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 812, "completion_tokens": 64, "total_tokens": 876}
    return Reply(
        200,
        {
            "id": "chatcmpl-0",
            "object": "chat.completion",
            "created": 1767225600,
            "model": "fake-llm",
            "usage": usage,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        },
    )
