"""A02: the HTTP client logs whole URLs at INFO: a question in the query is logged by default."""

import logging
from urllib.parse import quote_plus

CASE = {
    "id": "A02",
    "group": "A",
    "kind": "leak",
    "source": [
        "encode/httpx#2760",
        "pydantic/httpx2#767",
        "numikel/law-scrapper-mcp#34",
        "letta-ai/letta#2614",
    ],
    "right": (
        "Method, host, status may stay; the query string and anything after the path must go. "
        "Must hold for the %-args form and for an argument that is a URL object, not a str."
    ),
}
SECRETS = ["brackenfold", "my+landlord", "my%20landlord"]


class URL:
    """URL types are objects with a `__str__`: a check for `str` does not see them."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def emit() -> None:
    log = logging.getLogger("httpx")
    question = "can my landlord brackenfold evict me"
    log.info(
        'HTTP Request: %s %s "%s %d %s"',
        "GET",
        URL("https://search.internal/v1/find?q=" + quote_plus(question)),
        "HTTP/1.1",
        200,
        "OK",
    )
    log.info(
        'HTTP Request: %s %s "%s %d %s"',
        "GET",
        "https://search.internal/v1/find?q=" + question.replace(" ", "%20"),
        "HTTP/1.1",
        200,
        "OK",
    )
