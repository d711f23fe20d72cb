"""C68: sentry reads records in `callHandlers`, after the handlers: as events and as breadcrumbs."""

import logging

from _common import OUT, codes

CASE = {
    "id": "C68",
    "group": "C",
    "kind": "leak",
    "requires": ["sentry_sdk"],
    "setups": ["dict_config"],
    "right": ("With `strict` the record is sealed before anything can hook in; type and frames stay."),
    "min_records": 3,
}
SECRETS = ["corvidlane", "chougherley"]


def _divide(question: str) -> float:
    return len(question) / (len(question) - len(question))


def emit() -> None:
    who = "corvidlane"
    import sentry_sdk
    from sentry_sdk.integrations.logging import LoggingIntegration
    from sentry_sdk.transport import Transport

    sent: list[bytes] = []

    class Keep(Transport):
        def capture_envelope(self, envelope: sentry_sdk.envelope.Envelope) -> None:
            sent.append(envelope.serialize())

    sentry_sdk.init(
        "http://key@127.0.0.1:9/1",
        transport=Keep,
        default_integrations=False,
        integrations=[LoggingIntegration(level=logging.DEBUG, event_level=logging.ERROR)],
    )
    log = logging.getLogger("app.sentry")
    log.info("about %s", "corvidlane", extra=codes(prompt="chougherley"))
    log.error(f"about {who}")
    try:
        _divide("chougherley")
    except ZeroDivisionError:
        log.exception("failed for %s", "corvidlane", extra=codes(error=True))
    sentry_sdk.get_client().close()
    (OUT / "sentry.bin").write_bytes(b"\n".join(sent))
    assert b"ZeroDivisionError" in b"".join(sent)
