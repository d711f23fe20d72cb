"""C11: `dictConfig` runs after the set-up and brings handlers and formats of its own."""

import logging
import logging.config

from _common import OUT, codes, written

CASE = {
    "id": "C11",
    "group": "C",
    "kind": "both",
    "right": ("Handlers made later are guarded too; our own go on although dictConfig closed them."),
    "min_records": 2,
}
SECRETS = ["dabchickton", "peatwater"]


def emit() -> None:
    who = "dabchickton"
    logging.config.dictConfig(
        {
            "version": 1,
            "disable_existing_loggers": False,
            "formatters": {"f": {"format": "%(name)s|%(question)s|%(message)s"}},
            "handlers": {
                "file": {
                    "class": "logging.FileHandler",
                    "filename": str(OUT / "later.log"),
                    "formatter": "f",
                }
            },
            "loggers": {"app.later": {"handlers": ["file"], "level": "DEBUG"}},
        }
    )
    log = logging.getLogger("app.later")
    log.debug("about %s", "dabchickton", extra=codes(question="peatwater?"))
    log.info(f"about {who}", extra=codes(question="peatwater?"))
    lines = written("later.log").splitlines()
    assert len(lines) == 2
    assert all(line.startswith("app.later|") for line in lines)
