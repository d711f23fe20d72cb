"""Where a call's texts are known when its work is done elsewhere: threads, pools, tasks, processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.doors.programs import run

JOBS = """
import discreet, logging, sys
QUESTION = "Does Wagtailmere pay for the boat " + "house?"
def set_up():
    discreet.install(match=["app"])
    logging.basicConfig(format="%(name)s %(message)s", stream=sys.stdout, level="INFO", force=True)
def tell(name):
    logging.getLogger("app").info("%s", name)
    sys.stdout.flush()
async def tell_later(name):
    tell(name)
"""
PROGRAM = """
import asyncio, multiprocessing, os, threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing.pool import ThreadPool
import discreet
from discreet.scope import carry
from jobs import QUESTION, set_up, tell, tell_later
NAME = "Wagtailmere"
async def main():
    loop = asyncio.get_running_loop()
    async with discreet.customer_text(question=QUESTION):
        await asyncio.create_task(tell_later(NAME))
        await asyncio.gather(tell_later(NAME), tell_later(NAME))
        await asyncio.to_thread(tell, NAME)
        late = loop.call_soon(tell, NAME)
        await asyncio.sleep(0)
        await loop.run_in_executor(None, carry(tell), NAME)
        await loop.run_in_executor(None, tell, NAME)
        event = asyncio.Event()
        async def wait():
            await event.wait()
            tell(NAME)
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
    event.set()
    await task
if __name__ == "__main__":
    set_up()
    context = multiprocessing.get_context(METHOD)
"""
KNOWN, DENIED = "<question 1-15>", "<str 1-15>"


def shown(folder: Path, body: str, method: str = "spawn") -> list[str]:
    """Run a program whose jobs log one name of the question in match mode, and return what was shown of it."""
    (folder / "jobs.py").write_text(JOBS, encoding="utf-8")
    code = PROGRAM.replace("METHOD", repr(method)) + "\n".join(f"    {line}" for line in body.strip().splitlines())
    ended = run(folder, code, head="")
    assert (ended.code, ended.err) == (0, "")
    assert "Wagtailmere" not in ended.out
    return [line.removeprefix("app ") for line in ended.out.splitlines() if line.startswith("app ")]


def test_threads_and_their_pools_have_the_scope_by_carry(tmp_path: Path) -> None:
    """Without it they have none, and nothing is let through; after the call a carried function has none either."""
    body = """
pool, old = ThreadPoolExecutor(1), ThreadPool(1)
with discreet.customer_text(question=QUESTION):
    kept = carry(tell)
    for target in (tell, kept):
        thread = threading.Thread(target=target, args=(NAME,))
        thread.start()
        thread.join()
        pool.submit(target, NAME).result()
        list(pool.map(target, [NAME]))
        old.apply(target, (NAME,))
        timer = threading.Timer(0, target, (NAME,))
        timer.start()
        timer.join()
kept(NAME)
pool.submit(kept, NAME).result()
pool.shutdown()
old.terminate()
"""
    assert shown(tmp_path, body) == [DENIED] * 5 + [KNOWN] * 5 + [DENIED] * 2


def test_whatever_an_event_loop_starts_has_the_scope(tmp_path: Path) -> None:
    """Tasks, callbacks, `to_thread`; an executor by `carry`. A task that outlives the call has none any more."""
    assert shown(tmp_path, "asyncio.run(main())") == [KNOWN] * 6 + [DENIED] * 2


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_process_has_the_scope_by_a_fork_alone(method: str, tmp_path: Path) -> None:
    """Others start anew: nothing is let through, whether the process sets itself up or not."""
    body = """
with discreet.customer_text(question=QUESTION):
    process = context.Process(target=tell, args=(NAME,))
    if context.get_start_method() != "fork":
        pool = ProcessPoolExecutor(1, mp_context=context, initializer=set_up)
        pool.submit(tell, NAME).result()
        pool.shutdown()
    process.start()
    process.join()
"""
    # One that doesn't set itself up has no handler for INFO.
    assert shown(tmp_path, body, method) == ([KNOWN] if method == "fork" else [DENIED])


def test_a_pool_that_is_forked_before_the_call_has_no_scope(tmp_path: Path) -> None:
    """One that is forked by the call has the call's texts for as long as it lives."""
    body = """
early = ProcessPoolExecutor(1, mp_context=context)
early.submit(int).result()
with discreet.customer_text(question=QUESTION):
    early.submit(tell, NAME).result()
    late = ProcessPoolExecutor(1, mp_context=context)
    late.submit(tell, NAME).result()
late.submit(tell, NAME).result()
early.shutdown()
late.shutdown()
"""
    assert shown(tmp_path, body, "fork") == [DENIED, KNOWN, KNOWN]
