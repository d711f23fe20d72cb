"""C44: uvicorn's own formatters unpack the arguments of its records, and colour some of them."""

import logging

from _common import codes, file_handler, written

CASE = {
    "id": "C44",
    "group": "C",
    "kind": "both",
    "requires": ["uvicorn"],
    "right": ("The access line keeps method, version and status; path and query of the customer not."),
    "keep_any": ["200"],
    "min_records": 3,
}
SECRETS = ["kittiwaken", "razorbilla"]
ACCESS = '%(client_addr)s "%(request_line)s" %(status_code)s'


def emit() -> None:
    from uvicorn.logging import AccessFormatter, DefaultFormatter

    access, error = logging.getLogger("uvicorn.access"), logging.getLogger("uvicorn.error")
    lines = file_handler("access.log", AccessFormatter(ACCESS, use_colors=False))
    others = file_handler("error.log", DefaultFormatter("%(levelprefix)s %(message)s"))
    access.addHandler(lines)
    error.addHandler(others)
    template = '%s - "%s %s HTTP/%s" %d'
    path = "/ask/razorbilla?q=kittiwaken%20rash"
    access.info(template, "198.51.100.7:5123", "GET", path, "1.1", 200)
    access.info(template, "198.51.100.7:5123", "POST", "/razorbilla", "2", 404)
    error.info("Started server process [%d]", 7, extra={"color_message": "of \x1b[36mkittiwaken"})
    error.error("Exception in ASGI application: %s", "kittiwaken", extra=codes(error=True))
    for log, handler in ((access, lines), (error, others)):
        log.removeHandler(handler)
        handler.close()
    first, second = written("access.log").splitlines()
    assert "GET" in first and "HTTP/1.1" in first and first.endswith("200 OK")  # noqa: PT018
    assert "POST" in second and second.endswith("404 Not Found")  # noqa: PT018
    assert len(written("error.log").splitlines()) == 2
