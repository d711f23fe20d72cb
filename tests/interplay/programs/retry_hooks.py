"""The hooks that tenacity and stamina bring along, which log results, arguments and exceptions.

First argument: `tenacity`, or which hook of stamina's; second: `guarded`, `structlog`, `streams`, `instrumented`, or
`unguarded` for the control.
"""

from __future__ import annotations

import logging
import sys
from contextlib import nullcontext

import discreet
from tests.interplay.calls import SENTENCES

hook, way = sys.argv[1:]


class Everything(logging.Formatter):
    """Shows all that a record has."""

    def format(self, record: logging.LogRecord) -> str:
        return f"{super().format(record)} {vars(record)!r}".replace("\n", " ")


def fetch(question: str, *, of: str) -> str:
    """Fail once."""
    calls.append(question)
    if len(calls) % 2:
        raise ValueError(question)
    return of


calls: list[str] = []
handler = logging.FileHandler("records.txt", encoding="utf-8")
handler.setFormatter(Everything())
logging.basicConfig(level=logging.DEBUG, handlers=[handler])
if way == "structlog":
    import structlog

    import discreet.structlog

    structlog.configure(processors=[*discreet.structlog.processors(), structlog.processors.JSONRenderer()])
if way == "instrumented":
    from discreet.instrument.stamina import StaminaInstrumentor

    StaminaInstrumentor().instrument()

log = logging.getLogger("app.retries")
guard = nullcontext() if way == "unguarded" else discreet.configure(json="lines.jsonl", streams=way == "streams")
with guard:
    if hook == "tenacity":
        import tenacity

        options = {
            "stop": tenacity.stop_after_attempt(2),
            "before": tenacity.before_log(log, logging.INFO),
            "after": tenacity.after_log(log, logging.INFO),
            "before_sleep": tenacity.before_sleep_log(log, logging.WARNING, exc_info=True),
        }
        tenacity.Retrying(**options)(fetch, SENTENCES[0], of=SENTENCES[1])
        refused = tenacity.retry_if_result(lambda answer: True)
        again = tenacity.Retrying(**options, retry=refused, retry_error_callback=lambda state: None)
        again(lambda: SENTENCES[3])
    else:
        import stamina
        from stamina import instrumentation

        hooks = {"logging": [instrumentation.LoggingOnRetryHook], "structlog": [instrumentation.StructlogOnRetryHook]}
        instrumentation.set_on_retry_hooks(hooks.get(hook))
        again = stamina.retry(on=ValueError, attempts=2, wait_initial=0, wait_jitter=0)(fetch)
        again(SENTENCES[0], of=SENTENCES[1])
