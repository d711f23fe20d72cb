"""Errors of the stand-in for verbatim 0.3.

    VerbatimError
    ├── InvalidInputError (also a ValueError)   only other input helps
    ├── ConfigurationError                      only the operator can fix it
    └── UpstreamError                           a service failed or did not answer

No message holds customer text: items are named by their position, such as `chunks[3]`.
"""

from __future__ import annotations


class VerbatimError(Exception):
    """Every deliberate error.

    Args:
        message: What went wrong, without customer text.
        code: The stable code; by default that of the class.
    """

    default_code = "verbatim_error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.code = code or self.default_code


class InvalidInputError(VerbatimError, ValueError):
    """An argument of the call is wrong; `param` is its place, such as `chunks[3].id`."""

    default_code = "invalid_input"

    def __init__(self, message: str, *, param: str, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.param = param


class ConfigurationError(VerbatimError):
    """A setting, key or package is wrong or missing."""

    default_code = "configuration_error"


class UpstreamError(VerbatimError):
    """A service failed or did not answer.

    Args:
        message: What went wrong, without customer text.
        service: `"llm"` or `"reranker"`.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait, when the service said so.
        code: The stable code.
    """

    default_code = "upstream_error"

    def __init__(
        self,
        message: str,
        *,
        service: str,
        retryable: bool = False,
        retry_after: float | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.service = service
        self.retryable = retryable
        self.retry_after = retry_after
