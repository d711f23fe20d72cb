"""Ready logging configurations for a script, uvicorn, gunicorn, Django and Celery."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from discreet.contract import active
from discreet.errors import InvalidInputError

__all__ = ["FORMATS", "TARGETS", "configuration", "recipe"]


def configuration(service: str | None = None, level: str = "INFO") -> dict[str, Any]:
    """Return a dictionary for :func:`logging.config.dictConfig`: guard, JSON to standard output, content loggers closed.

    Args:
        service: value of the field ``service``; left out when None.
        level: the root logger's level.

    .. versionadded:: 0.1.0
    """
    handler: dict[str, Any] = {"()": "discreet.JsonHandler", "stream": "-"}
    if service is not None:
        handler["service"] = service
    content = sorted(name for contract in active().contracts for name in contract.content_loggers)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"guard": {"()": "discreet.ContentGuard"}},
        "handlers": {"json": handler},
        "root": {"level": level, "handlers": ["json"]},
        "loggers": {name: {"level": "INFO"} for name in content},
    }


def _for_uvicorn(service: str | None, level: str) -> dict[str, Any]:
    found = configuration(service, level)
    # uvicorn's own loggers have no handler here, so that their records come to the root logger's.
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        found["loggers"][name] = {"level": level, "handlers": [], "propagate": True}
    return found


def _as_python(name: str, value: Any) -> str:
    import pprint

    return f"{name} = {pprint.pformat(value, sort_dicts=False, width=100)}\n"


def _script(service: str | None, level: str) -> str:
    return (
        '"""Logging for a script: import this module first."""\n\nimport logging.config\n\n'
        + _as_python("LOGGING", configuration(service, level))
        + "\nlogging.config.dictConfig(LOGGING)\n"
    )


def _gunicorn(service: str | None, level: str) -> str:
    found = configuration(service, level)
    for name in ("gunicorn.error", "gunicorn.access"):
        found["loggers"][name] = {"level": level, "handlers": [], "propagate": True}
    # gunicorn merges this over defaults of its own, which name handlers that must exist.
    found["handlers"]["console"] = found["handlers"]["error_console"] = dict(found["handlers"]["json"])
    return (
        '"""gunicorn.conf.py: gunicorn --config gunicorn.conf.py package.module:app"""\n\n'
        'accesslog = "-"\n' + _as_python("logconfig_dict", found)
    )


def _django(service: str | None, level: str) -> str:
    found = configuration(service, level)
    # Django's own configuration gives these loggers handlers; records of "django.server" would not reach root.
    found["loggers"]["django"] = {"level": level, "handlers": [], "propagate": True}
    found["loggers"]["django.server"] = {"level": level, "handlers": [], "propagate": True}
    return '"""A part of settings.py."""\n\n' + _as_python("LOGGING", found)


def _celery(service: str | None, level: str) -> str:
    return (
        '"""A part of the module of the Celery app."""\n\nimport logging.config\nfrom typing import Any\n\n'
        "from celery.signals import setup_logging\n\n"
        + _as_python("LOGGING", configuration(service, level))
        + "\n\n@setup_logging.connect\n"
        "def set_up_logging(**_: Any) -> None:\n"
        '    """Keep Celery from replacing the root logger\'s handlers."""\n'
        "    logging.config.dictConfig(LOGGING)\n"
    )


def _uvicorn(service: str | None, level: str) -> str:
    return json.dumps(_for_uvicorn(service, level), indent=2) + "\n"


_AS_PYTHON: Final[dict[str, Callable[[str | None, str], str]]] = {
    "script": _script,
    "uvicorn": lambda service, level: _as_python("LOGGING", _for_uvicorn(service, level)),
    "gunicorn": _gunicorn,
    "django": _django,
    "celery": _celery,
}

TARGETS: Final = tuple(_AS_PYTHON)
"""What :func:`recipe` knows.

.. versionadded:: 0.1.0
"""

FORMATS: Final = ("python", "json", "yaml", "ini")
"""The notations of :func:`recipe`; the target decides by default.

.. versionadded:: 0.1.0
"""


def _ini(service: str | None, level: str) -> str:
    content = sorted(name for contract in active().contracts for name in contract.content_loggers)
    keys = {name: name.replace(".", "_") for name in content}
    keywords = {"stream": "-", "guard": True} | ({"service": service} if service is not None else {})
    lines = [
        "[loggers]",
        "keys=" + ",".join(["root", *keys.values()]),
        "",
        "[handlers]",
        "keys=json",
        "",
        "[formatters]",
        "keys=",
        "",
        "[logger_root]",
        f"level={level}",
        "handlers=json",
        "",
        "[handler_json]",
        "class=discreet.JsonHandler",
        "args=()",
        f"kwargs={keywords!r}",
    ]
    for name, key in keys.items():
        lines += ["", f"[logger_{key}]", "level=INFO", "handlers=", f"qualname={name}"]
    return "\n".join(lines) + "\n"


def recipe(target: str, notation: str | None = None, *, service: str | None = None, level: str = "INFO") -> str:
    """Return a ready configuration as text.

    Args:
        target: one of :data:`TARGETS`.
        notation: one of :data:`FORMATS`; by default JSON for uvicorn and Python for the others.
        service: value of the field ``service``.
        level: the root logger's level.

    Raises:
        InvalidInputError: there is no such target or notation, or YAML was asked for and PyYAML is missing.

    .. versionadded:: 0.1.0
    """
    if target not in TARGETS:
        raise InvalidInputError(f"there is no recipe of this name; use one of {', '.join(TARGETS)}", param="target")
    if notation is None:
        notation = "json" if target == "uvicorn" else "python"
    if notation == "python":
        return _AS_PYTHON[target](service, level)
    if notation not in FORMATS:
        raise InvalidInputError(f"there is no such notation; use one of {', '.join(FORMATS)}", param="notation")
    if notation == "ini":
        return _ini(service, level)
    values = _for_uvicorn(service, level) if target == "uvicorn" else configuration(service, level)
    if notation == "json":
        return json.dumps(values, indent=2) + "\n"
    try:
        import yaml
    except ImportError as error:
        raise InvalidInputError(
            "YAML needs PyYAML: install discreet[cli], or use json, which is YAML too", param="notation"
        ) from error
    return str(yaml.safe_dump(values, sort_keys=False))
