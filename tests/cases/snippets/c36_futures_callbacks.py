"""C36: a future's callback fails, and concurrent.futures logs the future with what it held."""

import concurrent.futures
import logging

CASE = {
    "id": "C36",
    "group": "C",
    "kind": "leak",
    "right": "The library's record goes out by its template and the exception's type.",
    "min_records": 2,
}
SECRETS = ["jackdawson"]


class Talking(concurrent.futures.Future):
    def __repr__(self) -> str:
        return "<Future of jackdawson>"


def _fail(future: object) -> None:
    raise ValueError("jackdawson had no answer")


def emit() -> None:
    logging.getLogger("concurrent.futures").setLevel(logging.DEBUG)
    future = Talking()
    future.add_done_callback(_fail)
    future.set_result("jackdawson")
    executor = concurrent.futures.ThreadPoolExecutor
    with executor(1, initializer=_fail, initargs=("jackdawson",)) as pool:
        try:
            pool.submit(str, "jackdawson").result()
        except concurrent.futures.BrokenExecutor as exc:
            logging.getLogger("app.pool").error("pool: %s", exc.__cause__)
