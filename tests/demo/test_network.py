import re

import pytest

from tests.demo.conftest import Runs

pytestmark = pytest.mark.integration


def test_the_demo_connects_to_loopback_only(demo: Runs) -> None:
    """Every address that the run connects to or looks up is 127.0.0.1, and there are some."""
    noted = demo.first.out.with_suffix(".connections").read_text(encoding="utf-8").splitlines()
    assert {re.sub(r", \d+\)", ", port)", line) for line in noted} <= {
        "connect ('127.0.0.1', port)",
        "lookup '127.0.0.1'",
    }
    assert noted
