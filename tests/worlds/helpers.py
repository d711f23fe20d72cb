"""What generated programs import: classes that speak, and other ways to get to a log call."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, Self

__all__ = [
    "EVENT",
    "E_CODE",
    "W_CODE",
    "Adapter",
    "Coded",
    "DropLogged",
    "Failure",
    "Number",
    "Plain",
    "Spoken",
    "Text",
    "in_task",
    "in_thread",
    "same",
    "told_by_another_module",
    "unharmed",
]

EVENT, E_CODE, W_CODE = "worlds.event", "e_worlds", "w_worlds"


class Plain:
    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Text(str):
    __slots__ = ()

    def __mod__(self, args: object) -> str:
        return f"{self!s} {args}"


class Number(float):
    def __new__(cls, text: str) -> Self:
        made = super().__new__(cls, 1.5)
        made.text = text
        return made

    def __format__(self, spec: str) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text

    __str__ = __repr__


class Failure(Exception):
    def __init__(self, text: str) -> None:
        super().__init__(text, len(text))
        self.body = text
        self.response = {"text": text}


class Coded(Failure):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = text
        self.param = text
        self.status_code = text


class Spoken(Exception):
    def __str__(self) -> str:
        return self.args[0] * 2

    __repr__ = __str__


class Adapter(logging.LoggerAdapter):
    def process(self, msg: Any, kwargs: MutableMapping[str, Any]) -> Any:
        return f"{self.extra['who']}: {msg}", kwargs


class DropLogged:
    """Logs when it is dropped, which is at once."""

    def __init__(self, log: Callable[[], None]) -> None:
        self.log = log

    def __del__(self) -> None:
        with unharmed():
            self.log()


def told_by_another_module(message: Any, *args: Any) -> None:
    logging.getLogger(__name__).info(message, *args)


def same(text: str) -> str:
    return text


def in_thread(name: str, log: Callable[[], None]) -> None:
    def work() -> None:
        with unharmed():
            log()

    thread = threading.Thread(target=work, name=name)
    thread.start()
    thread.join()


def in_task(name: str, log: Callable[[], None]) -> None:
    async def main() -> None:
        asyncio.current_task().set_name(name)
        with unharmed():
            log()

    asyncio.run(main())


@contextlib.contextmanager
def unharmed() -> Iterator[None]:
    """Let a program go on whose own code fails over a text: `msg % args` with a text as `msg`."""
    try:
        yield
    except Exception as error:
        if any(frame.startswith("discreet") for frame in _modules(error)):
            raise SystemExit("an exception came out of the guard") from error


def _modules(error: BaseException) -> list[str]:
    found, tb = [], error.__traceback__
    while tb is not None:
        found.append(tb.tb_frame.f_globals.get("__name__", ""))
        tb = tb.tb_next
    return found
