"""B19: many threads, many records, mixed sizes."""

import logging
import threading

from _common import codes

THREADS, EACH = 8, 1_500
CASE = {
    "id": "B19",
    "group": "B",
    "kind": "robust",
    "isolate": True,
    "timeout": 60,
    "source": [
        "open-telemetry/opentelemetry-python#4336",
        "Delgan/loguru#108",
        "elastic/kibana PR 291509",
    ],
    "right": ("Every line whole; either all records out, or the number dropped is reported exactly."),
    "exact_records": THREADS * EACH,
}
SECRETS: list[str] = []


def _work(k: int) -> None:
    log = logging.getLogger(f"app.t{k}")
    for n in range(EACH):
        log.info("r", extra=codes(k=k, n=n, pad=n % 500))


def emit() -> None:
    threads = [threading.Thread(target=_work, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
