"""C32: objects log in `__del__`: by count, by the collector, amid another record."""

import gc
import logging

from _common import codes

CASE = {
    "id": "C32",
    "group": "C",
    "kind": "both",
    "right": "Records of finalizers are sealed as others, at any moment, without deadlock.",
    "min_records": 60,
}
SECRETS = ["nuthatchet"]


class Chunk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.me: object = None

    def __del__(self) -> None:
        logging.getLogger("app.chunk").info("dropped %s", self.text, extra=codes())
        logging.getLogger("app.chunk").debug(f"dropped {self.text}")

    def __str__(self) -> str:
        return Chunk("nuthatchet inside").text


def emit() -> None:
    Chunk("nuthatchet")
    for _ in range(30):
        chunk = Chunk("nuthatchet in a cycle")
        chunk.me = chunk
    del chunk
    logging.getLogger("app").info("chunk %s", Chunk("nuthatchet"), extra=codes())
    gc.collect()
