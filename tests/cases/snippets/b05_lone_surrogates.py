r"""B05: half an emoji of a cut stream: writing it, or encoding it as protobuf, raises."""

import logging

from _common import codes

CASE = {
    "id": "B05",
    "group": "B",
    "kind": "robust",
    "source": [
        "Textualize/rich PR 4095",
        "UKGovernmentBEIS/inspect_ai PR 3802",
        "UKGovernmentBEIS/inspect_ai PR 2316",
        "mlflow/mlflow PR 24318",
        "PostHog/posthog-js PR 4583",
        "petyasoft/NomisApp#2",
    ],
    "right": ("Lines are valid UTF-8, parse as JSON and export over OTLP; other records of the batch unaffected."),
    "min_records": 5,
}
SECRETS: list[str] = []


def emit() -> None:
    log = logging.getLogger("app")
    log.info("broken \ud83d tail", extra=codes(model="m\udcff", n=1))
    log.info("key", extra=codes(**{"k\ud800": 1}))
    log.info("nested", extra=codes(value={"a\ud800": ["\udfff"]}))
    logging.getLogger("app.\ud83d").info("logger name", extra=codes())
    try:
        raise ValueError("\ud800")
    except ValueError:
        log.exception("exc", extra=codes(error=True))
    log.info("after", extra=codes(n=2))
