"""A client of an LLM service whose failures have codes."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import openai
from verbatim_core.errors import ConfigurationError, UpstreamError, VerbatimError

_OPERATORS = {401: "authentication_failed", 403: "permission_denied", 404: "model_not_found"}


def _status(error: openai.APIStatusError) -> VerbatimError:
    status = error.status_code
    code = "quota_exceeded" if error.code == "insufficient_quota" else _OPERATORS.get(status)
    if code is not None:
        return ConfigurationError(f"the LLM service answered with status {status}", code=code)
    wait = error.response.headers.get("retry-after")
    code = "rate_limited" if status == 429 else "server_error" if status >= 500 else "request_rejected"
    return UpstreamError(
        f"the LLM service answered with status {status}",
        service="llm",
        retryable=code != "request_rejected",
        retry_after=None if wait is None else float(wait),
        code=code,
    )


def _named(error: Exception) -> VerbatimError:
    if isinstance(error, openai.APIStatusError):
        return _status(error)
    if isinstance(error, openai.APITimeoutError):
        return UpstreamError("the LLM service gave no answer in time", service="llm", retryable=True, code="timeout")
    if isinstance(error, openai.APIConnectionError):
        text = "the LLM service could not be reached"
        return UpstreamError(text, service="llm", retryable=True, code="connection_failed")
    return UpstreamError("the reply can't be read", service="llm", retryable=True, code="invalid_reply")


class LLMClient:
    """Asks once."""

    def __init__(self, model: str, api_base: str, *, timeout: float = 5) -> None:
        options: dict[str, Any] = {"base_url": api_base, "api_key": "none", "max_retries": 0, "timeout": timeout}
        self.model = model
        self.client = openai.OpenAI(**options)
        self._options = options

    @cached_property
    def async_client(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(**self._options)

    def _request(self, prompt: str) -> dict[str, Any]:
        return {"model": self.model, "messages": [{"role": "user", "content": prompt}]}

    def complete(self, prompt: str) -> str:
        try:
            response = self.client.chat.completions.create(**self._request(prompt))
        except (openai.OpenAIError, ValueError) as error:
            raise _named(error) from error
        return self._text(response)

    async def complete_async(self, prompt: str) -> str:
        try:
            response = await self.async_client.chat.completions.create(**self._request(prompt))
        except (openai.OpenAIError, ValueError) as error:
            raise _named(error) from error
        return self._text(response)

    @staticmethod
    def _text(response: Any) -> str:
        text = response.choices[0].message.content
        if not text:
            raise UpstreamError("the reply has no text", service="llm", code="empty_reply")
        return str(text)
