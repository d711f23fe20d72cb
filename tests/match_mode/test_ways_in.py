"""How match mode is switched on and off, and what is refused."""

from __future__ import annotations

import io
import json
import logging
import logging.config
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet import config
from discreet.contract import activate, active, reset
from discreet.doors.child import arrive, message_to_child
from discreet.match_mode import in_match_mode, match_prefixes, set_match
from discreet.recipes import FORMATS, configuration, recipe

CONTENT = "verbatim_core.content"
WHY = (
    "match mode lets customer text through that the matcher does not know, so it is not for every logger. "
    'Name the loggers that need it, such as "myapp.search".'
)
NO_NAME = 'is no logger\'s name. Write it as for getLogger(), such as "myapp.search".'
NO_CONTENT = (
    "is a content logger, whose customer text goes out at DEBUG or not at all. "
    "Name another logger; content_debug opens this one."
)


@pytest.fixture(autouse=True)
def _none_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(config, "_current", None)
    set_match("install", ())
    yield
    if config._current is not None:
        config._current.close()


def shown() -> str:
    """Return the message of a record of the logger `quays`, within a call that has a text."""
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    log = logging.getLogger("quays")
    log.addHandler(handler)
    try:
        with discreet.customer_text(question="Who painted the hull of the ferry?"):
            log.warning("Read %s", "shelf 12")
    finally:
        log.removeHandler(handler)
    return str(json.loads(stream.getvalue())["message"])


def test_configure_switches_it_on_says_so_and_off_with_its_end() -> None:
    """A call replaces the loggers of the call before, and the end of the last one's handle is the end of it."""
    stream = io.StringIO()
    assert shown() == "Read <str 1-15>"
    first = discreet.configure(json=stream, match=["quays", "piers.north"])
    assert (match_prefixes(), shown()) == (("piers.north", "quays"), "Read shelf 12")
    second = discreet.configure(json=io.StringIO(), match=["piers"])
    assert (match_prefixes(), shown()) == (("piers",), "Read <str 1-15>")
    first.close()
    assert match_prefixes() == ("piers",)
    second.close()
    assert (match_prefixes(), shown()) == ((), "Read <str 1-15>")
    said = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [
        (one["level"], one["message"], one["prefixes"]) for one in said if one.get("event") == "match_mode_enabled"
    ] == [("WARNING", "Strings are let through on some loggers: match mode is no guard", 2)]


def test_a_call_site_changes_with_the_mode() -> None:
    """What was remembered of it for one mode isn't used in the other."""
    seen = []
    for names in ((), ("quays",), (), ("other",), ("quays",)):
        set_match("install", names)
        seen.append(shown())
    denied, through = "Read <str 1-15>", "Read shelf 12"
    assert seen == [denied, through, denied, denied, through]


def test_the_variable_names_loggers() -> None:
    """With commas, as the other lists."""
    code = "import discreet; discreet.configure(json=None); from discreet.match_mode import *; print(match_prefixes())"
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={"DISCREET_MATCH": " quays, piers.north ,", "PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "('piers.north', 'quays')\n"


def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever deploys a service looks for it there."""
    monkeypatch.setenv("DISCREET_MATCH", "quays, root")
    with pytest.raises(discreet.ConfigurationError) as caught:
        discreet.configure(json=None)
    assert str(caught.value) == f"DISCREET_MATCH[1]: {WHY}"


def test_a_logging_configuration_switches_it_on_and_the_next_one_off() -> None:
    """The last guard says which loggers it is; the record that says so comes as soon as a handler can take it."""
    stream = io.StringIO()
    values: dict[str, Any] = {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {"guard": {"()": "discreet.ContentGuard", "match": ["quays"]}},
        "handlers": {"json": {"()": lambda: discreet.JsonHandler(stream=stream)}},
        "root": {"level": "INFO", "handlers": ["json"]},
    }
    logging.config.dictConfig(values)
    assert (match_prefixes(), shown()) == (("quays",), "Read shelf 12")
    events = [json.loads(line).get("event") for line in stream.getvalue().splitlines()]
    assert events.count("match_mode_enabled") == 1
    del values["filters"]["guard"]["match"]
    logging.config.dictConfig(values)
    assert (match_prefixes(), shown()) == ((), "Read <str 1-15>")


def test_install_names_loggers_and_uninstall_ends_it() -> None:
    """A call that names none leaves them; an empty list ends it; what configure() named is its own."""
    discreet.install(match=["quays"])
    discreet.install(streams=False)
    assert match_prefixes() == ("quays",)
    discreet.install(match=[])
    assert match_prefixes() == ()
    discreet.install(match=["quays"])
    handle = discreet.configure(json=None, match=["piers"])
    assert match_prefixes() == ("piers", "quays")
    discreet.uninstall()
    assert match_prefixes() == ("piers",)
    handle.close()
    assert match_prefixes() == ()


@pytest.mark.parametrize("notation", FORMATS)
def test_printed_configurations_take_it(notation: str) -> None:
    """As an option of the guard."""
    guard = {"()": "discreet.ContentGuard", "streams": True}
    assert configuration(match=["quays"])["filters"] == {"guard": {**guard, "match": ["quays"]}}
    assert configuration()["filters"] == {"guard": guard}
    assert "quays" in recipe("script", notation, match=["quays"])


def test_an_ini_file_gives_it_to_the_handler(tmp_path: Path) -> None:
    """Which installs the guard there."""
    file = tmp_path / "logging.ini"
    file.write_text(recipe("django", "ini", match=["quays"]), "ascii")
    logging.config.fileConfig(file, disable_existing_loggers=False)
    assert match_prefixes() == ("quays",)


WAYS: list[Callable[[Any], object]] = [
    lambda match: discreet.configure(json=None, match=match),
    lambda match: discreet.install(match=match),
    lambda match: discreet.ContentGuard(match=match),
    lambda match: configuration(match=match),
    lambda match: discreet.install_in_worker(match=match),
]
REFUSED: list[tuple[Any, str]] = [
    *((["piers", name], f"match[1]: {WHY}") for name in ("", " ", "root", "*")),
    *((["piers", name], f"match[1]: {NO_NAME}") for name in ("a..b", ".a", "a.", "a. b", "piers*", "a\nb", 7, None)),
    *(([name], f"match[0]: {NO_CONTENT}") for name in (CONTENT, f"{CONTENT}.more")),
    *((names, "match: must be a list. Put it in square brackets.") for names in ("piers", 7, False)),
]


@pytest.mark.parametrize("way", WAYS, ids=["configure", "install", "ContentGuard", "recipe", "worker"])
@pytest.mark.parametrize(("names", "message"), REFUSED, ids=[f"{names!r}" for names, _ in REFUSED])
def test_what_is_no_logger_or_too_many_is_refused(way: Callable[[Any], object], names: Any, message: str) -> None:
    """With the place and what to do; nothing is switched on."""
    with pytest.raises(discreet.ConfigurationError) as caught:
        way(names)
    assert (str(caught.value), match_prefixes()) == (message, ())


def test_a_guard_of_one_handler_has_no_match_mode() -> None:
    """A logger's records go to all handlers."""
    with pytest.raises(discreet.ConfigurationError, match="match mode holds for the whole process"):
        discreet.ContentGuard(scope="handler", match=["quays"])


def test_content_loggers_below_a_prefix_keep_their_own_rule() -> None:
    """Also those of a contract that becomes active later."""
    set_match("install", ("verbatim_core", "harbour"))
    names = [
        "verbatim_core",
        "verbatim_core.extractors",
        CONTENT,
        f"{CONTENT}.more",
        "harbour.content",
        "verbatim_corex",
    ]
    assert [in_match_mode(name) for name in names] == [True, True, False, False, True, False]
    assert [in_match_mode(name) for name in ("", None, 7, "verbatim_core ")] == [False] * 4


def test_a_content_logger_of_a_later_contract_leaves_match_mode(tmp_path: Any) -> None:
    """Its records are sealed as a content logger's from then on."""
    set_match("install", ("harbour",))
    assert in_match_mode("harbour.content")
    file = tmp_path / "harbour.toml"
    file.write_text(
        '[contract]\nname = "harbour"\nformat = 1\nsummary = "A harbour."\n'
        '[loggers]\nnames = ["harbour"]\ncontent = ["harbour.content"]\n',
        encoding="utf-8",
    )
    try:
        activate([file])
        assert (in_match_mode("harbour.content"), in_match_mode("harbour")) == (False, True)
    finally:
        reset()
    assert active().policy("harbour.content").content is False


def test_worker_processes_get_it_from_their_parent() -> None:
    """Those that spawn or forkserver starts; they open scopes of their own."""
    set_match("configure", ("quays",))
    set_match("install", ("piers",))
    state = message_to_child().__reduce__()[1]
    set_match("configure", ())
    discreet.uninstall()
    arrive(*state)
    assert match_prefixes() == ("piers", "quays")
