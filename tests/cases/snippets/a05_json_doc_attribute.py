"""A05: a JSON decode error prints clean, and carries the whole document in `.doc`."""

import json
import logging

from _common import codes

CASE = {
    "id": "A05",
    "group": "A",
    "kind": "leak",
    "source": [
        "psf/requests PR 6036",
        "Dallinger/Dallinger PR 4869",
        "letta-ai/letta#507",
        "KRLabsOrg/verbatim-rag llm_client.py extract_spans @88f510a",
    ],
    "right": (
        "Exception attributes are never serialised; an exception placed in extras becomes its type name at most."
    ),
}
SECRETS = ["thistlemere"]


def emit() -> None:
    log = logging.getLogger("verbatim_core.llm_client")
    try:
        json.loads('{"doc_0": ["The patient thistlemere was told')
    except json.JSONDecodeError as exc:
        log.warning("Span extraction failed: %s", exc)
        log.warning("Span extraction failed", extra=codes(warning=True, err=exc, detail=vars(exc)))
        log.warning("Span extraction failed near %r", exc.doc[:60])
