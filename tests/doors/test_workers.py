"""Processes of multiprocessing: the guard is in each of them, and none prints why it failed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.doors.programs import QUESTION, TO_JSON, Ended, run

pytestmark = pytest.mark.long

METHODS = ["fork", "spawn", "forkserver"]


JOBS = f"""
import logging, multiprocessing, sys
def fail():
    raise LookupError({QUESTION!r})
def fail_at(text):
    raise LookupError(text)
def log(text={QUESTION!r}):
    logging.getLogger("app").warning("asked %s", text)
def log_and_print(text={QUESTION!r}):
    log(text)
    print("Asked", text)
def tell_what_handlers_are_called_with():
    logger = logging.getLogger("app")
    logger.callHandlers = lambda record: print(type(record).__name__)
    log()
class Own(multiprocessing.Process):
    def run(self):
        fail()
"""


def run_program(folder: Path, body: str, method: str, setup: str = "discreet.install()") -> Ended:
    """Run a main module that children of spawn import again; only the parent installs the guard."""
    (folder / "jobs.py").write_text(JOBS, encoding="utf-8")
    main = "\n".join(f"    {line}" for line in [setup, *body.strip().splitlines()])
    return run(
        folder,
        f"""
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from jobs import *
if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
{main}
""",
    )


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_has_the_guard_without_a_change_of_the_program(tmp_path: Path, method: str) -> None:
    """Forked ones inherit it; others get it with the process that they are to run, streams and all."""
    body = """
process = context.Process(target=log_and_print)
process.start()
process.join()
with ProcessPoolExecutor(1, mp_context=context) as pool:
    pool.submit(log_and_print, QUESTION).result()
with context.Pool(1) as pool:
    pool.map(log_and_print, [QUESTION])
    pool.close()
    pool.join()
"""
    ended = run_program(tmp_path, body, method, "discreet.install(streams=True)")

    assert (ended.code, ended.err) == (0, "asked <str 16-63>\n" * 3)
    assert ended.out == "Asked {text}\n" * 3


@pytest.mark.parametrize("method", METHODS)
def test_a_worker_that_fails_is_rendered_our_way(tmp_path: Path, method: str) -> None:
    """multiprocessing prints its traceback with text, past every hook; the exit codes stay."""
    body = """
for target, args in ((fail, ()), (sys.exit, (3,)), (sys.exit, ()), (sys.exit, (QUESTION,))):
    process = context.Process(target=target, args=args)
    process.start()
    process.join()
    print(process.exitcode)
"""
    ended = run_program(tmp_path, body, method)

    assert (ended.code, ended.out) == (0, "1\n3\n0\n1\n")
    first, *frames, last = ended.err.splitlines()
    assert (first, last) == ("--- Uncaught exception in a process --- LookupError", "<str 16-63>")
    assert frames[-1] == "    jobs.py:fail:4"


@pytest.mark.parametrize("method", ["fork"])
def test_the_failure_of_a_worker_with_handlers_is_a_record(tmp_path: Path, method: str) -> None:
    """Also of a class with a run of its own."""
    body = f"""
{TO_JSON.strip()}
process = Own()
process.start()
process.join()
"""
    ended = run_program(tmp_path, body, method)

    assert (ended.code, ended.out) == (0, "")
    assert [(one["level"], one["event"], one["place"], one["exception_type"]) for one in ended.records] == [
        ("CRITICAL", "uncaught_exception", "process", "LookupError")
    ]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("pool", ["ProcessPoolExecutor(1, mp_context=context)", "context.Pool(1)"])
def test_the_traceback_of_a_worker_stays_in_what_carries_it(tmp_path: Path, method: str, pool: str) -> None:
    """A pool hands the failure on with the traceback as a text in its cause, which is never shown."""
    call = "pool.submit(fail_at, QUESTION).result()" if pool[0] == "P" else "pool.apply(fail_at, (QUESTION,))"
    body = f"""
{TO_JSON.strip()}
with {pool} as pool:
    try:
        {call}
    except LookupError:
        logging.getLogger("app").exception("The worker failed")
    {call}
"""
    ended = run_program(tmp_path, body, method)

    remote = "concurrent.futures.process._RemoteTraceback" if pool[0] == "P" else "multiprocessing.pool.RemoteTraceback"
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[0] == f"--- Uncaught exception --- LookupError < {remote}"
    assert [(one["message"], one["exception_chain"]) for one in ended.records] == [
        ("The worker failed", f"LookupError < {remote}"),
        ("Uncaught exception", f"LookupError < {remote}"),
    ]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_an_initializer_installs_the_guard_where_it_does_not_come_by_itself(tmp_path: Path, method: str) -> None:
    """A parent without the guard, or with contracts and attributes that only its workers need."""
    body = """
with ProcessPoolExecutor(1, mp_context=context, initializer=discreet.install_in_worker) as pool:
    pool.submit(log).result()
"""
    ended = run_program(tmp_path, body, method, "pass")

    assert (ended.code, ended.out, ended.err) == (0, "", "asked <str 16-63>\n")


def test_contracts_of_the_parent_are_those_of_its_workers(tmp_path: Path) -> None:
    """By their files; the working directory may be another one by then."""
    (tmp_path / "shop.toml").write_text(
        'contract = { name = "shop", format = 1, summary = "A shop." }\n'
        'events = [{ name = "sold", level = "INFO", meaning = "Something was sold." }]\n',
        encoding="utf-8",
    )
    (tmp_path / "look.py").write_text(
        "from discreet.contract import active\ndef look():\n    print(active().is_event('sold'))\n", encoding="utf-8"
    )
    ended = run(
        tmp_path,
        """
import multiprocessing, os
from discreet.contract import activate
from look import look
if __name__ == "__main__":
    activate(["shop.toml"])
    discreet.install()
    os.chdir("/")
    process = multiprocessing.get_context("spawn").Process(target=look)
    process.start()
    process.join()
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "True\n", "")


SHOW = """
import discreet, io, json, logging
def show():
    stream = io.StringIO()
    log = logging.getLogger("app")
    log.addHandler(discreet.JsonHandler(stream=stream))
    log.propagate = False
    extra = {"tenant": "8f14e45fceea167a", "step": "load", "path": "/boats/7", "peer": "db.a.example"}
    log.error("Failed", extra=extra)
    line = json.loads(stream.getvalue())
    print(*(line.get(key) for key in ("tenant", "step", "path", "peer")))
"""
SHOWN = "8f14e45fceea167a load /boats/{boat} db.a.example\n"
DECLARED = {
    "attributes": {
        "tenant": "id",
        "step": {"type": "enum", "values": ["load", "save"]},
        "path": "route",
        "peer": "host",
    },
    "routes": ["/boats/{boat}"],
    "hosts": ["*.a.example"],
}


@pytest.mark.parametrize("method", METHODS)
def test_what_the_parent_declared_holds_in_its_workers(tmp_path: Path, method: str) -> None:
    """Application-wide attributes with their options, routes and hosts, in processes and pools."""
    (tmp_path / "show.py").write_text(SHOW, encoding="utf-8")
    body = """
from show import show
process = context.Process(target=show)
process.start()
process.join()
with ProcessPoolExecutor(1, mp_context=context) as pool:
    pool.submit(show).result()
"""
    ended = run_program(tmp_path, body, method, f"discreet.configure(json=None, **{DECLARED!r})")

    assert (ended.code, ended.out, ended.err) == (0, SHOWN * 2, "")


def test_an_initializer_reads_the_variables(tmp_path: Path) -> None:
    """Whoever deploys a service declares what its workers may show without a change of the program."""
    (tmp_path / "show.py").write_text(SHOW, encoding="utf-8")
    ended = run(
        tmp_path,
        """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from show import show
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=discreet.install_in_worker) as pool:
        pool.submit(show).result()
""",
        DISCREET_ATTRIBUTES=json.dumps(DECLARED["attributes"]),
        DISCREET_ROUTES=",".join(DECLARED["routes"]),
        DISCREET_HOSTS=",".join(DECLARED["hosts"]),
    )

    assert (ended.code, ended.out, ended.err) == (0, SHOWN, "")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("strict", [True, False])
def test_workers_are_as_strict_as_their_parent(tmp_path: Path, method: str, strict: bool) -> None:
    """Whoever reads records where a logger hands them to its handlers gets sealed ones in a worker too."""
    body = """
process = context.Process(target=tell_what_handlers_are_called_with)
process.start()
process.join()
"""
    ended = run_program(tmp_path, body, method, f"discreet.install(strict={strict})")

    assert (ended.code, ended.out) == (0, f"{'SealedRecord' if strict else 'LogRecord'}\n")


def test_an_initializer_guards_the_streams_where_the_variable_says_so(tmp_path: Path) -> None:
    """As ``configure()`` does; an argument wins over it."""
    (tmp_path / "jobs.py").write_text(JOBS, encoding="utf-8")
    ended = run(
        tmp_path,
        """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from jobs import *
def printed():
    place = QUESTION.split()[5]
    print("Key of", place)
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    for start in (discreet.install_in_worker, partial(discreet.install_in_worker, streams=False)):
        with ProcessPoolExecutor(1, mp_context=context, initializer=start) as pool:
            pool.submit(printed).result()
""",
        DISCREET_STREAMS="on",
    )

    assert (ended.code, ended.err) == (0, "")
    assert ended.out == "Key of {place}\nKey of the\n"


def test_an_initializer_is_strict_where_the_variable_says_so(tmp_path: Path) -> None:
    """An argument wins over it."""
    (tmp_path / "jobs.py").write_text(JOBS, encoding="utf-8")
    ended = run(
        tmp_path,
        """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from jobs import *
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    for start in (discreet.install_in_worker, partial(discreet.install_in_worker, strict=False)):
        with ProcessPoolExecutor(1, mp_context=context, initializer=start) as pool:
            pool.submit(tell_what_handlers_are_called_with).result()
""",
        DISCREET_STRICT="true",
    )

    assert (ended.code, ended.out, ended.err) == (0, "SealedRecord\nLogRecord\n", "")


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_program_whose_directory_is_deleted_starts_its_workers(tmp_path: Path, when: str) -> None:
    """It need not notice where it forks, and neither need the guard, which looks for contracts by their paths."""
    (tmp_path / "gone").mkdir()
    leave = "os.chdir('gone'), os.rmdir(os.getcwd())"
    body = """
process = context.Process(target=log)
process.start()
process.join()
print(process.exitcode)
"""
    setup = [leave, "discreet.install()"] if when == "before" else ["discreet.install()", leave]
    ended = run_program(tmp_path, body, "fork", f"import os; {'; '.join(setup)}")

    assert (ended.code, ended.out) == (0, "0\n")
    assert ended.err.splitlines()[-1] == "asked <str 16-63>"
