"""Whatever a collector answers: nothing is raised, and each collection is counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import discreet
from discreet.export import closing
from discreet.export.ledger import LEDGER
from tests.export.otlp.fault_server import GARBAGE, LOGIN_PAGE, NO_HTTP, OK, Fault, FaultServer, status

pytestmark = pytest.mark.integration


@pytest.fixture(autouse=True)
def _fresh_ledger(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    LEDGER.clear()
    # What was said is not said again.
    monkeypatch.setattr(closing, "_said", {})
    yield
    LEDGER.clear()


# partial_success { rejected_data_points: 3 }
SOME_REJECTED = Fault(body=b"\x0a\x02\x08\x03")
# partial_success { error_message: "slow" }: a warning, nothing is rejected.
WARNED = Fault(body=b"\x0a\x06\x12\x04slow")


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (OK, None),
        (WARNED, None),
        (SOME_REJECTED, "rejected"),
        (status(400), "refused"),
        (status(401), "unauthorized"),
        (status(404), "refused"),
        (status(413), "too_large"),
        (status(500), "server_error"),
        (status(302, Location="http://127.0.0.1:9/"), "redirected"),
        (GARBAGE, "bad_answer"),
        (LOGIN_PAGE, "bad_answer"),
        (NO_HTTP, "bad_answer"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_collection_is_observed_or_missing_with_a_reason(
    fault: Fault, reason: str | None, capfd: pytest.CaptureFixture[str]
) -> None:
    """The counts go on, and the next collection has them all."""
    with FaultServer([fault]) as server:
        with discreet.configure(json=None, metrics=server.base) as handle:
            with discreet.observe_call("boats.find"):
                pass
            handle.flush()
        counts: dict[str, Any] = LEDGER.sink("otlp_metrics").as_dict()
    wanted = {"observed": 3, "missing": 0} if reason is None else {"observed": 0, "missing": 3}
    assert {name: counts[name] for name in wanted} == wanted
    assert counts["missing_by_reason"] == ({} if reason is None else {reason: 3})
    said = "" if reason is None else f"discreet: 3 of 3 records are missing in the sink otlp_metrics: {reason}\n"
    assert capfd.readouterr().err == said
