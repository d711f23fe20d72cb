"""A08: the provider's 400 quotes the request; the client makes it its message; the app logs it."""

import logging

from _common import codes

CASE = {
    "id": "A08",
    "group": "A",
    "kind": "leak",
    "source": [
        "KRLabsOrg/verbatim-rag api/app.py:227,251,274,386 @88f510a",
        "BerriAI/litellm PR 39387",
        "confirmed locally with openai 3.57.0 against a mock server",
    ],
    "right": ("error_code/event and exception type only. Attributes such as body, response, request are not followed."),
}
SECRETS = ["quartzbillow"]


class BadRequestError(Exception):
    def __init__(self, message: str, body: object) -> None:
        super().__init__(message)
        self.message = message
        self.body = body


def emit() -> None:
    log = logging.getLogger("api.app")
    body = {"error": {"message": "Invalid prompt: 'quartzbillow sued me'", "code": "content_filter"}}
    try:
        raise BadRequestError(f"Error code: 400 - {body}", body)
    except BadRequestError as e:
        log.error(f"Query failed: {e}")
        log.error("Query failed: %s", e, extra=codes(error=True, body=e.body))
        log.exception("Query failed", extra=codes(error=True))
