"""Asks Prometheus' own tool what queries and rules make of series that a test writes down."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.servers.catalog import program


def series(samples: Mapping[str, str]) -> list[dict[str, str]]:
    """Series by their selector, with one value a minute, in promtool's notation."""
    return [{"series": name, "values": values} for name, values in samples.items()]


def checked(path: Path) -> str:
    """What `promtool check rules` says of a file."""
    done = subprocess.run(
        [str(program("promtool")), "check", "rules", str(path)], capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def complaints(folder: Path, rules: Sequence[Path], tests: Sequence[Mapping[str, Any]]) -> str:
    """Run `promtool test rules`; returns what it complains about, nothing when all is as expected."""
    file = folder / "tests.yaml"
    whole = {"rule_files": [str(path) for path in rules], "evaluation_interval": "1m", "tests": list(tests)}
    # YAML is a superset of JSON.
    file.write_text(json.dumps(whole), encoding="utf-8")
    done = subprocess.run(
        [str(program("promtool")), "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else done.stdout + done.stderr


def value(query: str, at: int, expected: float | None, labels: str = "{}") -> dict[str, Any]:
    """Expect one value of a query at a minute, or none."""
    samples = [] if expected is None else [{"labels": labels, "value": expected}]
    return {"expr": query, "eval_time": f"{at}m", "exp_samples": samples}
