"""A39: DEBUG on the content logger is the one place where text may be; nothing next to it is.

Next to it: the same logger at INFO and WARNING, level 11, an exception on it, look-alike names, and
a record that claims its name.
"""

import logging

from _common import CONTENT_LOGGER, codes

CASE = {
    "id": "A39",
    "group": "A",
    "kind": "leak",
    "source": [
        "vllm-project/vllm PR 29227",
        "deepset-ai/haystack#7028",
        "vllm-project/vllm PR 38583",
    ],
    "right": (
        "Only records with name == content logger AND levelno == DEBUG carry text (ALLOWED "
        "below), and only if the operator switched that logger on; every other line here must "
        "be clean. Document what happens to child loggers and to levels under DEBUG."
    ),
}
SECRETS = ["elderlyne"]
ALLOWED = ["permitted-kiteshade"]
"""May appear, and only in a DEBUG record of the content logger."""


def emit() -> None:
    log = logging.getLogger(CONTENT_LOGGER)
    log.debug("question=%s", "permitted-kiteshade", extra=codes())
    log.info("question=%s", "elderlyne", extra=codes())
    log.warning("question=%s", "elderlyne", extra=codes(warning=True))
    log.log(11, "question=%s", "elderlyne")
    for name in (
        CONTENT_LOGGER + "x",
        CONTENT_LOGGER.upper(),
        "x." + CONTENT_LOGGER,
        CONTENT_LOGGER.split(".")[0],
    ):
        logging.getLogger(name).debug("question=%s", "elderlyne")
    try:
        raise ValueError("elderlyne")
    except ValueError:
        log.exception("failed", extra=codes(error=True))
    forged = logging.makeLogRecord({"name": CONTENT_LOGGER, "levelno": 20, "levelname": "DEBUG", "msg": "elderlyne"})
    logging.getLogger("elsewhere").handle(forged)
