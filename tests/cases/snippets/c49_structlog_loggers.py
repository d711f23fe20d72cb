"""C49: structlog over standard loggers: the message is a dict of everything that was bound."""

import logging

from _common import EVENT, codes, file_handler, written

CASE = {
    "id": "C49",
    "group": "C",
    "kind": "both",
    "right": "A dict as message is withheld; handlers with a ProcessorFormatter go on.",
    "min_records": 3,
}
SECRETS = ["serincliff", "crossbillow"]


def emit() -> None:
    import structlog

    wrap = structlog.stdlib.ProcessorFormatter.wrap_for_formatter
    formatter = structlog.stdlib.ProcessorFormatter(
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.JSONRenderer(default=str),
        ],
        foreign_pre_chain=[structlog.stdlib.add_log_level, structlog.stdlib.ExtraAdder()],
    )
    handler = file_handler("structlog.log", formatter)
    standard = logging.getLogger("app.structlog")
    standard.addHandler(handler)
    for last in (wrap, structlog.stdlib.render_to_log_kwargs, structlog.processors.KeyValueRenderer()):
        log = structlog.wrap_logger(
            standard,
            processors=[structlog.stdlib.add_log_level, structlog.processors.format_exc_info, last],
            wrapper_class=structlog.stdlib.BoundLogger,
            cache_logger_on_first_use=False,
        ).bind(question="serincliff?")
        log.info("asked by %s", "crossbillow", n=3)
        try:
            raise ValueError("crossbillow")
        except ValueError:
            log.exception(EVENT, chunk="crossbillow")
    standard.info("plain %s", "serincliff", extra=codes(prompt="crossbillow"))
    standard.removeHandler(handler)
    handler.close()
    assert len(written("structlog.log").splitlines()) >= 7
