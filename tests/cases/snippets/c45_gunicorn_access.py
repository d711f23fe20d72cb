"""C45: gunicorn's access log is one %-template over a mapping of atoms; some atoms are the request."""

import datetime as dt
import logging
import types

from _common import file_handler, written

CASE = {
    "id": "C45",
    "group": "C",
    "kind": "both",
    "requires": ["gunicorn"],
    "right": ("The line comes out, with its status; referer, agent, query and headers do not."),
    "min_records": 1,
}
SECRETS = ["fulmarsound", "skuapoint", "eiderbay"]


def emit() -> None:
    from gunicorn.config import Config
    from gunicorn.glogging import Logger

    config = Config()
    config.set("accesslog", "-")
    logger = Logger(config)
    log = logging.getLogger("gunicorn.access")
    for old in list(log.handlers):
        log.removeHandler(old)
    log.propagate = True
    handler = file_handler("gunicorn.log", logging.Formatter("%(message)s"))
    log.addHandler(handler)
    environ = {
        "REMOTE_ADDR": "198.51.100.7",
        "REQUEST_METHOD": "GET",
        "RAW_URI": "/ask/skuapoint?q=fulmarsound",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "PATH_INFO": "/ask/skuapoint",
        "QUERY_STRING": "q=fulmarsound",
        "HTTP_REFERER": "https://search.example/?q=eiderbay",
        "HTTP_USER_AGENT": "eiderbay browser",
    }
    response = types.SimpleNamespace(status="200 OK", sent=120, headers=[("x-who", "eiderbay")])
    request = types.SimpleNamespace(headers=[("cookie", "who=fulmarsound")])
    logger.access(response, request, environ, dt.timedelta(milliseconds=12))
    logger.error("request of %s failed", "fulmarsound")
    log.removeHandler(handler)
    handler.close()
    assert len(written("gunicorn.log").splitlines()) == 1
