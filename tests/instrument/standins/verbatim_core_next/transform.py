"""A transformer that fails, or degrades its result, in each of the ways that release 0.3 has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verbatim_core.errors import ConfigurationError, InvalidInputError, UpstreamError, VerbatimError
from verbatim_core.extractor import ResultWarning


def _input(code: str) -> VerbatimError:
    return InvalidInputError("chunks[3] is wrong", param="chunks[3].id", code=code)


def _configuration(code: str) -> VerbatimError:
    return ConfigurationError("a setting is wrong", code=code)


def _retryable(code: str) -> VerbatimError:
    return UpstreamError("the service failed", service="llm", retryable=True, code=code)


def _final(code: str) -> VerbatimError:
    return UpstreamError("the service failed", service="llm", code=code)


ERRORS = {
    "input/invalid_value": _input,
    "input/missing_field": _input,
    **{
        f"configuration/{code}": _configuration
        for code in (
            *("invalid_value", "missing_dependency", "model_not_loaded", "missing_embedder", "missing_llm_client"),
            *("authentication_failed", "permission_denied", "model_not_found", "quota_exceeded"),
        )
    },
    **{
        f"retryable/{code}": _retryable
        for code in ("timeout", "connection_failed", "rate_limited", "server_error", "invalid_reply")
    },
    **{f"final/{code}": _final for code in ("request_rejected", "empty_reply", "client_failed")},
}
WARNINGS = ("quote_not_found", "span_text_not_found", "chunk_truncated", "template_fallback", "reranker_fallback")


@dataclass
class QueryResponse:
    """A result and what is wrong with it."""

    answer: str
    warnings: list[ResultWarning]


class Transformer:
    """Does what its fault says."""

    def __init__(self, fault: str) -> None:
        self.fault = fault

    def transform(self, question: str, chunks: Sequence[str]) -> QueryResponse:
        made = ERRORS.get(self.fault)
        if made is not None:
            raise made(self.fault.partition("/")[2])
        return QueryResponse(chunks[0], [ResultWarning(self.fault, question)])
