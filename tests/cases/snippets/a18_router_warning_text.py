"""A18: a pipeline component warns with the text that it could not classify."""

import logging

from _common import codes

CASE = {
    "id": "A18",
    "group": "A",
    "kind": "leak",
    "source": [
        "deepset-ai/haystack#7028",
        "deepset-ai/haystack PR 7230",
        "deepset-ai/haystack PR 8447",
    ],
    "right": (
        "Level is no licence: WARNING from a framework logger is scrubbed like DEBUG. Document objects are not repr'd."
    ),
}
SECRETS = ["basaltmoth"]


class Document:
    def __init__(self, content: str) -> None:
        self.content = content

    def __repr__(self) -> str:
        return f"Document(content={self.content!r})"


def emit() -> None:
    text = "basaltmoth lives at number 9"
    log = logging.getLogger("haystack.components.routers.text_language_router")
    log.warning("Langdetect cannot detect the language of text: %s", text)
    log.warning("cannot detect the language", extra=codes(warning=True, text=text))
    logging.getLogger("haystack.tracing.logging_tracer").debug("output=%s", {"documents": [Document(text)]})
