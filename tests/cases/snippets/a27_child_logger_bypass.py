"""A27: a filter on the root logger, or on any parent, never sees the records of child loggers."""

import logging

from _common import codes

CASE = {
    "id": "A27",
    "group": "A",
    "kind": "leak",
    "source": [
        "NVIDIA-NeMo/Guardrails PR 2000",
        "vstorm-co/agenticos#440",
        "djust-org/djust#2947",
        "cloudrift-ai/emmy PR 114",
        "BerriAI/litellm PR 35977",
    ],
    "right": ("Protection independent of where in the tree the record starts, and of loggers made after set-up."),
}
SECRETS = ["rookbarrow"]


def emit() -> None:
    for name in (
        "nemoguardrails.actions.llm.utils",
        "x",
        "a.b.c.d.e.f",
        "rookless.late",
        "__main__",
    ):
        logging.getLogger(name).info("Prompt :: %s", "rookbarrow said", extra=codes())
    logging.warning("root logger too: %s", "rookbarrow")
    logging.Logger("not.in.tree", logging.INFO).info("orphan %s", "rookbarrow")
    child = logging.getLogger("lib").getChild("deep")
    child.setLevel(logging.DEBUG)
    child.debug("completion %s", "rookbarrow")
