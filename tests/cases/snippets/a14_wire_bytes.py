"""A14: DEBUG lines of the wire hold the body as bytes, inside dicts, sometimes in base64."""

import base64
import logging

CASE = {
    "id": "A14",
    "group": "A",
    "kind": "leak",
    "source": [
        "boto/boto3#2292",
        "boto/boto3#1203",
        "boto/botocore#2626",
        "boto/botocore#1210",
    ],
    "right": ("bytes/bytearray/memoryview treated as text that must not pass; base64 of it is content too."),
}
SECRETS = ["copperwren", base64.b64encode(b"copperwren asks: is it malignant").decode()[:24]]


def emit() -> None:
    body = b'{"prompt": "copperwren asks: is it malignant"}'
    log = logging.getLogger("botocore.endpoint")
    log.debug(
        "Making request for %s with params: %s",
        "OperationModel(name=InvokeModel)",
        {"url": "https://bedrock", "body": body, "context": {"stream": memoryview(body)}},
    )
    logging.getLogger("botocore.parsers").debug("Response body:\n%r", bytearray(body))
    log.debug("Plaintext=%s", base64.b64encode(b"copperwren asks: is it malignant").decode())
