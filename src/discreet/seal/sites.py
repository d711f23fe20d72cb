"""Where a record is made, and what is proven of its message there."""

from __future__ import annotations

from types import CodeType
from typing import Any

from discreet.seal.compose import Parts

__all__ = ["Site"]


class Site:
    """Where a record is made, and what is proven of its message there.

    Attributes:
        module: the module whose code makes it; None when that is not code of an imported module's file.
        function: the function's qualified name; None as above.
        line: the line of the log call.
        literal: the message object itself, when that is a constant of the code; it may be a ``%``-template.
        parts: the parts of a message that was put together.
        key: the proven template, with ``{}`` for each slot and literal braces doubled.
        code: the code of the record's own frame, None as above. It can be another than the one that proves the message.
        sealing: what sealing remembers for the records of this site; None at first.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("code", "function", "key", "line", "literal", "module", "parts", "sealing")

    sealing: Any

    def __init__(
        self,
        module: str | None = None,
        function: str | None = None,
        line: int | None = None,
        *,
        literal: str | None = None,
        parts: Parts | None = None,
        key: str | None = None,
        code: CodeType | None = None,
    ) -> None:
        self.module = module
        self.function = function
        self.line = line
        self.literal = literal
        self.parts = parts
        self.key = key
        self.code = code
        self.sealing = None

    @property
    def place(self) -> tuple[str, int] | None:
        """Module and line, None when they aren't known."""
        return (self.module, self.line) if self.module is not None and self.line is not None else None

    def __repr__(self) -> str:
        return (
            f"Site({self.module!r}, {self.function!r}, {self.line!r}, literal={self.literal!r}, parts={self.parts!r}, "
            f"key={self.key!r})"
        )

    def of_record(self, code: CodeType | None) -> Site:
        """Return this site for a record whose own frame runs another code than the one that proves the message."""
        if code is self.code:
            return self
        return Site(
            self.module, self.function, self.line, literal=self.literal, parts=self.parts, key=self.key, code=code
        )
