"""The walk over sources gives a call the key under which its record is looked up when it runs."""

from __future__ import annotations

import importlib
import logging
import sys
from textwrap import dedent

import pytest

from discreet.seal.callsite import find
from tests.contract.log_calls import calls

PROGRAM = """
    import logging

    logger = logging.getLogger(__name__)


    class Worker:
        def __init__(self):
            self.log = logging.getLogger("walked.by_name")

        def run(self, name, size):
            self.log.info("ready")
            self.log.info("%s has %d items, {as it is} and 100%%", name, size)
            logger.warning(f"{name} has {size:>{size}} items, {{as it is}}")
            logger.warning(f"a {name!r} in " f"two pieces of {len(name)}")
            logger.error("after " + name + " comes " + str(size))
            logger.error("one of %s, 5%%" % name)
            logger.debug(f"{size=}")
            logging.info("%(first)s and %(second)s", {"first": name, "second": size})
            try:
                raise KeyError(name)
            except KeyError as error:
                logger.exception("lost: %s", error, extra={"count": size})
"""

FOUND = [
    ("walked.by_name", "INFO", "ready", False, ()),
    ("walked.by_name", "INFO", "{} has {} items, {{as it is}} and 100%", False, ()),
    ("walked", "WARNING", "{} has {} items, {{as it is}}", False, ()),
    ("walked", "WARNING", "a {} in two pieces of {}", False, ()),
    ("walked", "ERROR", "after {} comes {}", False, ()),
    ("walked", "ERROR", "one of {}, 5%", False, ()),
    ("walked", "DEBUG", "size={}", False, ()),
    ("root", "INFO", "{} and {}", False, ()),
    ("walked", "ERROR", "lost: {}", True, ("count",)),
]


class Keys(logging.Handler):
    """Remembers where each record is looked up."""

    def __init__(self):
        super().__init__()
        self.found: list[tuple[str, str, str | None]] = []

    def emit(self, record):
        site = find(record, frozenset())
        self.found.append((record.name, record.levelname, site.key))


@pytest.fixture
def package(tmp_path, monkeypatch):
    (tmp_path / "walked").mkdir()
    (tmp_path / "walked" / "__init__.py").write_text(dedent(PROGRAM), encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("walked")
    del sys.modules["walked"]


def test_calls_are_found_with_logger_level_key_and_extras(package, tmp_path):
    """Each way of writing a message gives its template, with `{}` for what is filled in and literal braces doubled."""
    found = [(call.logger, call.level, call.key, call.handled, call.extras) for call in calls(tmp_path, "walked")]
    assert found == FOUND


def test_the_keys_are_those_of_the_running_calls(package, tmp_path):
    """A row that fits the walk fits the record too."""
    handler = Keys()
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    package.Worker().run("apples", 3)
    walked = [(call.logger, call.level, call.key) for call in calls(tmp_path, "walked")]
    assert handler.found == walked
