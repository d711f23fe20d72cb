"""The public names: listed, documented, and cheap to import."""

from __future__ import annotations

import importlib
import importlib.resources
import inspect
import pkgutil
import re
import subprocess
import sys
from importlib.util import find_spec
from types import ModuleType

import pytest

import discreet
from discreet.errors import ConfigurationError

VERSION_ADDED = re.compile(r"^\s*\.\. versionadded:: \d+\.\d+\.\d+$", re.MULTILINE)

# Where users import from; all else is how it is done.
PUBLIC = (
    "discreet",
    "discreet.checkup",
    "discreet.contract",
    "discreet.errors",
    "discreet.recipes",
    "discreet.seal",
    "discreet.seal.types",
)

# `import discreet` is done by every worker of a service; a library imports it for its errors.
NOT_LOADED = (
    "click",
    "discreet.cli",
    "discreet.pytest_plugin",
    "discreet.testing",
    "google.protobuf",
    "grafana_foundation_sdk",
    "opentelemetry.exporter",
    "opentelemetry.sdk._logs",
    "opentelemetry.sdk.metrics",
    "opentelemetry.sdk.trace.export",
    "pytest",
    "requests",
    "rich",
    "structlog",
    "yaml",
)


def _is_instrumentor(name: str) -> bool:
    """Tell whether a module is made of classes of an extra that isn't there; the suite with all extras looks at it."""
    try:
        importlib.import_module(name)
    except ConfigurationError as error:
        return name.startswith("discreet.instrument.") and "opentelemetry-instrumentation" in str(error)
    return False


def _modules() -> list[str]:
    found = pkgutil.walk_packages(discreet.__path__, "discreet.")
    public = [it.name for it in found if not any(p.startswith("_") for p in it.name.split("."))]
    if find_spec("opentelemetry.instrumentation") is None:
        public = [it for it in public if not _is_instrumentor(it)]
    return ["discreet", *sorted(public)]


def _public(module: ModuleType) -> dict[str, object]:
    return {name: getattr(module, name) for name in getattr(module, "__all__", ())}


def _reading_order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions: the order that ruff's RUF022 keeps."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2), name


@pytest.mark.parametrize("name", _modules())
def test_the_public_names_of_a_module_are_listed_and_sorted(name: str) -> None:
    """`__all__` is the truth about what is public, so it is easy to read."""
    module = importlib.import_module(name)
    listed = module.__dict__.get("__all__", [])

    assert isinstance(listed, list)
    assert listed == sorted(listed, key=_reading_order)
    assert [it for it in listed if not hasattr(module, it)] == []


def test_the_package_lists_every_name_that_it_has() -> None:
    """A name that `dir` shows and `__all__` doesn't is one that people use by accident."""
    names = {
        name
        for name, value in vars(discreet).items()
        if not name.startswith("_") and getattr(value, "__module__", "").split(".")[0] == "discreet"
    }

    assert names <= set(discreet.__all__)


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_class_and_function_says_since_when_it_is_there(name: str) -> None:
    """Each has a docstring with `versionadded`."""
    module = importlib.import_module(name)
    undocumented = [
        it
        for it, value in _public(module).items()
        if (inspect.isclass(value) or inspect.isroutine(value))
        and not VERSION_ADDED.search(inspect.getdoc(value) or "")
    ]

    assert undocumented == []


@pytest.mark.parametrize("name", _modules())
def test_every_public_method_has_a_docstring(name: str) -> None:
    """A method that overrides one of the standard library's says what is different."""
    module = importlib.import_module(name)
    undocumented = [
        f"{cls.__name__}.{method}"
        for cls in _public(module).values()
        if inspect.isclass(cls) and cls.__module__.startswith("discreet")
        for method, value in vars(cls).items()
        if not method.startswith("_") and inspect.isroutine(value) and not inspect.getdoc(value)
    ]

    assert undocumented == []


def test_importing_discreet_loads_nothing_that_only_some_need() -> None:
    """Exporters, the command line, structlog and the testing tools come when they are used."""
    program = "import sys, discreet; print(*sorted(sys.modules), sep='\\n')"

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    loaded = answer.stdout.split()
    assert "discreet" in loaded
    assert [
        module for module in loaded if any(module == name or module.startswith(f"{name}.") for name in NOT_LOADED)
    ] == []


def test_importing_discreet_changes_nothing_but_the_handler_of_last_resort() -> None:
    """A guard stands only where somebody asked for it; but who never sets logging up must not print text either."""
    program = (
        "import logging, sys, threading, warnings\n"
        "def seen():\n"
        "    return [dict(vars(logging.Handler)), dict(vars(logging.Logger)),\n"
        "            list(logging.root.handlers), logging.getLogRecordFactory(),\n"
        "            logging.getLoggerClass(), sys.excepthook, threading.excepthook,\n"
        "            sys.unraisablehook, warnings.showwarning, sys.stdout, sys.stderr]\n"
        "before = seen()\n"
        "last = logging.lastResort\n"
        "import discreet\n"
        "print(seen() == before, type(logging.lastResort).__name__, logging.lastResort.level == last.level)\n"
        "print([name for name in sys.modules if name.startswith(('discreet.seal', 'discreet.contract'))])\n"
    )

    answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    assert (answer.stdout, answer.stderr) == ("True LastResort True\n[]\n", "")


def test_the_package_says_that_it_is_typed() -> None:
    """Type checkers read our annotations only if the marker file is installed."""
    marker = importlib.resources.files("discreet") / "py.typed"

    assert marker.is_file()
