"""Django with a printed configuration: its development server, and its test client."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from tests.ways_in.customer import BODY, FAILING, NOTE, UNKNOWN, found_in
from tests.ways_in.running import Program, ask, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

SETTINGS = """
ROOT_URLCONF = "django_site"
ALLOWED_HOSTS = ["127.0.0.1", "testserver"]
SECRET_KEY = "only a test's"
DEBUG = False
"""
HEADS = {
    "json": "import json\nwith open('logging.json') as file:\n    LOGGING = json.load(file)\n",
    "yaml": "import yaml\nwith open('logging.yaml') as file:\n    LOGGING = yaml.safe_load(file)\n",
    "ini": "import logging.config\nLOGGING_CONFIG = None\n"
    "logging.config.fileConfig('logging.ini', disable_existing_loggers=False)\n",
}
# Asks through Django's own client, which has no server: what django.request says.
CLIENT = """\
import sys
import django
django.setup()
from django.test import Client
client = Client(raise_request_exception=False)
print([client.generic("POST", target, {body!r}).status_code for target in {targets!r}], file=sys.stderr)
"""


def line(logger: str, message: str, withheld: int = 0, level: str = "INFO", **more: object) -> dict[str, object]:
    counted = {"withheld": withheld} if withheld else {}
    return {"level": level, "logger": logger, "message": message, **counted, **more, "service": "answers"}


def access(level: str, status: int, size: int) -> dict[str, object]:
    # Left out are Django's extras `request` and `server_time`.
    message = f'"POST /…?… HTTP/1.1" {status} {size}'
    return line("django.server", message, 2, level, status=status, status_code=status)


ASKED = [
    line("answers", f"Asked <str 64-255> with {len(BODY)} bytes", 1),
    line("answers", f"Asked {{text}} with {len(BODY)} bytes", 1),
]
FAILED = line(
    "django.request",
    "Internal Server Error: /…",
    1,
    "ERROR",
    route="/…",
    status_code=500,
    exception_type="ValueError",
    exception_frames="django_site.py:fail",
)
NOT_FOUND = line("django.request", "Not Found: /…", 1, "WARNING", route="/…", status_code=404)


def write_settings(folder: Path, notation: str) -> None:
    text = printed("django", "--format", notation, "--service", "answers")
    if notation != "python":
        (folder / f"logging.{notation}").write_text(text, encoding="ascii")
    (folder / "settings.py").write_text(HEADS.get(notation, text) + SETTINGS, encoding="ascii")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


@pytest.mark.parametrize("notation", ["python", "json"])
def test_djangos_server_says_what_happened_and_nothing_of_what_was_asked(notation: str, tmp_path: Path) -> None:
    """Its own lines, those of its error handling and the application's, each once."""
    write_settings(tmp_path, notation)
    port = free_port()
    command = ["-m", "django", "runserver", "--noreload", "--nothreading", f"127.0.0.1:{port}"]

    with Program(tmp_path, *command, DJANGO_SETTINGS_MODULE="settings") as program:
        program.wait_for("Quit the server")
        statuses = [ask(port, "POST", target, BODY) for target in (NOTE, FAILING, UNKNOWN)]
        program.wait_for_lines(3, logger="django.server")
        program.stop()

    # What the command itself prints stands before the first record.
    head, _, rest = program.stdout.partition("{")
    lines = [json.loads(one) for one in ("{" + rest).splitlines()]
    sizes = [int(one["message"].rpartition(" ")[2]) for one in lines if one["logger"] == "django.server"]
    assert statuses == [200, 500, 404]
    assert [steady(one) for one in lines] == [
        *ASKED,
        access("INFO", 200, 2),
        FAILED,
        access("ERROR", 500, sizes[1]),
        NOT_FOUND,
        access("WARNING", 404, sizes[2]),
    ]
    assert "Starting development server" in head
    assert found_in(program.stdout, program.stderr) == []
    assert program.stderr == ""


@pytest.mark.parametrize("notation", ["python", "json", "yaml", "ini"])
def test_djangos_error_handling_says_what_happened(notation: str, tmp_path: Path) -> None:
    """A request through the test client, in a process that sets Django up as any other does."""
    write_settings(tmp_path, notation)
    program = CLIENT.format(body=BODY, targets=[NOTE, FAILING, UNKNOWN])

    with Program(tmp_path, "-c", program, DJANGO_SETTINGS_MODULE="settings") as running:
        assert running.finish() == 0

    assert [steady(one) for one in running.lines] == [*ASKED, FAILED, NOT_FOUND]
    assert running.stderr == "[200, 500, 404]\n"
    assert found_in(running.stdout) == []
