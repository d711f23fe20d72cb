"""The shipped manifests of Kubernetes: built as kubectl builds them, read into the types of the API."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.servers.catalog import program
from tests.shipping.shipping import CONFIGS

pytestmark = [pytest.mark.integration, pytest.mark.servers]

DASHBOARDS = CONFIGS.parent
# What discreet takes to close its sinks, in seconds, unless it is told otherwise.
SHUTDOWN_S = 5


def objects(folder: Path) -> dict[str, dict[str, Any]]:
    """The objects of a folder by kind; keys that the API doesn't know fail."""
    done = subprocess.run([str(program("manifests")), str(folder)], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {one["kind"]: one for one in map(json.loads, done.stdout.splitlines())}


def test_the_collector_of_a_node_gets_the_files_that_it_is_told_to_read() -> None:
    """And has its state and the containers' files from the node."""
    built = objects(DASHBOARDS)
    pod = built["DaemonSet"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    told = [word.rpartition("/")[2] for word in container["args"] if word.startswith("--config=/etc/otelcol/")]
    config = built["ConfigMap"]

    assert set(built) == {"Namespace", "DaemonSet", "ConfigMap"}
    assert sorted(told) == sorted(config["data"])
    assert config["data"] == {name: (CONFIGS / name).read_text(encoding="utf-8") for name in told}
    assert {volume["name"]: volume.get("hostPath", {}).get("path") for volume in pod["volumes"]} == {
        "config": None,
        "pods": "/var/log/pods",
        "state": "/var/lib/otelcol",
    }
    config_volume = next(volume for volume in pod["volumes"] if volume["name"] == "config")
    assert config_volume["configMap"]["name"] == config["metadata"]["name"]


def test_a_service_has_longer_to_end_than_its_sinks_need(tmp_path: Path) -> None:
    """And says of its pod what the Downward API knows, all constant."""
    (tmp_path / "service.yaml").write_bytes((DASHBOARDS / "kubernetes" / "service.yaml").read_bytes())
    (tmp_path / "kustomization.yaml").write_text("resources: [service.yaml]\n", encoding="utf-8")
    pod = objects(tmp_path)["Deployment"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    variables = {one["name"]: one for one in container["env"]}
    pairs = variables["OTEL_RESOURCE_ATTRIBUTES"]["value"].split(",")
    used = [value[2:-1] for _, _, value in (pair.partition("=") for pair in pairs) if value.startswith("$(")]
    names = [one["name"] for one in container["env"]]

    assert pod["terminationGracePeriodSeconds"] > 2 * SHUTDOWN_S
    # A variable is filled in only where it was defined before.
    assert all(names.index(name) < names.index("OTEL_RESOURCE_ATTRIBUTES") for name in used)
    assert all("fieldRef" in variables[name]["valueFrom"] for name in used)
