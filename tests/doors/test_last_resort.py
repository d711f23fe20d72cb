"""The handler of last resort: importing discreet is enough for a process that never configures logging."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import run

LOG = """
log = logging.getLogger("worker")
def work():
    log.info("started %s", QUESTION)
    log.warning("slow answer for %s", QUESTION)
    log.warning(QUESTION)
    log.error("%d answers", QUESTION)
    try:
        raise ValueError(QUESTION)
    except ValueError:
        log.exception("job failed")
"""
SAID = (
    "slow answer for <str 16-63>\n"
    "<str 16-63>\n"
    "<str 16-63> answers\n"
    "job failed\n"
    "Traceback (most recent call last):\n"
    '  File "<__main__.py>", line 12, in work\n'
    "ValueError\n"
)


@pytest.mark.parametrize("setup", ["", "discreet.install()", "discreet.install()\ndiscreet.install()"])
def test_what_nobody_configured_is_printed_sealed(tmp_path: Path, setup: str) -> None:
    """Before a set-up and after it, at the level that logging gives its last resort."""
    ended = run(tmp_path, f"{LOG}\n{setup}\nwork()")

    assert (ended.code, ended.out, ended.err) == (0, "", SAID)


def test_a_last_resort_of_the_program_stays(tmp_path: Path) -> None:
    """None, or a handler of its own, which install() guards as any."""
    ended = run(
        tmp_path,
        f"{LOG}\nlogging.lastResort = None\nwork()\ndiscreet.install()\nwork()\n"
        "logging.lastResort = own = logging.StreamHandler(sys.stdout)\ndiscreet.install()\nlog.warning(QUESTION)\n"
        "print(logging.lastResort is own)",
    )

    assert (ended.code, ended.out, ended.err) == (
        0,
        "<str 16-63>\nTrue\n",
        'No handlers could be found for logger "worker"\n',
    )


def test_uninstall_puts_it_back(tmp_path: Path) -> None:
    """Also when only the import had replaced it, and install() replaces it again."""
    ended = run(
        tmp_path,
        "ours = logging.lastResort\n"
        "discreet.uninstall()\nprint(logging.lastResort is before)\n"
        "discreet.install()\nprint(type(logging.lastResort) is type(ours))\n"
        "discreet.uninstall()\nprint(logging.lastResort is before)\n",
        head="import logging\nbefore = logging.lastResort\nimport discreet\n",
    )

    assert (ended.code, ended.out, ended.err) == (0, "True\nTrue\nTrue\n", "")


@pytest.mark.parametrize("close", ["sys.stderr = None", "sys.stderr.close()"])
def test_nobody_has_to_listen(tmp_path: Path, close: str) -> None:
    """A daemon has no standard error."""
    ended = run(tmp_path, f"{LOG}\n{close}\nwork()\nprint('on')")

    assert (ended.code, ended.out, ended.err) == (0, "on\n", "")


def test_what_fails_inside_of_the_guard_leaves_nothing_of_the_record(tmp_path: Path) -> None:
    """Half an installation can't seal."""
    ended = run(tmp_path, f"{LOG}\nsys.modules['discreet.seal.foreign'] = None\nlog.warning(QUESTION)\nprint('on')")

    assert (ended.code, ended.out, ended.err) == (0, "on\n", "<record withheld: the guard failed>\n")
