"""A06: an output parser raises with the model's text in its message and again in an attribute."""

import logging

from _common import codes

CASE = {
    "id": "A06",
    "group": "A",
    "kind": "leak",
    "source": [
        "langchain-ai/langchain#1358",
        "langchain-ai/langchain#3750",
        "langchain-ai/langchain PR 7344",
        "NVIDIA/NeMo-Agent-Toolkit PR 1604",
    ],
    "right": ("Type name and error_code only; neither message nor attributes nor traceback text."),
}
SECRETS = ["hollowmint", "peregrinus"]


class OutputParserError(ValueError):
    def __init__(self, message: str, llm_output: str) -> None:
        super().__init__(message)
        self.llm_output = llm_output


def emit() -> None:
    text = "Dear hollowmint, your lump is probably peregrinus"
    log = logging.getLogger("app.chain")
    try:
        raise OutputParserError(f"Could not parse LLM output: `{text}`", text)
    except OutputParserError as exc:
        log.error(
            "parse failed: %s",
            exc,
            exc_info=True,
            extra=codes(error=True, llm_output=exc.llm_output),
        )
        log.error("parse failed %r", exc, extra=codes(error=True))
