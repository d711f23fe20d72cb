"""Celery tasks that register what their customers write, and break in the ways in which tasks break."""

from __future__ import annotations

import os
import sys
from typing import Any

from celery import Celery
from celery.signals import worker_ready
from scoped import note, plain

import discreet

app = Celery("scoped", broker="memory://", backend="cache+memory://")
app.conf.broker_transport_options = {"polling_interval": 0.05}
app.conf.worker_prefetch_multiplier = 1


class Ended(BaseException):
    """What no task catches."""


class Odd(Exception):
    """An exception that can't be sent from a worker to its parent."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.where = lambda: text


@app.task(bind=True, max_retries=1, default_retry_delay=0)
def answer(self: Any, way: str, text: str) -> str:
    """Answer, or break as is said."""
    with discreet.customer_text(question=text):
        note(way, text)
        if way == "retry":
            raise self.retry(exc=ValueError(f"not yet for {text}"))
        if way == "print":
            print("asked", text)
            print("asked", text, file=sys.stderr)
        if way == "exit":
            sys.exit(f"no answer for {text}")
        if way == "end":
            raise Ended(f"no answer for {text}")
        if way == "odd":
            raise Odd(text)
    plain(f"{way} after", text)
    if way == "raise":
        raise ValueError(f"no answer for {text}")
    return f"an answer to {text}"


@app.task
def done() -> None:
    """Say that all the others were begun."""


@worker_ready.connect
def send(**_: Any) -> None:
    """Send a task of each kind."""
    for way in os.environ["WAYS"].split():
        answer.delay(way, os.environ["QUESTION"])
    done.delay()
