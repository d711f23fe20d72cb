"""What goes wrong on purpose: the class says who can do something about it, the code says what it is.

    PilotbookError
     ├── InvalidInputError     the caller: only other input helps (also a ValueError)
     ├── ConfigurationError    the operator: a setting, a file, a key
     ├── UpstreamError         a service that failed or did not answer
     └── InternalError         the authors: something that this library made is broken

No message has text of a customer: it names the place of a value, such as `question`, and never the value.
"""

from __future__ import annotations

from typing import Any, ClassVar

from pilotbook.names import ErrorClass, ErrorCode

__all__ = ["ConfigurationError", "InternalError", "InvalidInputError", "PilotbookError", "UpstreamError"]


def _restore(cls: type[PilotbookError], args: tuple[object, ...]) -> PilotbookError:
    return cls.__new__(cls, *args)


class PilotbookError(Exception):
    """Root of all errors that are raised on purpose."""

    error_class: ClassVar[ErrorClass]
    code: ErrorCode

    def __init__(self, message: str, *, code: ErrorCode) -> None:
        super().__init__(message)
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        # A process pool sends exceptions by pickle, which would call the constructor without its keywords.
        return _restore, (type(self), self.args), self.__dict__


class InvalidInputError(PilotbookError, ValueError):
    """An argument of the call is wrong; `param` names it."""

    error_class = "input"

    def __init__(self, message: str, *, param: str, code: ErrorCode) -> None:
        super().__init__(f"{param}: {message}", code=code)
        self.param = param


class ConfigurationError(PilotbookError):
    """A setting is wrong; `setting` is `folder`, `index` or `thesaurus`."""

    error_class = "configuration"

    def __init__(self, message: str, *, setting: str, code: ErrorCode) -> None:
        super().__init__(f"{setting}: {message}", code=code)
        self.setting = setting


class UpstreamError(PilotbookError):
    """A service failed; `retryable` says whether to try again, `retry_after` in how many seconds."""

    error_class = "upstream"

    def __init__(
        self,
        message: str,
        *,
        service: str,
        code: ErrorCode,
        retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{service}: {message}", code=code)
        self.service = service
        self.retryable = retryable
        self.retry_after = retry_after


class InternalError(PilotbookError):
    """Something that this library made itself is broken."""

    error_class = "internal"
