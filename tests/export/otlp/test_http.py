"""One request: what is read of its answer, and what is no answer."""

from __future__ import annotations

import time
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest

from discreet.export.otlp.answers import Answer, UnansweredError
from discreet.export.otlp.settings import Endpoint
from tests.export.otlp.fault_server import OK, Fault, FaultServer, nobody, status

pytestmark = pytest.mark.integration


def transport_to(endpoint: Endpoint) -> Any:
    # Not imported above, because the suite without extras reads this file too.
    from discreet.export.otlp._http import HttpTransport as Transport

    return Transport(endpoint)


def _retry_after(header: str | None) -> float | None:
    from discreet.export.otlp import _http

    return _http._retry_after(header)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [(None, None), ("7", 7.0), ("0", 0.0), ("soon", None), ("", None), ("-3", None)],
)
def test_retry_after_is_a_number_or_nothing(header: str | None, seconds: float | None) -> None:
    """What can't be read is as good as absent."""
    assert _retry_after(header) == seconds


def test_retry_after_may_be_a_date() -> None:
    """Of the future; one of the past means now."""
    found = _retry_after(formatdate(time.time() + 40, usegmt=True))

    assert found is not None
    assert 30 < found <= 40
    assert _retry_after(formatdate(time.time() - 40, usegmt=True)) == 0.0


def test_an_answer_is_read_as_far_as_it_is_looked_at() -> None:
    """A body without end is not read to it."""
    with FaultServer([Fault(body=b"x" * 1_000_000, content_type="Text/HTML; charset=utf-8")]) as server:
        transport = transport_to(Endpoint(f"{server.base}/v1/logs", {}))
        answer = transport.post(b"", 10)
        transport.close()

    assert (answer.status, answer.content_type) == (200, "text/html")
    assert 0 < len(answer.body) < 100_000


def test_one_connection_serves_request_after_request() -> None:
    """And a new one is made where the collector has closed it."""
    with FaultServer([OK, status(429, Retry_After="3", Connection="close"), OK]) as server:
        transport = transport_to(Endpoint(f"{server.base}/v1/logs", {}))
        answers = [transport.post(b"", 10) for _ in range(3)]
        transport.close()
        transport.close()

    assert answers == [
        Answer(200, "application/x-protobuf"),
        Answer(429, "application/x-protobuf", 3.0),
        Answer(200, "application/x-protobuf"),
    ]


@pytest.mark.parametrize(
    ("endpoint", "reason", "retryable"),
    [
        (Endpoint(f"{nobody()}/v1/logs", {}), "connection_failed", True),
        (Endpoint("https://127.0.0.1:9/v1/logs", {}, certificate="missing.pem"), "connection_failed", False),
        (Endpoint("http://no-such-host.invalid/v1/logs", {}), "connection_failed", True),
    ],
)
def test_what_is_no_answer_has_a_reason(endpoint: Endpoint, reason: str, retryable: bool) -> None:
    """A file that is missing will be missing the next time too."""
    with pytest.raises(UnansweredError) as caught:
        transport_to(endpoint).post(b"", 5)

    assert (caught.value.reason, caught.value.retryable) == (reason, retryable)


def test_who_asks_is_what_was_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name and password in the URL, or a header; a netrc file has no say."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1\nlogin ida\npassword wrong\n", encoding="ascii")
    monkeypatch.setenv("NETRC", str(netrc))
    found = []
    with FaultServer() as server:
        host = server.base.removeprefix("http://")
        for url, headers in (
            (f"http://{host}/v1/logs", {"authorization": "Bearer abc"}),
            (f"http://keeper:lamp@{host}/v1/logs", {}),
            (f"http://{host}/v1/logs", {}),
        ):
            transport = transport_to(Endpoint(url, headers))
            transport.post(b"", 10)
            transport.close()
            found.append({name.lower(): value for name, value in server.headers.items()}.get("authorization"))

    assert found == ["Bearer abc", "Basic a2VlcGVyOmxhbXA=", None]
