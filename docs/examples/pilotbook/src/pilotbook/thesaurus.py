"""Asks a thesaurus service for other words. What its client raises becomes an error with a code, here and only here."""

from __future__ import annotations

import json
from http import HTTPStatus
from http.client import HTTPException
from typing import Literal, NoReturn
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from pilotbook.errors import ConfigurationError, UpstreamError

__all__ = ["Thesaurus"]


class Thesaurus:
    """A service that gives other words for the words of a question.

    Args:
        url: Where it takes a POST with a JSON list of words and answers with a list of more words.
        timeout_s: How long to wait for it, in seconds.

    Raises:
        ConfigurationError: `invalid_setting`: the URL is no HTTP URL.
    """

    def __init__(self, url: str, *, timeout_s: float = 2.0) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigurationError("is no HTTP URL", setting="thesaurus", code="invalid_setting")
        self._url = url
        self._timeout_s = timeout_s

    def synonyms(self, words: frozenset[str]) -> frozenset[str]:
        """Return other words for these.

        Raises:
            ConfigurationError: `authentication_failed` or `permission_denied`.
            UpstreamError: Every other failure of the service.
        """
        body = json.dumps(sorted(words)).encode()
        request = Request(self._url, data=body, headers={"Content-Type": "application/json"})
        try:
            with urlopen(request, timeout=self._timeout_s) as reply:
                found = json.loads(reply.read())
        except HTTPError as error:
            error.close()
            _refused(error)
        except TimeoutError as error:
            raise _failed("did not answer in time", "timeout") from error
        except URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise _failed("could not be reached in time", "timeout") from error
            raise _failed("could not be reached", "connection_failed") from error
        except (OSError, HTTPException) as error:
            raise _failed("broke the connection", "connection_failed") from error
        except ValueError as error:
            raise _failed("answered with something that is no JSON", "invalid_reply") from error
        if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
            raise _failed("answered with something that is no list of words", "invalid_reply")
        return frozenset(word.casefold() for word in found)


def _failed(message: str, code: Literal["connection_failed", "invalid_reply", "timeout"]) -> UpstreamError:
    return UpstreamError(message, service="thesaurus", code=code, retryable=True)


def _refused(error: HTTPError) -> NoReturn:
    if error.code == HTTPStatus.UNAUTHORIZED:
        raise ConfigurationError("refused the key", setting="thesaurus", code="authentication_failed") from error
    if error.code == HTTPStatus.FORBIDDEN:
        raise ConfigurationError("doesn't allow it", setting="thesaurus", code="permission_denied") from error
    message = f"answered with status {error.code}"
    if error.code == HTTPStatus.TOO_MANY_REQUESTS:
        raise UpstreamError(
            message, service="thesaurus", code="rate_limited", retryable=True, retry_after=_seconds(error)
        ) from error
    if error.code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise UpstreamError(message, service="thesaurus", code="server_error", retryable=True) from error
    raise UpstreamError(message, service="thesaurus", code="request_rejected") from error


def _seconds(error: HTTPError) -> float | None:
    said = error.headers.get("Retry-After", "")
    return float(said) if said.isdecimal() else None
