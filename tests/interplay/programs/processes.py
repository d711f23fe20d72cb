"""Workers that log: argument is the start method; each sets itself up as a service does, or inherits it."""

from __future__ import annotations

import logging
import logging.handlers
import multiprocessing
import sys
from typing import Any

import discreet
from tests.interplay.calls import LOGGER, SENTENCES, answer, work


def setup(name: str) -> None:
    discreet.configure(json=f"{name}.jsonl", attributes={"shard": "int"})


def worker(question: str, queue: Any) -> None:
    if multiprocessing.get_start_method() != "fork":
        setup("worker")
    logging.root.addHandler(logging.handlers.QueueHandler(queue))
    work(logging.getLogger(LOGGER))
    answer(logging.getLogger(LOGGER), question)


if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    setup("parent")
    waiting = multiprocessing.Queue()
    logging.getLogger(LOGGER).warning("In the parent: %s", SENTENCES[0])
    process = multiprocessing.Process(target=worker, args=(SENTENCES[0], waiting), name=SENTENCES[1])
    process.start()
    records = [waiting.get(timeout=60) for _ in range(6)]
    process.join(timeout=60)
    plain = logging.FileHandler("queued.log", encoding="utf-8")
    plain.setFormatter(logging.Formatter("%(processName)s %(name)s %(levelname)s %(message)s"))
    listener = discreet.JsonHandler(filename="queued.jsonl")
    for record in records:
        plain.handle(record)
        listener.handle(record)
