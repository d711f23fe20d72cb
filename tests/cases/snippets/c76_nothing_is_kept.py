"""C76: values, exceptions and records die when the program lets them go."""

import gc
import logging
import weakref

from _common import codes

CASE = {
    "id": "C76",
    "group": "C",
    "kind": "robust",
    "right": "After a log call nothing of ours refers to what was logged.",
    "min_records": 4,
}
SECRETS: list[str] = []


class Value:
    pass


class Failure(Exception):
    pass


def _log(log: logging.Logger) -> list[weakref.ref]:
    value, other, failure = Value(), Value(), Failure("x")
    failure.value = Value()
    record = log.makeRecord("app.kept", 30, __file__, 1, "made %s", (value,), None, extra={"v": other})
    log.handle(record)
    log.info("value %s of %s", value, other, extra=codes(value=value, n=other))
    log.info(f"value {value}")
    try:
        raise failure
    except Failure:
        log.exception("failed %s", failure, extra=codes(error=True))
    made = type("Made", (Exception,), {})
    log.error("of a class", exc_info=made("x"))
    return [weakref.ref(one) for one in (value, other, failure, failure.value, record, made)]


def emit() -> None:
    log = logging.getLogger("app.kept")
    references = _log(log)
    log.info("last")
    gc.collect()
    assert [reference for reference in references if reference() is not None] == []
