"""Types whose values are parts of an HTTP exchange or of an SQL statement."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Final

from discreet.seal.types.base import WITHHELD, Scalar, ValueType, Withheld, integer, words

__all__ = [
    "HttpMethod",
    "HttpReason",
    "HttpStatus",
    "HttpVersion",
    "SqlState",
    "SqlVerb",
]

# RFC 9110, RFC 5789, and those that HTTP libraries send for WebDAV.
METHODS: Final = words(
    "GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK REPORT SEARCH"
)
VERSION: Final = re.compile(r"(?:HTTP/)?(?:0\.9|1\.[01]|[23](?:\.0)?)", re.ASCII)
# Phrases that other releases of Python, and servers, have for the same numbers.
_REASONS: Final = frozenset(status.phrase for status in HTTPStatus) | {
    "",
    "Connection established",
    "Connection Established",
    "Content Too Large",
    "Found",
    "I'm a Teapot",
    "I'm a teapot",
    "Moved Temporarily",
    "Non Authoritative Information",
    "Payload Too Large",
    "Range Not Satisfiable",
    "Requested Range Not Satisfiable",
    "Request Entity Too Large",
    "Request Timeout",
    "Request URI Too Long",
    "Request-URI Too Long",
    "Service Temporarily Unavailable",
    "URI Too Long",
    "Unprocessable Content",
    "Unprocessable Entity",
}
_VERBS: Final = words(
    "SELECT INSERT UPDATE DELETE MERGE REPLACE UPSERT WITH VALUES CREATE ALTER DROP TRUNCATE "
    "RENAME BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE SET SHOW PRAGMA EXPLAIN ANALYZE "
    "VACUUM REINDEX CALL EXEC EXECUTE PREPARE DEALLOCATE DECLARE FETCH CLOSE LOCK GRANT "
    "REVOKE COMMENT COPY DESCRIBE USE ATTACH DETACH REFRESH LISTEN NOTIFY UNLISTEN"
)
_FIRST_WORD: Final = re.compile(r"\s*+\(?+\s*+([A-Za-z]{3,12})(?![A-Za-z0-9_])", re.ASCII)
# The classes of ISO 9075, and those of PostgreSQL and ODBC.
_SQLSTATE: Final = re.compile(r"(?:0[0-9A-Z]|[1-5][0-9A-Z]|F0|HV|HY|HW|HZ|IM|P0|S[0-9]|XX|ZZ)[0-9A-Z]{3}", re.ASCII)


class HttpMethod(ValueType):
    """A method of HTTP, in capitals."""

    __slots__ = ()
    name = "http_method"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str:
            return WITHHELD
        method = value.upper() if value.isascii() else value
        return method if method in METHODS else WITHHELD


class HttpStatus(ValueType):
    """A status code of HTTP, 100 to 599, also from a text."""

    __slots__ = ()
    name = "http_status"

    def safe(self, value: object) -> Scalar | Withheld:
        """Return the status code, or `WITHHELD`; see `ValueType.safe`."""
        if type(value) is int and 100 <= value <= 599:  # noqa: PLR2004 -- bounds of the standard
            return value
        return super().safe(value)

    def _read(self, value: object) -> Scalar | Withheld:
        found = integer(value)
        return WITHHELD if found is None or not 100 <= found <= 599 else found  # noqa: PLR2004 -- bounds of the standard


class HttpVersion(ValueType):
    """A version of HTTP, with or without ``HTTP/`` in front."""

    __slots__ = ()
    name = "http_version"

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and VERSION.fullmatch(value) else WITHHELD


class HttpReason(ValueType):
    """The standard phrase of a status code; servers may send any other text in its place."""

    __slots__ = ()
    name = "http_reason"

    def _read(self, value: object) -> Scalar | Withheld:
        return value if type(value) is str and value in _REASONS else WITHHELD


class SqlVerb(ValueType):
    """The first word of an SQL statement, in capitals; nothing of the rest."""

    __slots__ = ()
    name = "sql_verb"

    def _read(self, value: object) -> Scalar | Withheld:
        found = _FIRST_WORD.match(value) if type(value) is str else None
        verb = "" if found is None else found[1].upper()
        return verb if verb in _VERBS else WITHHELD


class SqlState(ValueType):
    """A SQLSTATE: a known class and three more characters, digits among them."""

    __slots__ = ()
    name = "sqlstate"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str and _SQLSTATE.fullmatch(value):
            return value if sum(char.isdigit() for char in value) > 1 else WITHHELD
        return WITHHELD
