"""Set up in the parent, at work in forked children: a server that preloads, and multiprocessing."""

import logging
import multiprocessing
import os

from opentelemetry import trace

CASE = {"collectors": ["ok"], "app_records": 5, "processes": 5, "spans": 4}


def _child(number: int) -> None:
    logging.getLogger("app.child").warning("child", extra={"warning_code": "W_CASE", "n": number, "k": os.getpid()})
    with trace.get_tracer("app").start_as_current_span("case.event"):
        pass


def emit() -> None:
    logging.getLogger("app").info("parent, before the fork", extra={"k": os.getpid()})
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_child, args=(number,)) for number in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(30)
    assert [child.exitcode for child in children] == [0, 0, 0, 0]
