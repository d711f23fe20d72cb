"""C29: handlers that override `handle`, `format`, `emit` or `handleError`."""

import io
import logging

from _common import OUT, codes

CASE = {
    "id": "C29",
    "group": "C",
    "kind": "both",
    "right": "A handler gets the sealed record whatever it overrides, and works on.",
    "min_records": 2,
}
SECRETS = ["plovercrest", "dipperfall"]


class Collecting(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(f"{record!r} {vars(record)!r} {self.format(record)}")


class Handling(Collecting):
    def handle(self, record: logging.LogRecord) -> bool:
        self.emit(record)
        return True


class Deeper(Handling):
    def handle(self, record: logging.LogRecord) -> bool:
        self.found.append(f"{record.msg} {record.args}")
        return super().handle(record)


class Formatting(Collecting):
    def format(self, record: logging.LogRecord) -> str:
        return f"{record.msg} % {record.args!r} {record.__dict__.get('prompt')}"


class Failing(logging.StreamHandler):
    """Writes to a closed stream, and tells about the record that it could not write."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.stream.close()
        self.found: list[str] = []

    def handleError(self, record: logging.LogRecord) -> None:
        self.found.append(f"lost: {record.getMessage()} {record.args}")


def emit() -> None:
    log = logging.getLogger("app.foreign")
    handlers = [Collecting(), Handling(), Deeper(), Formatting(), Failing()]
    for handler in handlers:
        log.addHandler(handler)
    log.info("about %s", "plovercrest", extra=codes(prompt="dipperfall"))
    try:
        raise ValueError("dipperfall")
    except ValueError:
        log.exception("failed for %s", "plovercrest", extra=codes(error=True))
    for handler in handlers:
        log.removeHandler(handler)
        assert len(handler.found) >= 2, type(handler)
    found = [text for handler in handlers for text in handler.found]
    (OUT / "found.txt").write_text("\n".join(found), encoding="utf-8")
