"""The part of a Celery app that is the same whatever sets logging up: the worker itself sends the tasks."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import worker_ready
from celery.utils.log import get_task_logger

log = get_task_logger(__name__)
app = Celery("answers", broker="memory://")
app.conf.broker_transport_options = {"polling_interval": 0.05}


@app.task
def answer(text: str, attempts: int) -> str:
    """Answer a question; a later attempt breaks."""
    log.info("Asked %s, attempt %d", text, attempts)
    log.info(f"Asked {text}, attempt {attempts:d}")
    if attempts > 1:
        raise ValueError(f"no answer for {text}")
    return f"an answer to {text}"


@worker_ready.connect
def send(**_: Any) -> None:
    """Send a task that succeeds and one that breaks."""
    answer.delay(os.environ["QUESTION"], 1)
    answer.delay(os.environ["QUESTION"], 2)
