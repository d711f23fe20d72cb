"""gunicorn with a printed configuration: a real master, workers forked before or after the application loads."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path

import pytest

from tests.ways_in.customer import BODY, FAILING, NOTE, found_in
from tests.ways_in.running import Program, ask, printed, steady

pytestmark = [pytest.mark.integration, pytest.mark.long]

OPTIONS = {
    "gunicorn.conf.py": ("--config", "python"),
    "logging.json": ("--log-config-json", "json"),
    "logging.ini": ("--log-config", "ini"),
}
PARTS = '<str 1-15> "POST /…?… HTTP/1.1" {} {} SECONDS'
WHOLE = '<str 1-15> - - TIME "POST /…?… HTTP/1.1" {} {} "-" "<str 1-15>"'


def line(logger: str, message: str, withheld: int = 0, level: str = "INFO", **more: object) -> dict[str, object]:
    counted = {"withheld": withheld} if withheld else {}
    return {"level": level, "logger": logger, "message": message, **counted, **more, "service": "answers"}


def requests(*, in_parts: bool) -> list[dict[str, object]]:
    """Return the lines of the two requests; a file that has no access_log_format has gunicorn's own."""
    route = {"method": "POST", "route": "/…?…"}
    found = []
    for status, size in ((200, 2), (500, 0)):
        message = (PARTS if in_parts else WHOLE).format(status, size)
        parts = {**route, "duration_s": "float"} if in_parts else {}
        found += [
            line("answers", f"Asked <str 64-255> with {len(BODY)} bytes", 1),
            line("answers", f"Asked {{text}} with {len(BODY)} bytes", 1),
            line("gunicorn.access", message, 1 if in_parts else 2, **parts, status=status),
        ]
    failure = {"exception_type": "ValueError", "exception_frames": "wsgi_app.py:app"}
    return [*found, line("gunicorn.error", "Error handling request POST /…?…", level="ERROR", **route, **failure)]


def loaded(times: int) -> list[dict[str, object]]:
    return [line("answers", "Loaded 3 shelves")] * times


def without_order(lines: list[dict[str, object]]) -> Counter[str]:
    """Return lines to compare, since those of several processes come in any order."""
    return Counter(json.dumps(one, sort_keys=True) for one in lines)


def serve(folder: Path, file: str, *more: str) -> Program:
    option, notation = OPTIONS[file]
    text = printed("gunicorn", "--format", notation, "--service", "answers")
    (folder / file).write_text(text, encoding="ascii")
    command = [option, file, "--bind", "127.0.0.1:0", "--workers", "2", "--worker-tmp-dir", ".", *more]
    # Its control socket would be in the home directory.
    with Program(folder, "-m", "gunicorn", *command, XDG_RUNTIME_DIR=str(folder)) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        assert [ask(port, "POST", target, BODY) for target in (NOTE, FAILING)] == [200, 500]
        access = "uvicorn.access" if "asgi_app:app" in more else "gunicorn.access"
        program.wait_for_lines(2, logger=access)
        assert program.stop() == 0
    assert found_in(program.stdout, program.stderr) == []
    return program


@pytest.mark.parametrize(
    ("file", "preload"),
    [("gunicorn.conf.py", False), ("gunicorn.conf.py", True), ("logging.json", False), ("logging.ini", True)],
)
def test_gunicorn_says_what_happened_and_nothing_of_what_was_asked(file: str, preload: bool, tmp_path: Path) -> None:
    """Each line once, whether the workers or their master load the application; nothing on standard error."""
    program = serve(tmp_path, file, *(["--preload"] if preload else []), "wsgi_app:app")
    found = [steady(one) for one in program.lines]

    own = [one for one in found if one["logger"] != "gunicorn.error" or one["level"] == "ERROR"]
    expected = loaded(1 if preload else 2) + requests(in_parts=file == "gunicorn.conf.py")
    assert without_order(own) == without_order(expected)
    # Of the master's own lines only those that all releases have.
    said = Counter(one["message"] for one in found if one["logger"] == "gunicorn.error")
    assert {
        "Listening at: http://127.0.0.1:PORT (PID)": 1,
        "Using worker: sync": 1,
        "Booting worker with pid: PID": 2,
        "Handling signal: term": 1,
        "Worker exiting (pid: PID)": 2,
        "Shutting down: Master": 1,
    }.items() <= said.items()
    assert program.stderr == ""


def test_workers_that_take_over_gunicorns_handlers_write_the_same_lines(tmp_path: Path) -> None:
    """uvicorn's worker copies them and cuts its loggers off from root; no line is lost or comes twice."""
    worker = "uvicorn.workers.UvicornWorker"
    program = serve(tmp_path, "gunicorn.conf.py", "--worker-class", worker, "asgi_app:app")
    found = [steady(one) for one in program.lines]

    access = [
        line(
            "uvicorn.access",
            f'<str 1-15> - "POST /…?… HTTP/1.1" {status}',
            1,
            method="POST",
            route="/…?…",
            status=status,
        )
        for status in (200, 500)
    ]
    assert [one for one in found if one["logger"] == "uvicorn.access"] == access
    said = Counter(one["message"] for one in found if one["logger"] == "uvicorn.error")
    assert (said["Application startup complete."], said["Exception in ASGI application\n"]) == (2, 1)
    assert Counter(one["message"] for one in found)[f"Using worker: {worker}"] == 1


LOAD = """\
import logging.config, runpy
logging.config.dictConfig(runpy.run_path("gunicorn.conf.py")["logconfig_dict"])
"""


def test_a_wrong_option_keeps_gunicorn_from_starting(tmp_path: Path) -> None:
    """gunicorn names the part and drops the cause; who loads the file without it reads our sentence."""
    text = printed("gunicorn").replace('"stream": "-"', '"stream": "stdout"')
    (tmp_path / "gunicorn.conf.py").write_text(text, encoding="ascii")

    with Program(tmp_path, "-m", "gunicorn", "--config", "gunicorn.conf.py", "wsgi_app:app") as program:
        assert program.finish() == 1
    assert (program.stdout, program.stderr.strip()) == ("", "Error: Unable to configure handler 'json'")

    with Program(tmp_path, "-c", LOAD) as loading:
        assert loading.finish() == 1
    assert 'ConfigurationError: stream: must be a stream or "-". Give a path as filename.\n' in loading.stderr


def test_a_configuration_that_is_loaded_again_writes_each_line_once(tmp_path: Path) -> None:
    """On SIGHUP gunicorn calls dictConfig anew and forks new workers."""
    (tmp_path / "gunicorn.conf.py").write_text(printed("gunicorn"), encoding="ascii")
    command = ["-m", "gunicorn", "--config", "gunicorn.conf.py", "--bind", "127.0.0.1:0", "wsgi_app:app"]
    with Program(tmp_path, *command, XDG_RUNTIME_DIR=str(tmp_path)) as program:
        port = int(program.wait_for(r"http://127\.0\.0\.1:(\d+)")[1])
        program.wait_for_lines(1, message="Loaded 3 shelves")
        program.process.send_signal(signal.SIGHUP)
        program.wait_for_lines(2, message="Loaded 3 shelves")
        program.wait_for("Worker exiting")
        assert ask(port, "POST", NOTE, BODY) == 200
        program.wait_for_lines(1, logger="gunicorn.access")
        assert program.stop() == 0

    said = Counter(one["message"] for one in map(steady, program.lines))
    assert said[PARTS.format(200, 2)] == 1
    assert (said["Hang up: Master"], said["Booting worker with pid: PID"], said["Shutting down: Master"]) == (1, 2, 1)
    assert (found_in(program.stdout, program.stderr), program.stderr) == ([], "")
