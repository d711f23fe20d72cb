"""A07: the question is in the format string already: there are no arguments that one could redact.

The API of verbatim-rag does this at INFO for every query that streams.
"""

import logging

CASE = {
    "id": "A07",
    "group": "A",
    "kind": "leak",
    "source": [
        "KRLabsOrg/verbatim-rag api/app.py:356 @88f510a",
        "KRLabsOrg/verbatim-rag extractor_models/train.py:72 @88f510a",
    ],
    "right": (
        "A record with free text and no registered event must not export its msg; emitting only "
        "the logger name, level, file and line is fine. Redacting args alone fails this case."
    ),
}
SECRETS = ["larkspindle", "whelkstone"]


def emit() -> None:
    question = "Does larkspindle qualify for the whelkstone pension?"
    api = logging.getLogger("api.app")
    api.info(f"Starting streaming query for: {question}")
    logging.getLogger("verbatim_core.extractor_models.train").info(f"Sample question: {question}")
    api.info("Starting streaming query for: " + question)
    api.info("Starting query {}".format(question))
