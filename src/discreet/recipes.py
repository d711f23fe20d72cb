"""Ready logging configurations for a script, uvicorn, gunicorn, Django and Celery."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any, Final

from discreet.contract import active
from discreet.contract.shown import listed
from discreet.errors import InvalidInputError
from discreet.match_mode import checked

__all__ = ["FORMATS", "LEVELS", "TARGETS", "configuration", "recipe"]

TARGETS: Final = ("script", "uvicorn", "gunicorn", "django", "celery")
"""What :func:`recipe` knows.

.. versionadded:: 0.1.0
"""

FORMATS: Final = ("python", "json", "yaml", "ini")
"""The notations of :func:`recipe`; the target decides by default.

.. versionadded:: 0.1.0
"""

LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
"""The levels that :func:`recipe` takes.

.. versionadded:: 0.1.0
"""

_ACCESS_LOG_FORMAT: Final = '%(h)s "%(m)s %({raw_uri}e)s %(H)s" %(s)s %(b)s %(L)s'
"""gunicorn's access line with an argument for each part, so that method and route become fields of their own."""

# How a server's own loggers come to the JSON handler.
_TO_ROOT: Final[Mapping[str, Any]] = {"handlers": [], "propagate": True}
# uvicorn's and other workers of gunicorn copy the handlers of its loggers and cut the way to the root logger.
_BY_ITSELF: Final[Mapping[str, Any]] = {"handlers": ["json"], "propagate": False}

_LOGGERS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    # Names that another configuration, such as uvicorn.run()'s or Django's default, gives handlers.
    "uvicorn": dict.fromkeys(("uvicorn", "uvicorn.error", "uvicorn.access"), _TO_ROOT),
    "gunicorn": dict.fromkeys(("gunicorn.error", "gunicorn.access"), _BY_ITSELF),
    "django": dict.fromkeys(("django", "django.server"), _TO_ROOT),
}

_FROM_YAML: Final = "logging.config.dictConfig(yaml.safe_load(file))"
_FROM_INI: Final = "logging.config.fileConfig(path, disable_existing_loggers=False)"

_USE: Final[Mapping[str, Mapping[str, str]]] = {
    "script": {
        "python": "import this module before any other of the program",
        "yaml": _FROM_YAML,
        "ini": _FROM_INI,
    },
    "uvicorn": {
        "python": "uvicorn.run(app, log_config=LOGGING)",
        "yaml": "uvicorn --log-config logging.yaml package.module:app",
        "ini": "uvicorn --log-config logging.ini package.module:app",
    },
    "gunicorn": {
        "python": "gunicorn --config gunicorn.conf.py package.module:app",
        "yaml": "logconfig_dict = yaml.safe_load(file), in gunicorn.conf.py",
        "ini": "gunicorn --log-config logging.ini package.module:app",
    },
    "django": {
        "python": "a part of settings.py",
        "yaml": "LOGGING = yaml.safe_load(file), in settings.py",
        "ini": f"LOGGING_CONFIG = None and {_FROM_INI}, in settings.py",
    },
    "celery": {
        "python": "a part of the module of the Celery app; start it as celery --quiet, for a banner is no JSON",
        "yaml": f"{_FROM_YAML}, in a receiver of celery.signals.setup_logging",
        "ini": f"{_FROM_INI}, in a receiver of celery.signals.setup_logging",
    },
}
"""How a file of each kind is used; JSON has no comments."""

_PRINTS_RESULTS: Final = frozenset({"django"})
"""Targets whose standard output is no log alone: what commands of ``manage.py`` print, such as ``dumpdata``, is for
whoever has called them. A server that runs such an application has a configuration of its own."""

_MAX_SERVICE: Final = 255


def configuration(
    target: str = "script", *, service: str | None = None, level: str = "INFO", match: Iterable[str] = ()
) -> dict[str, Any]:
    """Return a dictionary for `logging.config.dictConfig`: guard, JSON to standard output, content loggers closed.

    Args:
        target: one of :data:`TARGETS`.
        service: value of the field ``service``; left out when None.
        level: the level of the root logger and of the target's own loggers, one of :data:`LEVELS`.
        match: loggers in match mode, see :class:`discreet.ContentGuard`.

    Raises:
        InvalidInputError: an argument has a wrong value.
        ConfigurationError: there is no match mode for a logger.

    .. versionadded:: 0.1.0
    """
    matching = list(checked(listed(match, "match")))
    _check(target, "target", TARGETS)
    _check(level, "level", LEVELS)
    if service is not None and not (0 < len(service) <= _MAX_SERVICE and service.isprintable()):
        raise InvalidInputError(f"must be 1 to {_MAX_SERVICE} printable characters", param="service")
    handler: dict[str, Any] = {"()": "discreet.JsonHandler", "stream": "-"}
    if service is not None:
        handler["service"] = service
    own = {name: {"level": level, **deepcopy(rest)} for name, rest in _LOGGERS.get(target, {}).items()}
    guard: dict[str, Any] = {"()": "discreet.ContentGuard"}
    if target not in _PRINTS_RESULTS:
        guard["streams"] = True
    content = sorted(name for contract in active().contracts for name in contract.content_loggers)
    # Above DEBUG, whatever the root logger has; and never lower than that, which would let more through.
    closed = max("INFO", level, key=LEVELS.index)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"guard": guard | ({"match": matching} if matching else {})},
        "handlers": {"json": handler},
        "root": {"level": level, "handlers": ["json"]},
        "loggers": own | {name: {"level": closed} for name in content},
    }


def recipe(
    target: str,
    notation: str | None = None,
    *,
    service: str | None = None,
    level: str = "INFO",
    match: Iterable[str] = (),
) -> str:
    """Return a ready configuration as text, in ASCII.

    Args:
        target: one of :data:`TARGETS`.
        notation: one of :data:`FORMATS`; by default JSON for uvicorn and Python for the others.
        service: value of the field ``service``.
        level: the level of the root logger and of the target's own loggers, one of :data:`LEVELS`.
        match: loggers in match mode, see :class:`discreet.ContentGuard`.

    Raises:
        InvalidInputError: an argument has a wrong value, or YAML was asked for and PyYAML is missing.
        ConfigurationError: there is no match mode for a logger.

    .. versionadded:: 0.1.0
    """
    match = tuple(listed(match, "match"))
    values = configuration(target, service=service, level=level, match=match)
    notation = notation or ("json" if target == "uvicorn" else "python")
    _check(notation, "notation", FORMATS)
    if notation == "json":
        return json.dumps(values, indent=2) + "\n"
    use = _USE[target][notation]
    if notation == "python":
        return _module(target, use, values)
    return f"# {use}\n{_ini(values) if notation == 'ini' else _yaml(values)}"


def _check(value: str, param: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise InvalidInputError(f"must be one of {', '.join(known)}", param=param)


def _module(target: str, use: str, values: Mapping[str, Any]) -> str:
    if target == "celery":
        return (
            f'"""Logging: {use}."""\n\n'
            "import logging.config\nfrom typing import Any\n\nfrom celery.signals import setup_logging\n\n"
            f"LOGGING = {_python(values)}\n\n\n"
            "@setup_logging.connect\n"
            "def set_up_logging(**_: Any) -> None:\n"
            '    """Set logging up; that there is a receiver keeps Celery from doing it."""\n'
            "    logging.config.dictConfig(LOGGING)\n"
        )
    name, head, tail = "LOGGING", "", ""
    if target == "script":
        head, tail = "import logging.config\n\n", "\nlogging.config.dictConfig(LOGGING)\n"
    elif target == "gunicorn":
        name, head = "logconfig_dict", f"access_log_format = '{_ACCESS_LOG_FORMAT}'\n"
    return f'"""Logging: {use}."""\n\n{head}{name} = {_python(values)}\n{tail}'


def _python(value: Any, margin: str = "") -> str:
    """Return a value as a formatter of code would have it: an entry a line, double quotes."""
    if isinstance(value, str):
        plain = not set("\"'\\").intersection(value)
        return f'"{ascii(value)[1:-1]}"' if plain else ascii(value)
    if isinstance(value, dict) and value:
        inner = margin + "    "
        entries = "".join(f"{inner}{_python(key)}: {_python(one, inner)},\n" for key, one in value.items())
        return f"{{\n{entries}{margin}}}"
    if isinstance(value, list):
        return f"[{', '.join(_python(one) for one in value)}]"
    return repr(value)


def _yaml(values: Mapping[str, Any]) -> str:
    try:
        import yaml
    except ImportError as error:
        raise InvalidInputError(
            "YAML needs PyYAML: install discreet[cli], or use json, which is YAML too", param="notation"
        ) from error
    return str(yaml.safe_dump(values, sort_keys=False))


def _ini(values: Mapping[str, Any]) -> str:
    handler = {key: value for key, value in values["handlers"]["json"].items() if key != "()"}
    guard = {key: value for key, value in values["filters"]["guard"].items() if key != "()"}
    # An INI file has no place for a filter's factory, so the handler installs the guard.
    sections: dict[str, dict[str, str]] = {
        "loggers": {"keys": ",".join(["root", *values["loggers"]])},
        "handlers": {"keys": "json"},
        "formatters": {"keys": ""},
        "logger_root": {"level": values["root"]["level"], "handlers": "json"},
        "handler_json": {
            "class": values["handlers"]["json"]["()"],
            "args": "()",
            "kwargs": ascii({**handler, "guard": guard or True}).replace("%", "%%"),
        },
    }
    for name, logger in values["loggers"].items():
        sections[f"logger_{name}"] = {
            "level": logger["level"],
            "handlers": ",".join(logger.get("handlers", ())),
            "propagate": str(int(logger.get("propagate", True))),
            "qualname": name,
        }
    return "\n".join(
        f"[{name}]\n" + "".join(f"{key}={value}\n" for key, value in entries.items())
        for name, entries in sections.items()
    )
