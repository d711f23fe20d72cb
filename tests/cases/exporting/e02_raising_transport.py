"""What sends raises an error that nobody expects, and logs it, again and again."""

import logging

from discreet.export.otlp._http import HttpTransport

CASE = {"collectors": ["ok"], "app_records": 60, "delivers": 0, "missing": {"failed"}}


def _boom(transport: object, body: bytes, timeout: float) -> None:
    logging.getLogger("vendor.exporter").error("cannot export %d", len(body))
    raise RuntimeError("boom")


def emit() -> None:
    HttpTransport.post = _boom
    for n in range(60):
        logging.getLogger("app").warning("record", extra={"warning_code": "W_CASE", "n": n})
