"""The ways in which an exception carries a text."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, NoReturn


class Question:
    """An object of an application that shows its text wherever it is printed."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return f"Question {self.text}"

    __repr__ = __str__


def exception(text: str) -> NoReturn:
    raise ValueError(text)


def cause(text: str) -> NoReturn:
    try:
        exception(text)
    except ValueError as error:
        raise RuntimeError("Came later") from error


def context(text: str) -> NoReturn:
    try:
        exception(text)
    except ValueError:
        raise RuntimeError("Came later")  # noqa: B904 -- the context is what is tried


def suppressed(text: str) -> NoReturn:
    try:
        exception(text)
    except ValueError:
        raise RuntimeError("Came later") from None


def notes(text: str) -> NoReturn:
    error = ValueError("Has a note")
    error.add_note(text)
    raise error


def group(text: str) -> NoReturn:
    inner = ExceptionGroup("Inside", [KeyError(text), OSError(2, text, f"{text}.txt")])
    raise ExceptionGroup(text, [ValueError(text), TypeError("No text"), inner])


def local_variable(text: str) -> NoReturn:
    asked = text
    raise ValueError(len(asked))


def nested(text: str) -> NoReturn:
    raise ValueError([{"chunks": (text,)}])


def of_object(text: str) -> NoReturn:
    raise ValueError(Question(text))


def of_bytes(text: str) -> NoReturn:
    raise ValueError(text.encode())


def in_a_thread(text: str) -> None:
    """Fail in a thread of that name."""
    thread = threading.Thread(target=exception, args=("No text",), name=text)
    thread.start()
    thread.join()


def in_a_task(text: str) -> None:
    """Fail in a task of that name that nobody waits for."""

    async def fail() -> None:
        raise ValueError("No text")

    async def main() -> None:
        task = asyncio.create_task(fail(), name=text)
        await asyncio.sleep(0)
        del task

    asyncio.run(main())


FAILURES: dict[str, Any] = {
    "exception": exception,
    "cause": cause,
    "context": context,
    "suppressed context": suppressed,
    "notes": notes,
    "exception group": group,
    "local variable": local_variable,
    "nested containers": nested,
    "object's `__str__`": of_object,
    "bytes": of_bytes,
    "thread name": in_a_thread,
    "task name": in_a_task,
}
