"""What `discreet config` prints: one configuration in four notations, in plain ASCII, for any service's name."""

from __future__ import annotations

import ast
import configparser
import json
import sys
from itertools import product
from typing import Any

import pytest
import yaml

import discreet
from discreet.cli.main import main
from discreet.recipes import FORMATS, LEVELS, TARGETS, configuration, recipe
from tests.ways_in.running import printed

ODD = "ånswers \"'\\%(x)s {y} 😀 #1; ="
# What commands of Django's print is for whoever has called them.
GUARDED = {"guard": {"()": "discreet.ContentGuard"}}
PRINTING = {"guard": {"()": "discreet.ContentGuard", "streams": True}}
CONTENT = "verbatim_core.content"
TO_ROOT = {"handlers": [], "propagate": True}
BY_ITSELF = {"handlers": ["json"], "propagate": False}
LOGGERS = {
    "script": {},
    "uvicorn": dict.fromkeys(("uvicorn", "uvicorn.error", "uvicorn.access"), TO_ROOT),
    "gunicorn": dict.fromkeys(("gunicorn.error", "gunicorn.access"), BY_ITSELF),
    "django": dict.fromkeys(("django", "django.server"), TO_ROOT),
    "celery": {},
}


def read(target: str, notation: str, text: str) -> Any:
    """Return the dictionary that a recipe holds."""
    if notation == "json":
        return json.loads(text)
    if notation == "yaml":
        return yaml.safe_load(text)
    # Without running it: the assignment of the name that the framework looks for.
    name = "logconfig_dict" if target == "gunicorn" else "LOGGING"
    scope: dict[str, Any] = {}
    start = text.index(f"{name} = {{")
    exec(text[start : text.index("\n}\n", start) + 3], scope)
    return scope[name]


@pytest.mark.parametrize("target", TARGETS)
def test_a_configuration_guards_the_process_and_writes_json_to_standard_output(target: str) -> None:
    """The content loggers are closed, and a server's own loggers come to the one handler, once."""
    assert configuration(target, service="answers", level="WARNING") == {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": GUARDED if target == "django" else PRINTING,
        "handlers": {"json": {"()": "discreet.JsonHandler", "stream": "-", "service": "answers"}},
        "root": {"level": "WARNING", "handlers": ["json"]},
        "loggers": {
            **{name: {"level": "WARNING", **rest} for name, rest in LOGGERS[target].items()},
            CONTENT: {"level": "WARNING"},
        },
    }


@pytest.mark.parametrize(("target", "notation"), list(product(TARGETS, ("python", "json", "yaml"))))
def test_each_notation_says_the_same(target: str, notation: str) -> None:
    """Whatever a service is called, the text is ASCII, so that no locale reads it as something else."""
    text = recipe(target, notation, service=ODD)
    assert text.isascii()
    assert read(target, notation, text) == configuration(target, service=ODD)


@pytest.mark.parametrize("target", TARGETS)
def test_an_ini_file_says_the_same(target: str) -> None:
    """The handler installs the guard, because such a file has no filters."""
    text = recipe(target, "ini", service=ODD, level="ERROR")
    parser = configparser.ConfigParser()
    parser.read_string(text)
    names = [*LOGGERS[target], CONTENT]
    guard = True if target == "django" else {"streams": True}
    assert text.isascii()
    assert parser["loggers"]["keys"].split(",") == ["root", *names]
    assert dict(parser["logger_root"]) == {"level": "ERROR", "handlers": "json"}
    assert eval(parser["handler_json"].pop("kwargs")) == {"stream": "-", "service": ODD, "guard": guard}
    assert dict(parser["handler_json"]) == {"class": "discreet.JsonHandler", "args": "()"}
    assert {name: dict(parser[f"logger_{name}"]) for name in names} == {
        name: {
            "level": "ERROR",
            "handlers": ",".join(LOGGERS[target].get(name, {}).get("handlers", [])),
            "propagate": str(int(LOGGERS[target].get(name, {}).get("propagate", True))),
            "qualname": name,
        }
        for name in names
    }


@pytest.mark.parametrize("target", TARGETS)
def test_a_python_recipe_is_a_module_with_a_docstring_that_says_its_use(target: str) -> None:
    """It goes into somebody's repository as it is, so its lines are no longer than usual."""
    text = recipe(target, "python", service="answers")
    assert (ast.get_docstring(ast.parse(text)) or "").startswith("Logging: ")
    assert max(map(len, text.splitlines())) <= 120
    assert text.endswith("\n")


def test_a_content_logger_is_at_info_or_higher() -> None:
    """DEBUG for everything is no DEBUG for it, and ERROR for everything holds for it as well."""
    levels = {level: configuration(level=level)["loggers"][CONTENT]["level"] for level in LEVELS}
    assert levels == {level: level for level in LEVELS} | {"DEBUG": "INFO"}


def test_the_caller_gets_a_configuration_of_its_own() -> None:
    """What somebody adds to it is in no later one."""
    changed = configuration("uvicorn")
    changed["loggers"]["uvicorn"]["handlers"].append("json")
    assert configuration("uvicorn")["loggers"]["uvicorn"]["handlers"] == []
    assert changed["loggers"]["uvicorn.error"]["handlers"] == []


def test_a_content_logger_of_the_operators_contract_is_closed_too(tmp_path) -> None:
    """Active contracts name the content loggers, not a list of ours."""
    path = tmp_path / "harbour.toml"
    path.write_text(
        '[contract]\nname = "harbour"\nformat = 1\nsummary = "A test."\n'
        '[loggers]\nnames = ["harbour"]\ncontent = ["harbour.content"]\n',
        encoding="utf-8",
    )
    discreet.EventFilter(contracts=[path])
    assert configuration()["loggers"] == {"harbour.content": {"level": "INFO"}, CONTENT: {"level": "INFO"}}


@pytest.mark.parametrize(
    ("arguments", "param"),
    [
        ({"target": "flask"}, "target"),
        ({"target": "script", "notation": "toml"}, "notation"),
        ({"target": "script", "level": "LOUD"}, "level"),
        ({"target": "script", "level": 20}, "level"),
        ({"target": "script", "service": ""}, "service"),
        ({"target": "script", "service": "a\nb"}, "service"),
        ({"target": "script", "service": "\udcff"}, "service"),
        ({"target": "script", "service": "a" * 256}, "service"),
    ],
)
def test_a_wrong_argument_is_refused_with_its_name(arguments: dict[str, Any], param: str) -> None:
    """With our own error, which is a ValueError too."""
    with pytest.raises(discreet.InvalidInputError) as caught:
        recipe(**arguments)
    assert caught.value.param == param


def test_yaml_without_pyyaml_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML is an extra."""
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(discreet.InvalidInputError, match="install discreet\\[cli\\], or use json, which is YAML too"):
        recipe("uvicorn", "yaml")


def test_the_command_prints_the_recipe() -> None:
    """By default for a script; the target decides the notation."""
    assert printed() == recipe("script", "python")
    for target, notation, level in zip(TARGETS, (*FORMATS, None), LEVELS, strict=True):
        options = ["--service", ODD, "--level", level] + (["--format", notation] if notation else [])
        assert printed(target, *options) == recipe(target, notation, service=ODD, level=level)


def test_the_command_says_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """On standard error, with the status 2, and prints no half a configuration."""
    assert main(["config", "script", "--service", "a\tb"]) == 2
    found = capsys.readouterr()
    assert (found.out, found.err) == ("", "discreet: service: must be 1 to 255 printable characters\n")
    with pytest.raises(SystemExit) as caught:
        main(["config", "flask"])
    assert caught.value.code == 2
    assert "invalid choice: 'flask'" in capsys.readouterr().err
