"""The part of a Celery app that is the same whatever sets logging up: its broker is a folder."""

from __future__ import annotations

from celery import Celery
from celery.utils.log import get_task_logger

log = get_task_logger(__name__)

app = Celery("answers", broker="filesystem://")
app.conf.broker_transport_options = {
    "data_folder_in": "queue",
    "data_folder_out": "queue",
    "control_folder": "control",
}
app.conf.task_ignore_result = True


@app.task
def answer(text: str, *, attempts: int = 1) -> str:
    """Answer a question; a later attempt breaks."""
    log.info("Asked %s, attempt %d", text, attempts)
    log.info(f"Asked {text}, attempt {attempts}")
    if attempts > 1:
        raise ValueError(f"no answer for {text}")
    return f"an answer to {text}"
