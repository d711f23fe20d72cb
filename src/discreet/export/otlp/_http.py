"""Sends one request of OTLP over HTTP."""

from __future__ import annotations

import gzip
import time
import zlib
from http.client import BadStatusLine, RemoteDisconnected
from importlib.metadata import PackageNotFoundError, version
from typing import Final

import requests
from requests.adapters import HTTPAdapter
from requests.utils import get_auth_from_url
from urllib3.exceptions import HTTPError, InvalidHeader
from urllib3.util import Retry

from discreet.export.otlp.answers import Answer, UnansweredError
from discreet.export.otlp.settings import Endpoint

_MOST_READ: Final = 1 << 16
"""Bytes of an answer that are looked at: one that says how many records were rejected is short."""


class HttpTransport:
    """Posts bodies to one endpoint by `requests`, which knows proxies and certificates.

    Args:
        endpoint: where to.

    .. versionadded:: 0.1.0
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._headers = {
            "User-Agent": _user_agent(),
            **endpoint.headers,
            "Content-Type": "application/x-protobuf",
        }
        if endpoint.compression != "none":
            self._headers["Content-Encoding"] = endpoint.compression
        self._session: requests.Session | None = None

    def post(self, body: bytes, timeout: float) -> Answer:
        """Send a body and return the answer; never asks twice.

        Args:
            body: a whole request of OTLP.
            timeout: seconds that it may take, if that is less than the endpoint's own.

        Raises:
            UnansweredError: there was no answer, or none that could be read.
        """
        end = time.monotonic() + min(timeout, self._endpoint.timeout)
        try:
            with self._open().post(
                self._endpoint.url,
                data=self._compressed(body),
                headers=self._headers,
                timeout=max(0.01, end - time.monotonic()),
                # The application's records must not go where an answer says.
                allow_redirects=False,
                # Here and not on the session, where REQUESTS_CA_BUNDLE would win.
                verify=self._endpoint.certificate or True,
                stream=True,
            ) as found:
                return Answer(
                    found.status_code,
                    found.headers.get("Content-Type", "").partition(";")[0].strip().lower(),
                    _retry_after(found.headers.get("Retry-After")),
                    _read(found, end),
                )
        except requests.Timeout as error:
            raise UnansweredError("timeout") from error
        except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            if _is_no_http(error):
                raise UnansweredError("bad_answer", retryable=False) from error
            raise UnansweredError("connection_failed") from error
        except (requests.RequestException, HTTPError) as error:
            raise UnansweredError("bad_answer", retryable=False) from error
        except (OSError, ValueError) as error:
            # A certificate's file that can't be read, and what the standard library raises past requests.
            raise UnansweredError("connection_failed", retryable=False) from error

    def renew(self) -> None:
        """Forget the connections: a forked child would share them with its parent."""
        self._session = None

    def close(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is None:
            return
        # urllib3 leaves it to finalizers to close what a pool holds, and after atexit has run there are none.
        for adapter in session.adapters.values():
            managers = (
                [adapter.poolmanager, *adapter.proxy_manager.values()] if isinstance(adapter, HTTPAdapter) else []
            )
            for manager in managers:
                for key in manager.pools.keys():  # noqa: SIM118 - it is no dict, and iterating it is refused
                    pool = manager.pools.get(key)
                    if pool is not None:
                        pool.close()
        session.close()

    def _open(self) -> requests.Session:
        if self._session is None:
            session = requests.Session()
            # Asking again is the sender's business: it knows about queues and the end of the process.
            adapter = HTTPAdapter(pool_connections=1, pool_maxsize=1, max_retries=Retry(0, read=False))
            session.mount("http://", adapter)
            session.mount("https://", adapter)
            name, password = get_auth_from_url(self._endpoint.url)
            # Else a netrc file would replace the headers that were configured.
            session.auth = (name, password) if name or password else lambda request: request
            endpoint = self._endpoint
            if endpoint.client_certificate is not None:
                key = endpoint.client_key
                session.cert = endpoint.client_certificate if key is None else (endpoint.client_certificate, key)
            self._session = session
        return self._session

    def _compressed(self, body: bytes) -> bytes:
        if self._endpoint.compression == "gzip":
            # Level 6 as others have it; 9 takes thrice the time for 2 %.
            return gzip.compress(body, 6, mtime=0)
        if self._endpoint.compression == "deflate":
            return zlib.compress(body)
        return body


def _user_agent() -> str:
    try:
        return f"discreet/{version('discreet')}"
    except PackageNotFoundError:
        # Copied somewhere without its metadata, as zipapps and freezers do.
        return "discreet"


def _read(found: requests.Response, end: float) -> bytes:
    """Return the beginning of an answer's body.

    Raises:
        UnansweredError: It did not come in time.
    """
    body = b""
    for part in found.iter_content(8192):
        body += part
        if len(body) >= _MOST_READ:
            break
        if time.monotonic() > end:
            raise UnansweredError("timeout")
    return body


def _is_no_http(error: BaseException) -> bool:
    """Tell whether somebody answered, but not in HTTP, such as a port for gRPC."""
    parts: list[object] = [error]
    while parts:
        part = parts.pop()
        if isinstance(part, BadStatusLine):
            return not isinstance(part, RemoteDisconnected)
        if isinstance(part, BaseException):
            parts += part.args
    return False


def _retry_after(header: str | None) -> float | None:
    """Return the seconds of the header, which says them as a number or as a date."""
    if header is None:
        return None
    try:
        return float(Retry().parse_retry_after(header))
    except (InvalidHeader, ValueError, OverflowError):
        return None
