"""asyncio: what its loops say about failures goes through logging; what a handler of the program prints does not."""

from __future__ import annotations

from pathlib import Path

from tests.doors.programs import TO_JSON, run

FAILING = """
import asyncio, gc
async def fail():
    raise LookupError(QUESTION)
async def main(handler=None):
    loop = asyncio.get_running_loop()
    if handler is not None:
        loop.set_exception_handler(handler)
    task = loop.create_task(fail(), name=QUESTION)
    await asyncio.sleep(0.01)
    del task
    gc.collect()
    loop.call_exception_handler({"message": QUESTION, "exception": KeyError(QUESTION), "note": QUESTION})
    loop.call_soon(int, QUESTION)
    await asyncio.sleep(0.01)
"""


def test_the_default_handler_is_a_logger_like_any_other(tmp_path: Path) -> None:
    """Known sentences of asyncio stay, as do type and frames of the exception."""
    ended = run(tmp_path, f"{FAILING}\ndiscreet.install()\n{TO_JSON}\nasyncio.run(main())")

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [(one["logger"], one["level"], one["message"], one["exception_type"]) for one in ended.records] == [
        ("asyncio", "ERROR", "Task exception was never retrieved", "LookupError"),
        ("asyncio", "ERROR", "<str 16-63>", "KeyError"),
        ("asyncio", "ERROR", "Exception in callback ...", "ValueError"),
    ]


def test_what_a_handler_of_the_program_prints_is_lines_with_streams(tmp_path: Path) -> None:
    """It is the program's own code and gets what it asked for; what it writes is sealed like any print."""
    ended = run(
        tmp_path,
        f"""{FAILING}
def handler(loop, context):
    print("loop failed:", context["message"], repr(context["exception"]))
    if isinstance(context["exception"], ValueError):
        raise RuntimeError(QUESTION)
discreet.install(streams=True)
{TO_JSON}
asyncio.run(main(handler))
""",
    )

    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert [(one["logger"], one["message"]) for one in ended.records] == [
        ("stdout", "loop failed: {} {}"),
        ("stdout", "loop failed: {} {}"),
        ("stdout", "loop failed: {} {}"),
        ("asyncio", "Unhandled error in exception handler"),
    ]


def test_what_the_main_task_raises_is_uncaught_like_anything(tmp_path: Path) -> None:
    """Groups too, by the types in them."""
    ended = run(
        tmp_path,
        """
import asyncio
async def fail():
    raise LookupError(QUESTION)
async def main():
    async with asyncio.TaskGroup() as group:
        group.create_task(fail(), name=QUESTION)
        group.create_task(fail(), name=QUESTION)
discreet.install()
asyncio.run(main())
""",
    )

    assert (ended.code, ended.out) == (1, "")
    assert ended.err.splitlines()[0] == "--- Uncaught exception --- ExceptionGroup(2: LookupError x2)"
