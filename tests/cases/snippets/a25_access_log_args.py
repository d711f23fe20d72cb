"""A25: emptying `record.args` hides the query and breaks the access formatter of the server."""

import logging

CASE = {
    "id": "A25",
    "group": "A",
    "kind": "both",
    "source": [
        "Kludex/uvicorn#382",
        "nbramia/LifeOS PR 907",
        "cbtw-apac/qdrant-loader PR 381",
        "kubeopt/kubeopt PR 15",
        "TheRacetrack/racetrack#25",
    ],
    "right": (
        "If the record is rewritten for other handlers it must stay a 5-tuple of the same types "
        "(a formatter that unpacks args must still work); the query must be gone."
    ),
    "keep_any": ["200"],
}
SECRETS = ["lilacfen"]


class ServerFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        client, method, path, version, status = record.args
        return f"{client} {method} {path} {version} {int(status)}"


def emit() -> None:
    log = logging.getLogger("uvicorn.access")
    own = logging.StreamHandler()
    own.setFormatter(ServerFormatter())
    log.addHandler(own)
    try:
        log.info(
            '%s - "%s %s HTTP/%s" %d',
            "10.0.0.1:5",
            "GET",
            "/ask?q=lilacfen%20rash",
            "1.1",
            200,
        )
    finally:
        log.removeHandler(own)
