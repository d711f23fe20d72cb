"""C78: celery logs what a task was called with and what it gave back."""

import logging

from _common import codes

CASE = {
    "id": "C78",
    "group": "C",
    "kind": "leak",
    "requires": ["celery"],
    "right": ("The task's name, id, state and time may stay; arguments, results and errors not."),
    "min_records": 3,
}
SECRETS = ["partridgely", "pheasantry"]


def emit() -> None:
    from celery import Celery
    from celery.utils.log import get_task_logger

    app = Celery("answers", set_as_current=False)
    app.conf.update(task_always_eager=True, task_store_eager_result=False)

    @app.task(name="answers.answer", bind=True, max_retries=0)
    def answer(self: object, question: str) -> str:
        get_task_logger("answers").info("asked: %s", question, extra=codes())
        if question == "pheasantry":
            raise ValueError(question)
        return f"all about {question}"

    answer.apply(args=("partridgely",))
    answer.apply(kwargs={"question": "pheasantry"})
    logging.getLogger("celery.worker.strategy").info(
        "Task %(name)s[%(id)s] received %(args)s",
        {"name": "answers.answer", "id": "1", "args": "('partridgely',)"},
        extra={"data": {"args": "('partridgely',)"}},
    )
