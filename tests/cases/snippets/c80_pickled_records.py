"""C80: a queue between processes pickles whole records, with the keys of their extras."""

import logging
import logging.handlers
import pickle

from _common import OUT, codes

CASE = {
    "id": "C80",
    "group": "C",
    "kind": "both",
    "right": "A pickled record holds no more than the record shows, and can be read again.",
    "min_records": 2,
}
SECRETS = ["swiftwater", "martinhoe"]


class Wire(logging.handlers.QueueHandler):
    def __init__(self) -> None:
        super().__init__([])

    def enqueue(self, record: logging.LogRecord) -> None:
        self.queue.append(pickle.dumps(record))


def emit() -> None:
    log = logging.getLogger("app.wire")
    wire = Wire()
    log.addHandler(wire)
    log.info("about %s", "swiftwater", extra=codes(**{"Is martinhoe ill?": True, "martinhoe": {"swiftwater": 1}}))
    try:
        raise LookupError("martinhoe")
    except LookupError:
        log.exception("failed", extra=codes(error=True, prompt="swiftwater"))
    log.removeHandler(wire)
    (OUT / "wire.bin").write_bytes(b"\n".join(wire.queue))
    for sent in wire.queue:
        record = pickle.loads(sent)
        assert record.name == "app.wire"
        assert record.getMessage()
