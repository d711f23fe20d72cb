"""Which exception a record is about."""

from __future__ import annotations

from discreet.seal.message import args_of

__all__ = ["among"]


def among(msg: object, args: object) -> BaseException | None:
    """Return the first exception among message and arguments: what a record without ``exc_info`` is about."""
    if issubclass(type(msg), BaseException):
        return msg  # type: ignore[return-value]
    for value in args_of(args):
        if issubclass(type(value), BaseException):
            return value  # type: ignore[no-any-return]
    return None
