"""What the ASGI and the WSGI middleware have in common: their options."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from discreet.errors import ConfigurationError
from discreet.instrument.request_ids import checked_header
from discreet.instrument.requests import Request

__all__ = ["Options"]


class Options(NamedTuple):
    """Options of a middleware, known to be right."""

    bound: int
    header: str | None
    public: frozenset[str]

    @classmethod
    def checked(cls, bound: object, header: str | None, public: Collection[str]) -> Options:
        """Return the options.

        Args:
            bound: How much of a body is kept, in bytes.
            header: The header of request ids.
            public: Places whose values aren't customer text.

        Raises:
            ConfigurationError: One of them is wrong.

        .. versionadded:: 0.1.0
        """
        if type(bound) is not int or bound < 0:
            raise ConfigurationError(
                "must be a number of bytes, 0 or more", place="max_body_bytes", remedy="Write 1_048_576 for 1 MiB."
            )
        if isinstance(public, str) or not all(type(one) is str for one in public):
            raise ConfigurationError(
                "must be a list of places", place="public", remedy='Write ["body.model", "query.page"].'
            )
        return cls(bound, checked_header(header), frozenset(public))

    def request(self, client_id: str | None) -> Request:
        """Return a request that begins.

        Args:
            client_id: The id that its client sent, None if it sent none.

        .. versionadded:: 0.1.0
        """
        return Request(bound=self.bound, public=self.public, client_id=client_id, has_id=self.header is not None)
