"""Building and starting servers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.servers import building, catalog
from tests.servers.building import BuildError, Program
from tests.servers.process import Server, ServerError, answers


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


class Small(Server):
    name = "small"
    script = """
import http.server, sys, signal
if sys.argv[2] == "ignores": signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("up", flush=True)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), http.server.SimpleHTTPRequestHandler).serve_forever()
"""

    def __init__(self, folder: Path, manner: str = "") -> None:
        super().__init__(Path(sys.executable), folder)
        self.manner = manner

    def arguments(self) -> list[str]:
        return ["-c", self.script, str(self.ports["http"]), self.manner]

    def ready(self) -> bool:
        return answers(self.url())


def test_a_program_is_built_once_for_its_sources(tmp_path: Path) -> None:
    """Other sources have another place; a failed build leaves nothing behind."""
    made: list[Path] = []

    def make(path: Path) -> None:
        made.append(path)
        path.write_text("#!/bin/sh\n")

    first, second = Program("one", (b"1",), make), Program("one", (b"2",), make)
    for program in (first, first, second):
        program.build()

    assert len(made) == 2
    assert first.path != second.path
    assert os.access(first.path, os.X_OK)
    assert first.path.is_relative_to(tmp_path / "cache" / "discreet-ci" / "servers")


def test_a_build_that_fails_leaves_nothing_behind() -> None:
    """So that the next one starts anew."""

    def make(path: Path) -> None:
        path.write_text("half")
        raise BuildError("no")

    program = Program("one", (b"1",), make)
    with pytest.raises(BuildError):
        program.build()

    assert [path.name for path in program.path.parent.iterdir()] == ["lock"]


def test_without_go_the_message_says_what_is_wanting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a traceback of a process that couldn't start."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BuildError, match=r"Go 1\.26 or newer is needed"):
        building.PROGRAMS["collector"].build()


def test_without_apt_the_message_says_what_is_wanting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for what comes from Debian."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(BuildError, match=r"^logrotate comes from Debian's package, and there is no apt-get\.$"):
        building.PROGRAMS["logrotate"].build()


APT = """#!/bin/sh
echo "$*" >>"$ASKED"
case "$*" in
    "download"*"Lists="*) touch "${2}_1_all.deb" ;;
    "download"*) echo "E: Unable to locate package $2" >&2; exit 100 ;;
    "update"*) [ -z "$OFFLINE" ] || { echo "E: no mirror" >&2; exit 100; } ;;
esac
"""


@pytest.mark.parametrize("offline", ["", "yes"])
def test_without_lists_of_packages_they_are_got_for_this_alone(
    offline: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that nobody has to be root; without a mirror the message has what apt-get says."""
    for name, text in (("apt-get", APT), ("dpkg-deb", '#!/bin/sh\ntouch "$3/program"\n')):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("ASKED", str(tmp_path / "asked"))
    monkeypatch.setenv("OFFLINE", offline)
    program = building._debian("one", "program", package="some")
    if offline:
        with pytest.raises(BuildError, match="no mirror"):
            program.build()
    else:
        program.build()
    asked = [line.split()[0] for line in (tmp_path / "asked").read_text().splitlines()]
    assert (asked, program.path.exists()) == (["download", "update", *([] if offline else ["download"])], not offline)


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_server_fails_in_ci_and_is_skipped_elsewhere(
    ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both say how to build it."""
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match=r"^needs collector: python -m tests\.servers build collector$"):
        catalog.program("collector")


def test_a_server_answers_until_it_is_stopped(tmp_path: Path) -> None:
    """Started again it has the same port, and its log goes on."""
    server = Small(tmp_path)
    with server:
        assert answers(server.url())
        ports = dict(server.ports)
        server.kill()
        assert not answers(server.url())
        server.start()

    assert server.ports == ports
    assert not server.running
    assert server.log.read_text().count("up\n") == 2


def test_a_server_that_ignores_sigterm_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And one that was paused is too."""
    monkeypatch.setattr("tests.servers.process.STOP_S", 1.0)
    with Small(tmp_path, "ignores") as server:
        server.pause()

    assert not server.running


def test_a_server_that_ends_at_its_start_is_told_with_its_log(tmp_path: Path) -> None:
    """Whoever reads the failure sees why."""
    server = Small(tmp_path)
    server.script = "import sys; sys.exit('no such setting')"
    with pytest.raises(ServerError, match="small ended at its start\nno such setting"):
        server.start()
