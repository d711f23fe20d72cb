"""verbatim 0.3, by a package that stands in for it: each of its errors and warnings is in the record of its call."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.contract.source import load_shipped
from tests.calls.seen import CHANGING

pytestmark = pytest.mark.integration

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DEMO = ROOT / "docs" / "examples" / "demo" / "verbatim_standin"
ERRORS = {
    "invalid_value": ("InvalidInputError", "input"),
    "missing_field": ("InvalidInputError", "input"),
    **dict.fromkeys(
        [
            *("missing_dependency", "model_not_loaded", "missing_embedder", "missing_llm_client"),
            *("authentication_failed", "permission_denied", "model_not_found", "quota_exceeded"),
        ],
        ("ConfigurationError", "configuration"),
    ),
    **dict.fromkeys(
        [
            *("timeout", "connection_failed", "rate_limited", "server_error", "invalid_reply"),
            *("request_rejected", "empty_reply", "client_failed"),
        ],
        ("UpstreamError", "upstream"),
    ),
}
MESSAGES = {
    "InvalidInputError": "chunks[3] is wrong",
    "ConfigurationError": "a setting is wrong",
    "UpstreamError": "the service failed",
}
FINAL = {"request_rejected", "empty_reply", "client_failed"}
WARNINGS = ("quote_not_found", "span_text_not_found", "chunk_truncated", "template_fallback", "reranker_fallback")


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    folder = tmp_path_factory.mktemp("next")
    package = folder / "verbatim_core"
    shutil.copytree(DEMO, package, ignore=shutil.ignore_patterns("__pycache__"))
    for file in package.glob("*.py"):
        file.write_text(file.read_text("utf-8").replace("verbatim_standin", "verbatim_core"), "utf-8")
    shutil.copy(HERE / "standins" / "verbatim_core_next" / "transform.py", package)
    with (package / "__init__.py").open("a", encoding="utf-8") as file:
        file.write("\nfrom verbatim_core.transform import Transformer\n")
    (package / "extractors.py").write_text(
        "from verbatim_core.extractor import ModelSpanExtractor as ModelSpanExtractor\n", "utf-8"
    )
    (folder / "verbatim_core-0.3.0.dist-info").mkdir()
    about = "Metadata-Version: 2.1\nName: verbatim-core\nVersion: 0.3.0\n"
    (folder / "verbatim_core-0.3.0.dist-info" / "METADATA").write_text(about, "utf-8")
    path = os.pathsep.join([str(folder), *filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, str(HERE / "programs" / "next_release.py")],
        env={**os.environ, "PYTHONPATH": path, "DISCREET_REPORT_EVERY": "0"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert [word for word in ("Ottilie", "capstan", "Thorvald") if word in done.stdout] == []
    return [json.loads(line) for line in done.stdout.splitlines()]


def finished(records: list[dict[str, Any]], operation: str) -> list[dict[str, Any]]:
    found = [dict(line) for line in records if line.get("operation") == operation]
    for line in found:
        for name in (*CHANGING, "duration_ms", "exception_frames", "message"):
            line.pop(name, None)
    return found


def test_each_error_is_in_the_record_of_its_call(records: list[dict[str, Any]]) -> None:
    """All 19: code, class, and what the contract types of them. Their messages are safe by it."""
    expected = []
    codes = [*list(ERRORS)[:2], "invalid_value", *list(ERRORS)[2:]]
    for number, code in enumerate(codes):
        kind, error_class = ("ConfigurationError", "configuration") if number == 2 else ERRORS[code]
        expected.append(
            {
                "level": "INFO",
                "logger": "discreet",
                "event": "call_finished",
                "error_code": code,
                "error_class": error_class,
                **({"param": "chunks[3].id"} if kind == "InvalidInputError" else {}),
                **({"upstream_service": "llm", "retryable": code not in FINAL} if kind == "UpstreamError" else {}),
                "operation": "verbatim.transform",
                "outcome": "error",
                "exception_type": f"verbatim_core.errors.{kind}",
                "exception_code": code,
                "exception_message": MESSAGES[kind],
            }
        )
    assert len(expected) == 19
    assert finished(records, "verbatim.transform")[: len(expected)] == expected


def test_each_warning_is_in_the_record_of_its_call(records: list[dict[str, Any]]) -> None:
    """All 5: the result says so itself."""
    assert finished(records, "verbatim.transform")[19:] == [
        {
            "level": "INFO",
            "logger": "discreet",
            "event": "call_finished",
            "warning_code": code,
            "operation": "verbatim.transform",
            "outcome": "degraded",
            "warnings": 1,
        }
        for code in WARNINGS
    ]


def test_loading_is_a_call_and_told_once(records: list[dict[str, Any]]) -> None:
    """By the library itself; a wrong device is its error."""
    loading = [(line["outcome"], line.get("error_code")) for line in finished(records, "verbatim.load_model")]
    assert loading == [("ok", None), ("error", "invalid_value")]
    (record,) = [line for line in records if line.get("event") == "model_loaded"]
    assert (record["model"], record["device"], record["logger"]) == (
        "example-org/small-1",
        "cpu",
        "verbatim_core.extractor",
    )


def test_the_errors_and_warnings_are_those_of_the_contract() -> None:
    """Besides the codes of classes, and that for streams, which have tests of their own."""
    contract = load_shipped("verbatim")
    by_class = {"verbatim_error", "internal_error", "invalid_input", "configuration_error", "upstream_error"}
    assert {row.code for row in contract.error_codes} - by_class == set(ERRORS)
    assert {row.code for row in contract.warning_codes} == set(WARNINGS)
