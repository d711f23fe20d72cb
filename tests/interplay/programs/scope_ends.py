"""A call that does everything with its texts, and a search through all that is left of it; prints what it finds."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import io
import json
import logging
import logging.handlers
import queue
import threading
from typing import Any

import discreet
from discreet.matching.folding import letters_and_words
from discreet.scope import carry, current, customer_text

NAMES = ("tests.ends", "tests.ends.matched")


def sinks() -> list[Any]:
    """Set up every kind of handler that keeps records, under the guard, with one logger in match mode."""
    discreet.install(match=[NAMES[1]])
    waiting: queue.Queue[Any] = queue.Queue()
    made: list[Any] = [
        discreet.JsonHandler(stream=io.StringIO()),
        logging.StreamHandler(io.StringIO()),
        logging.handlers.QueueHandler(waiting),
        logging.handlers.MemoryHandler(1000, flushLevel=100),
    ]
    made[1].setFormatter(discreet.ConsoleFormatter())
    log = logging.getLogger(NAMES[0])
    log.setLevel(1)
    for handler in made:
        log.addHandler(handler)
    return [*made, waiting]


def made_up(mark: str) -> str:
    return f"The {mark} hangs behind the door of the boat house, says nobody."


def log_all(text: str) -> None:
    """Log a text in every place of a record, on both loggers."""
    for name in NAMES:
        log = logging.getLogger(name)
        log.info("Asked %s about %s", text, discreet.public(text))
        log.info(f"Asked {text} about {text.upper()!r}")
        log.info(text, extra={"question": text, text: text})
        log.info("Asked %(question)s", {"question": text.split()[1]})
        try:
            try:
                raise KeyError(text)
            except KeyError as error:
                error.add_note(text)
                raise ValueError(text, [text.encode()]) from error
        except ValueError:
            log.exception("Failed for %r", text, stack_info=True)
            log.error("Failed", exc_info=ExceptionGroup(text, [OSError(2, text, text)]))


def call(mark: str) -> list[Any]:
    """Make a call, and return what of it a program may keep: scopes, contexts, carried functions, waiting tasks."""
    text = made_up(mark)
    kept: list[Any] = []
    with customer_text(question=text, chunks=[text.upper(), text.encode()]) as scope:
        kept += [scope, contextvars.copy_context(), carry(current), scope.find(f"so says {text}"), scope.places]
        log_all(text)
        thread = threading.Thread(target=carry(log_all), args=(text,), name=text)
        thread.start()
        thread.join()
        assert scope.find(text) is not None
    return kept


async def call_with_tasks(mark: str, end: asyncio.Event) -> list[asyncio.Task[Any]]:
    """The same, with tasks that live on; they have nothing of the text but its scope."""
    text = made_up(mark)
    async with customer_text(question=text):
        tasks = [asyncio.create_task(waiting_for(end)) for _ in range(2)]
        await asyncio.sleep(0)
        log_all(text)
    return tasks


async def waiting_for(end: asyncio.Event) -> object:
    await end.wait()
    return current()


def leavings(mark: str) -> list[str]:
    """Return what holds the mark, as it is or folded, or a word of its folded form as a number."""
    gc.collect()
    text = made_up(mark)
    folded = letters_and_words(text)[0]
    eights = [folded[start : start + 8] for start in range(len(folded) - 7)]
    pieces = {piece for piece in eights if mark[3:6].encode() in piece}
    numbers = {number for piece in pieces for number in memoryview(piece).cast("Q")}
    wanted, raw = mark[3:-3], mark[3:-3].encode()
    mine = {id(text), id(mark), id(folded), id(wanted), id(raw), id(numbers), id(pieces), *map(id, eights)}
    found = []
    for holder in gc.get_objects():
        if id(holder) in mine:
            continue
        for part in gc.get_referents(holder):
            if id(part) in mine:
                continue
            kind = type(part)
            if kind is str and (wanted in part or wanted.upper() in part):
                found.append(f"{type(holder).__name__} holds a text")
            elif (kind is bytes or kind is bytearray) and (raw in part.lower()):
                found.append(f"{type(holder).__name__} holds bytes")
            elif kind is int and part in numbers:
                found.append(f"{type(holder).__name__} holds a number")
    return found


def control() -> list[str]:
    """Search while a scope is open."""
    mark = "zqv" + "xjk" * 2 + str(len(NAMES[0])) + "wpt"
    with customer_text(question=made_up(mark)) as scope:
        scope.find("so says nobody" * 3)
        return sorted(set(leavings(mark)))


def after_a_call() -> dict[str, Any]:
    """Search while sinks keep the records of a call, and the program its scope, a context and a carried function."""
    mark = "zqw" + "vjk" * 2 + str(len(NAMES[1])) + "wpt"
    kept = call(mark)
    left = leavings(mark)
    return {
        "left": left,
        "found": kept[0].find(made_up(mark)) is not None,
        "scopes": [kept[1].run(current), kept[2](), current()],
        "match": [kept[3].place, kept[4]],
    }


async def beside_tasks() -> dict[str, Any]:
    """Search while tasks of a call live on."""
    mark = "zqx" + "wjk" * 2 + str(len(NAMES)) + "wpt"
    end = asyncio.Event()
    tasks = await call_with_tasks(mark, end)
    await asyncio.sleep(0)
    left = leavings(mark)
    end.set()
    return {"left": left, "scopes": await asyncio.gather(*tasks)}


everything = sinks()
found = {"control": control(), "call": after_a_call(), "tasks": asyncio.run(beside_tasks())}
found["kept"] = [len(everything[3].buffer), everything[4].qsize()]
print(json.dumps(found))
