"""A34: asyncio logs failures that nobody fetched, with coroutine, task name and exception text."""

import asyncio
import gc

CASE = {
    "id": "A34",
    "group": "A",
    "kind": "leak",
    "source": [
        "Soju06/codex-lb PR 2054",
        "python/cpython logging of asyncio default exception handler (behaviour)",
    ],
    "right": ("Records of logger 'asyncio' scrubbed: no future/task repr, no exception text. Loop keeps running."),
}
SECRETS = ["merlewood", "quillpath"]


async def _answer(question: str) -> None:
    raise ValueError("merlewood said " + question)


async def _main() -> None:
    task = asyncio.create_task(_answer("x"), name="ask quillpath")
    await asyncio.sleep(0)
    del task
    gc.collect()
    asyncio.get_running_loop().call_exception_handler(
        {
            "message": "stream broke for merlewood",
            "exception": RuntimeError("quillpath"),
            "extra": {"q": "merlewood"},
        }
    )
    await asyncio.sleep(0)


def emit() -> None:
    asyncio.run(_main())
    gc.collect()
