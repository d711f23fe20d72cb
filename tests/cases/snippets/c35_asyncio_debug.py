"""C35: asyncio's debug mode logs slow callbacks and forgotten coroutines with their arguments."""

import asyncio
import logging
import time

CASE = {
    "id": "C35",
    "group": "C",
    "kind": "leak",
    "right": "No repr of a handle, task or coroutine, and no context dict, at any level.",
    "min_records": 2,
}
SECRETS = ["fieldfarer", "redwingate"]


class Question:
    def __repr__(self) -> str:
        return "<Question about fieldfarer>"


def _slow(question: Question) -> None:
    time.sleep(0.02)


async def _main() -> None:
    loop = asyncio.get_running_loop()
    loop.slow_callback_duration = 0.001
    loop.call_soon(_slow, Question())
    asyncio.current_task().set_name("answer redwingate")
    await asyncio.sleep(0.03)

    def fail(question: Question) -> None:
        raise LookupError("redwingate")

    loop.call_soon(fail, Question())
    future = loop.create_future()
    future.set_exception(ValueError("fieldfarer"))
    del future
    await asyncio.sleep(0.01)


def emit() -> None:
    logging.getLogger("asyncio").setLevel(logging.DEBUG)
    asyncio.run(_main(), debug=True)
