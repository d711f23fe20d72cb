"""The files that `discreet dashboards render` writes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from discreet.contract.model import Contract
from discreet.errors import ConfigurationError

__all__ = ["FILES", "rendered", "write"]

FILES: Final = (
    "grafana/overview.json",
    "grafana/overview-victorialogs.json",
    "grafana/provisioning/alerting/discreet.yaml",
    "grafana/provisioning/dashboards/discreet.yaml",
    "grafana/provisioning/datasources/discreet.yaml",
    "prometheus/alerts.yaml",
)
"""The paths of all files, below the folder.

.. versionadded:: 0.1.0
"""

_MADE: Final = "# Made by `discreet dashboards render`. Make it anew when a contract changes.\n"
_DASHBOARDS: Final = "/var/lib/grafana/dashboards/discreet"


def rendered(contracts: Iterable[Contract]) -> dict[str, str]:
    """Return all files, by their path below the folder.

    Args:
        contracts: Whose codes the dashboard explains.

    Raises:
        ConfigurationError: The extra ``dashboards`` isn't installed.

    .. versionadded:: 0.1.0
    """
    try:
        import yaml

        module = _overview()
    except ImportError as error:
        if error.name is None or error.name.partition(".")[0] not in {"grafana_foundation_sdk", "yaml"}:
            raise
        raise ConfigurationError(
            "the extra `dashboards` isn't installed", remedy="Run: pip install 'discreet[dashboards]'"
        ) from error
    from discreet.dashboards.alerts import grafana_rules, prometheus_rules

    def as_yaml(content: Mapping[str, Any]) -> str:
        return _MADE + str(yaml.safe_dump(dict(content), sort_keys=False, width=110, allow_unicode=True))

    listed = tuple(contracts)
    with_loki = module.overview(listed)
    texts = (
        with_loki,
        module.overview(listed, store="victorialogs"),
        as_yaml(grafana_rules(module.UID, module.panel_ids(with_loki))),
        as_yaml(_provider()),
        as_yaml(_sources()),
        as_yaml(prometheus_rules()),
    )
    return dict(zip(FILES, texts, strict=True))


def _overview() -> ModuleType:
    with warnings.catch_warnings():
        # The SDK would have its users write the newer format, which only the newest Grafana reads from files.
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module("discreet.dashboards._grafana.overview")


def write(files: Mapping[str, str], folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write files below a folder, which is made if it isn't there; returns their paths.

    Args:
        files: Their texts, by path below the folder.
        folder: Where.

    Raises:
        ConfigurationError: A file can't be written.

    .. versionadded:: 0.1.0
    """
    paths = []
    for name, text in files.items():
        path = Path(folder, name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ConfigurationError(f"can't be written: {reason}", place=str(path)) from error
        paths.append(path)
    return tuple(paths)


def _provider() -> dict[str, Any]:
    provider = {
        "name": "discreet",
        "folder": "discreet",
        "type": "file",
        "allowUiUpdates": False,
        "options": {"path": _DASHBOARDS},
    }
    return {"apiVersion": 1, "providers": [provider]}


def _sources() -> dict[str, Any]:
    """Sources with the ids that the alert rules name, and ways from records and dots to traces."""
    to_trace = {"datasourceUid": "tempo", "urlDisplayLabel": "Trace"}
    # Grafana replaces ${...} in these files unless the dollar is doubled.
    value = "$${__value.raw}"
    of_trace = '{$${__tags}} | trace_id = "$${__trace.traceId}"'
    prometheus = {"timeInterval": "60s", "exemplarTraceIdDestinations": [{"name": "trace_id", **to_trace}]}
    loki = {
        "derivedFields": [
            {"name": "trace_id", "matcherType": "label", "matcherRegex": "trace_id", "url": value, **to_trace}
        ]
    }
    records = {
        "datasourceUid": "loki",
        "customQuery": True,
        "query": of_trace,
        "tags": [{"key": "service.name", "value": "service_name"}],
        "spanStartTimeShift": "-5m",
        "spanEndTimeShift": "5m",
    }
    found = (
        ("Prometheus", "prometheus", 9090, prometheus),
        ("Loki", "loki", 3100, loki),
        ("Tempo", "tempo", 3200, {"tracesToLogsV2": records}),
    )
    sources = [
        {
            "name": name,
            "type": plugin,
            "uid": plugin,
            "access": "proxy",
            "url": f"http://localhost:{port}",
            "isDefault": plugin == "prometheus",
            "jsonData": options,
        }
        for name, plugin, port, options in found
    ]
    return {"apiVersion": 1, "datasources": sources}
