"""uvicorn with a printed configuration: a real server and a real client."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.ways_in.customer import BODY, FAILING, NOTE, found_in
from tests.ways_in.running import APPS, Program, ask, printed, steady

pytestmark = pytest.mark.integration

SERVE = """\
import uvicorn
from logging_setup import LOGGING
uvicorn.run("asgi_app:app", port=0, lifespan="off", log_config=LOGGING)
"""


def line(logger: str, message: str, withheld: int = 0, level: str = "INFO", **more: object) -> dict[str, object]:
    counted = {"withheld": withheld} if withheld else {}
    return {"level": level, "logger": logger, "message": message, **counted, **more, "service": "answers"}


def asked(number: int) -> list[dict[str, object]]:
    return [
        line("answers", f"Asked <str 64-255> with {number} bytes", 1),
        line("answers", f"Asked {{text}} with {number} bytes", 1),
    ]


def access(status: int) -> dict[str, object]:
    message = f'<str 1-15> - "POST /…?… HTTP/1.1" {status}'
    return line("uvicorn.access", message, 1, method="POST", route="/…?…", status=status)


# What uvicorn counts as left out of its own lines is `color_message`, which repeats the message.
LINES = [
    line("uvicorn.error", "Started server process [PID]", 1),
    line("uvicorn.error", "Uvicorn running on http://127.0.0.1:PORT (Press CTRL+C to quit)", 1),
    *asked(len(BODY)),
    access(200),
    *asked(len(BODY)),
    line(
        "uvicorn.error",
        "Exception in ASGI application\n",
        level="ERROR",
        exception_type="ValueError",
        exception_frames="asgi_app.py:app",
    ),
    access(500),
    line("uvicorn.error", "Shutting down"),
    line("uvicorn.error", "Finished server process [PID]", 1),
]


@pytest.mark.parametrize("notation", ["json", "yaml", "ini", "python"])
def test_uvicorn_says_what_happened_and_nothing_of_what_was_asked(notation: str, tmp_path: Path) -> None:
    """Every line, from the first of the server's own to its last, with texts in path, query, body and error."""
    name = "logging_setup.py" if notation == "python" else f"logging.{notation}"
    (tmp_path / name).write_text(printed("uvicorn", "--format", notation, "--service", "answers"), encoding="ascii")
    (tmp_path / "serve.py").write_text(SERVE, encoding="utf-8")
    served = ["-m", "uvicorn", "--port", "0", "--lifespan", "off", "--log-config", name, "asgi_app:app"]

    with Program(tmp_path, *(["serve.py"] if notation == "python" else served)) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        statuses = [ask(port, "POST", target, BODY) for target in (NOTE, FAILING)]
        program.wait_for_lines(2, logger="uvicorn.access")
        program.stop()

    assert statuses == [200, 500]
    assert [steady(one) for one in program.lines] == LINES
    assert found_in(program.stdout, program.stderr) == []
    assert program.stderr == ""


def test_uvicorn_alone_prints_what_was_asked(tmp_path: Path) -> None:
    """The control: the search finds the texts of path, query and error in uvicorn's own lines."""
    with Program(tmp_path, "-m", "uvicorn", "--port", "0", "--lifespan", "off", "asgi_app:app") as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        for target in (NOTE, FAILING):
            ask(port, "POST", target, BODY)
        program.wait_for("fail.*\n")
        program.stop()

    assert set(found_in(program.stdout, program.stderr)) >= {"Caspian", "lavender", "Peregrine", "Marguerite"}


def _wrong(tmp_path: Path, part: str, **options: Any) -> Program:
    config = json.loads(printed("uvicorn"))
    config[part][next(iter(config[part]))] |= options
    (tmp_path / "logging.json").write_text(json.dumps(config), encoding="ascii")
    return Program(tmp_path, "-m", "uvicorn", "--port", "0", "--log-config", "logging.json", "asgi_app:app")


@pytest.mark.parametrize(
    ("part", "options", "message"),
    [
        ("filters", {"scope": "thread"}, "scope: must be process or handler. Leave it out for process."),
        ("filters", {"guard": True}, "unexpected keyword argument 'guard'"),
        ("handlers", {"max_bytes": "16k"}, "max_bytes: must be a whole number of bytes, 1024 or more. 16384 suits"),
    ],
)
def test_a_wrong_option_keeps_uvicorn_from_starting_and_says_where(
    part: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    """An operator reads our sentence above the one of dictConfig, which names the component."""
    with _wrong(tmp_path, part, **options) as program:
        assert program.finish() == 1

    name = "guard" if part == "filters" else "json"
    last = program.stderr.splitlines()[-1]
    assert last == f"ValueError: Unable to configure {part.removesuffix('s')} '{name}'"
    assert message in program.stderr
    assert APPS.name not in program.stdout
