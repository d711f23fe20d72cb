"""Nothing that was written is lost on the two durable ways, whatever is killed; the store is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import Shipment
from tests.shipping.ways import Files, Pods, Way

pytestmark = [pytest.mark.integration, pytest.mark.servers]

RECORDS = 20_000
RATE = 600.0


@pytest.mark.parametrize("kind", [Files, Pods], ids=["a rotated file", "files of a container runtime"])
def test_every_record_that_was_written_is_in_the_store(kind: type[Way], tmp_path: Path) -> None:
    """Eight threads of four processes; a service, the Collector and the store go down and come back.

    A record counts as written once its log call has returned. Records may be in the store twice, fewer than 1 %.
    """
    allow_list = write_allow_list(tmp_path / "allow-list.yaml")
    figures = Shipment(kind(tmp_path / "logs"), tmp_path, RECORDS, RATE, 1, allow_list).run()

    assert [one.missing for one in figures.processes] == [0] * 5
    assert figures.said > RECORDS * 0.99
    assert figures.duplicates < figures.said / 100
    assert (figures.collector_kills, figures.service_kills, figures.outages, figures.rotations) == (2, 1, 1, 2)
