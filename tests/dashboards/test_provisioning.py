"""What Grafana and Docker Compose are told, held against the files that there are."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

import yaml

FOLDER = Path(__file__).parents[2] / "dashboards"
PROVISIONING = FOLDER / "grafana" / "provisioning"
IN_THE_CONTAINER = PurePosixPath("/otel-lgtm/grafana/conf/provisioning")


def loaded(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def mounted() -> dict[str, str]:
    """Files of ours by where they are in the container."""
    parts = [one.split(":") for one in loaded(FOLDER / "compose.yaml")["services"]["lgtm"]["volumes"]]
    return {inside: outside for outside, inside, *mode in parts if mode == ["ro"]}


def test_every_file_that_is_mounted_is_there() -> None:
    """Docker makes an empty folder of one that isn't."""
    assert [outside for outside in mounted().values() if not (FOLDER / outside).is_file()] == []


def test_all_of_the_provisioning_is_mounted_where_grafana_looks() -> None:
    """Each file in the folder of its kind."""
    found = {(str(PurePosixPath(inside).parent), outside) for inside, outside in mounted().items()}

    for file in sorted(PROVISIONING.glob("*/*.yaml")):
        kind = file.parent.name
        assert (str(IN_THE_CONTAINER / kind), f"./grafana/provisioning/{kind}/{file.name}") in found


def test_the_dashboard_is_mounted_where_its_provider_looks() -> None:
    """And nothing else is there."""
    (provider,) = loaded(PROVISIONING / "dashboards" / "discreet.yaml")["providers"]
    folder = provider["options"]["path"]

    assert [outside for inside, outside in mounted().items() if inside.startswith(f"{folder}/")] == [
        "./grafana/overview.json"
    ]


def test_ports_are_those_of_this_machine_only() -> None:
    """Nobody has to log in there."""
    ports = loaded(FOLDER / "compose.yaml")["services"]["lgtm"]["ports"]

    assert ports == ["127.0.0.1:3000:3000", "127.0.0.1:4318:4318"]


def test_records_and_dots_lead_to_traces() -> None:
    """By sources that are provisioned, with a dollar that Grafana leaves for later."""
    sources = {
        one["uid"]: one["jsonData"] for one in loaded(PROVISIONING / "datasources" / "discreet.yaml")["datasources"]
    }

    assert sources.keys() == {"prometheus", "loki", "tempo"}
    (of_record,) = sources["loki"]["derivedFields"]
    (of_dot,) = sources["prometheus"]["exemplarTraceIdDestinations"]
    assert (of_record["datasourceUid"], of_record["matcherType"], of_record["matcherRegex"], of_record["url"]) == (
        "tempo",
        "label",
        "trace_id",
        "$${__value.raw}",
    )
    assert (of_dot["datasourceUid"], of_dot["name"]) == ("tempo", "trace_id")
    assert sources["tempo"]["tracesToLogsV2"]["datasourceUid"] == "loki"
