"""``python -m tests.shipping``: the long form of the tests, with figures for a person."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.servers.building import PROGRAMS
from tests.shipping.guard import write_allow_list
from tests.shipping.shipping import Shipment
from tests.shipping.ways import Files, Pods

WAYS = {"files": Files, "pods": Pods}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.shipping", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rate", type=float, default=2_000, help="records a second")
    parser.add_argument("--rounds", type=int, default=6, help="how often everything is killed")
    parser.add_argument("--way", choices=WAYS, action="append", help="both when left out")
    options = parser.parse_args()
    for name in ("collector", "victorialogs"):
        PROGRAMS[name].build()
    wrong = 0
    for name in options.way or WAYS:
        with tempfile.TemporaryDirectory() as folder:
            base = Path(folder)
            way = WAYS[name](base / "logs")
            shipment = Shipment(
                way, base, options.records, options.rate, options.rounds, write_allow_list(base / "allow-list.yaml")
            )
            figures = shipment.run()
        print(f"{name}: {figures}", flush=True)
        wrong += figures.missing > 0 or figures.duplicates > figures.said / 100
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
