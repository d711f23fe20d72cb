"""The exceptions of discreet, for its own use and for other libraries to adopt.

::

    Exception
     └── DiscreetError              something deliberate went wrong; has a `code`
          ├── InvalidInputError     an argument of the call is wrong (also a ValueError)
          ├── ConfigurationError    a setting is wrong; only the operator can fix it
          │    └── ContractError    a contract file is wrong
          └── UpstreamError         a service failed or did not answer

The class says where the problem lies and the code says which problem it is. Codes are
public names: they are listed in the contract file `discreet` and keep their spelling.

A message never quotes a value that a customer may have written. It names the place of
the value instead, such as ``chunks[3].id``.
"""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = [
    "ConfigurationError",
    "ContractError",
    "DiscreetError",
    "InvalidInputError",
    "UpstreamError",
]


def _restore(cls: type[DiscreetError], args: tuple[object, ...]) -> DiscreetError:
    """Make an exception again without its constructor, whose keywords a pickle lacks."""
    return cls.__new__(cls, *args)


def _sentence(place: str | None, cause: str, remedy: str | None) -> str:
    text = f"{place}: {cause}" if place else cause
    if not remedy:
        return text
    end = "" if text.endswith((".", "!", "?")) else "."
    return f"{text}{end} {remedy}"


class DiscreetError(Exception):
    """Root of all errors that are raised on purpose.

    Args:
        message: What is wrong, without any customer text.
        code: The stable snake_case name of the problem; the class's `default_code`
            when it is left out.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "discreet_error"
    """The code of an error that is raised without one of its own."""

    message: str
    """What is wrong, without place and remedy."""

    code: str
    """The stable name of the problem."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = self.default_code if code is None else code

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), self.args), self.__dict__


class InvalidInputError(DiscreetError, ValueError):
    """An argument of the call is wrong; only other input helps.

    Args:
        message: What is wrong with the argument, without its value.
        param: The place of the value: a parameter's name or a path below it, such as
            ``chunks[3].id``.
        code: The stable name of the problem; ``invalid_input`` when it is left out.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "invalid_input"

    param: str
    """The place of the wrong value."""

    def __init__(self, message: str, *, param: str, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.param = param

    def __str__(self) -> str:
        return _sentence(self.param, self.message, None)


class ConfigurationError(DiscreetError):
    """A setting, constructor argument or package is wrong; only the operator can fix it.

    Args:
        message: What is wrong.
        place: Where: an argument, an environment variable, or a file and a key.
        remedy: A whole sentence that says what to do.
        code: The stable name of the problem; ``configuration_error`` when it is left out.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "configuration_error"

    place: str | None
    """Where the wrong setting stands; None when there is no such place."""

    remedy: str | None
    """What to do about it; None when the message says it all."""

    def __init__(
        self,
        message: str,
        *,
        place: str | None = None,
        remedy: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.place = place
        self.remedy = remedy

    def __str__(self) -> str:
        return _sentence(self.place, self.message, self.remedy)


class ContractError(ConfigurationError):
    """A contract file can't be read, or contradicts itself or another active contract.

    Args:
        message: What is wrong.
        file: The file, as the caller named it.
        key: The place inside the file, such as ``records[3].args[1]``.
        remedy: A whole sentence that says what to do.
        code: The stable name of the problem; ``invalid_contract`` when it is left out.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "invalid_contract"

    file: str | None
    """The contract file; None for a contract that no file holds."""

    key: str | None
    """The place inside the file; None when the whole file is meant."""

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        key: str | None = None,
        remedy: str | None = None,
        code: str | None = None,
    ) -> None:
        place = ": ".join(part for part in (file, key) if part) or None
        super().__init__(message, place=place, remedy=remedy, code=code)
        self.file = file
        self.key = key


class UpstreamError(DiscreetError):
    """A service that the program depends on failed or did not answer.

    Args:
        message: What happened, without the text that was sent or received.
        service: Which service, in the program's own words, such as ``llm``.
        retryable: Whether the same call may succeed later.
        retry_after: Seconds to wait before the next try, when the service said so.
        code: The stable name of the problem; ``upstream_error`` when it is left out.

    .. versionadded:: 0.1.0
    """

    default_code: ClassVar[str] = "upstream_error"

    service: str
    """The service that failed."""

    retryable: bool
    """Whether the same call may succeed later."""

    retry_after: float | None
    """Seconds to wait before the next try; None when the service didn't say."""

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

    def __str__(self) -> str:
        return _sentence(self.service, self.message, None)
