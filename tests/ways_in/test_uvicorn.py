"""uvicorn with a printed configuration: a real server and a real client."""

from __future__ import annotations

import json
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.ways_in.customer import BODY, FAILING, NOTE, found_in
from tests.ways_in.running import APPS, Program, ask, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

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


def test_processes_that_uvicorn_spawns_load_the_file_themselves(tmp_path: Path) -> None:
    """Each of two workers, and the process that looks after them."""
    (tmp_path / "logging.json").write_text(printed("uvicorn"), encoding="ascii")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    served = ["--port", str(port), "--workers", "2", "--lifespan", "off", "--log-config", "logging.json"]

    with Program(tmp_path, "-m", "uvicorn", *served, "asgi_app:app") as program:
        program.wait_for(r"Started server process (.|\n)*Started server process ")
        assert ask(port, "POST", NOTE, BODY) == 200
        program.wait_for_lines(1, logger="uvicorn.access")
        program.stop()

    said = Counter(one["message"] for one in map(steady, program.lines))
    assert (said["Started parent process [PID]"], said["Started server process [PID]"]) == (1, 2)
    assert said['<str 1-15> - "POST /…?… HTTP/1.1" 200'] == 1
    assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")


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

    name = "guard"
    last = program.stderr.splitlines()[-1]
    if part == "filters":
        assert last == f"ValueError: Unable to configure {part.removesuffix('s')} '{name}'"
        assert message in program.stderr
    else:
        # The guard stands by then: of what nobody catches it shows our own sentence alone.
        assert last.startswith(f"discreet.errors.ConfigurationError: {message}")
    assert APPS.name not in program.stdout


OPERATORS = {
    "formatters": {
        "access": {
            "()": "uvicorn.logging.AccessFormatter",
            "fmt": '%(levelprefix)s %(client_addr)s - "%(request_line)s" %(status_code)s',
            "use_colors": False,
        },
        "correlated": {"format": "[%(correlation_id)s] %(name)s: %(message)s"},
    },
    "filters": {"no_health": {"()": "operators.NoHealth"}, "correlation": {"()": "operators.Correlation"}},
    "handlers": {
        "access": {
            "class": "logging.FileHandler",
            "filename": "access.log",
            "formatter": "access",
            "filters": ["no_health"],
        },
        "correlated": {
            "class": "logging.FileHandler",
            "filename": "correlated.log",
            "formatter": "correlated",
            "filters": ["correlation"],
        },
    },
}


def test_the_operators_own_handlers_keep_working(tmp_path: Path) -> None:
    """uvicorn's access formatter, a filter that looks at arguments, a format with a field of the operator's own."""
    config = json.loads(printed("uvicorn"))
    for part, entries in OPERATORS.items():
        config.setdefault(part, {}).update(entries)
    config["loggers"]["uvicorn.access"]["handlers"] = ["access"]
    config["root"]["handlers"].append("correlated")
    (tmp_path / "logging.json").write_text(json.dumps(config), encoding="ascii")

    served = ["--port", "0", "--lifespan", "off", "--log-config", "logging.json", "asgi_app:app"]
    with Program(tmp_path, "-m", "uvicorn", *served) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        for target in (NOTE, "/health", "/health?q=1"):
            ask(port, "POST", target, BODY)
        program.wait_for_lines(3, logger="uvicorn.access")
        program.stop()

    access = (tmp_path / "access.log").read_text(encoding="utf-8")
    correlated = (tmp_path / "correlated.log").read_text(encoding="utf-8").splitlines()
    assert access.splitlines() == [
        'INFO:     <str 1-15> - "POST /…?… HTTP/1.1" 200 OK',
        'INFO:     <str 1-15> - "POST /…?… HTTP/1.1" 200 OK',
    ]
    assert f"[<str 1-15>] answers: Asked <str 64-255> with {len(BODY)} bytes" in correlated
    assert len(correlated) == len(program.lines)
    assert found_in(access, *correlated, program.stdout, program.stderr) == []
