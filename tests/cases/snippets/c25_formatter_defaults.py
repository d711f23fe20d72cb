"""C25: a formatter with `defaults` for a field that only some records carry."""

import logging

from _common import codes, file_handler, written

CASE = {
    "id": "C25",
    "group": "C",
    "kind": "both",
    "right": "The default stands where the field is missing, and the field's text nowhere.",
    "min_records": 2,
}
SECRETS = ["wheatearl"]


def emit() -> None:
    log = logging.getLogger("app.defaults")
    formatter = logging.Formatter("%(message)s|%(patient)s", defaults={"patient": "nobody"})
    handler = file_handler("defaults.log", formatter)
    log.addHandler(handler)
    log.info("first", extra=codes())
    log.info("second", extra=codes(patient="wheatearl"))
    log.removeHandler(handler)
    handler.close()
    first, second = written("defaults.log").splitlines()
    assert first == "first|nobody"
    assert second.startswith("second|")
