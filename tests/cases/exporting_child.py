"""Runs one snippet of `exporting` in this process: a JSON file and OTLP, set up by configure()."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import discreet

NAMES = Path(__file__).with_name("names.toml")


def main() -> None:
    """Set up, run the snippet, close, and write the counts beside its lines."""
    job = json.loads(sys.argv[1])
    out = Path(job["out"])
    spec = importlib.util.spec_from_file_location("snippet", job["snippet"])
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["snippet"] = module
    spec.loader.exec_module(module)
    case = module.CASE
    for _ in range(case.get("set_ups", 1)):
        handle = discreet.configure(
            contracts=[NAMES],
            level=case.get("level", "INFO"),
            json=out / "logs.jsonl",
            otlp=job["url"],
            shutdown_timeout=job["shutdown"],
        )
    module.emit()
    handle.close()
    (out / "ledger.json").write_text(json.dumps(handle.ledger.as_dict()), encoding="utf-8")


if __name__ == "__main__":
    main()
