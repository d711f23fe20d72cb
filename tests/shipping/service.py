"""A service that logs within a span, to a file and over OTLP at once. Arguments: the file, the Collector's address."""

from __future__ import annotations

import logging
import sys

from opentelemetry import trace

import discreet

handle = discreet.configure(json=sys.argv[1], otlp=sys.argv[2], service="answers", attributes={"seq": "count"})
log = logging.getLogger("verbatim_core.transform")
with trace.get_tracer("answers").start_as_current_span("GET"):
    log.info("Answered %d of %d", 3, 4, extra={"event": "call_finished", "seq": 1, "question": "Who dug the well?"})
    try:
        raise TimeoutError("Who dug the well?")
    except TimeoutError:
        log.exception("Failed for %s", "Ida Holm")
logging.getLogger("answers").warning("Ready after %.1f s", 0.5)
handle.close()
print(handle.ledger.as_dict()["sinks"])
