r"""A13: warnings about retries and headers carry the request target; a blank defeats `\S+`."""

import logging

CASE = {
    "id": "A13",
    "group": "A",
    "kind": "leak",
    "source": [
        "bytedance/deer-flow#5744",
        "bytedance/deer-flow#5746",
        "databricks/databricks-sql-python#340",
        "will-ockmore/httpx-retries#60",
    ],
    "right": ("WARNING records of third-party loggers get the same treatment as DEBUG; raw header blocks never pass."),
}
SECRETS = ["nettlejoy", "sig=opal9", "sess-pinemarten"]


def emit() -> None:
    log = logging.getLogger("urllib3.connectionpool")
    target = "/private/letter to nettlejoy?sig=opal9"
    log.warning(
        "Retrying (%r) after connection broken by '%r': %s",
        "Retry(total=1)",
        OSError("reset"),
        target,
    )
    log.debug(
        '%s://%s:%s "%s %s %s" %s %s',
        "https",
        "cdn.local",
        443,
        "GET",
        target,
        "HTTP/1.1",
        200,
        None,
    )
    log.debug("Incremented Retry for (url='%s'): %r", target, "Retry(total=0)")
    log.warning(
        "Failed to parse headers (url=%s): %s",
        "https://cdn.local" + target,
        "bad line\r\nSet-Cookie: session=sess-pinemarten; Path=/\r\nX: nettlejoy",
        exc_info=True,
    )
