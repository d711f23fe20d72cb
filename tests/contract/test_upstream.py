"""The exceptions of clients and builtins have the codes and values that the contract `upstream` gives."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

import pytest

from discreet.contract import Registry, load_shipped

UP, CONF = "upstream", "configuration"

CODES: dict[str, tuple[str, str]] = {
    "openai.AuthenticationError": ("authentication_failed", CONF),
    "openai.OAuthError": ("authentication_failed", CONF),
    "openai.OpenAIError": ("authentication_failed", CONF),
    "openai.PermissionDeniedError": ("permission_denied", CONF),
    "openai.NotFoundError": ("model_not_found", CONF),
    "openai.RateLimitError": ("rate_limited", UP),
    "openai.APITimeoutError": ("timeout", UP),
    "openai.APIConnectionError": ("connection_failed", UP),
    "openai.InternalServerError": ("server_error", UP),
    "openai.BadRequestError": ("request_rejected", UP),
    "openai.ConflictError": ("request_rejected", UP),
    "openai.UnprocessableEntityError": ("request_rejected", UP),
    "openai.APIStatusError": ("request_rejected", UP),
    "openai.APIResponseValidationError": ("invalid_reply", UP),
    "openai.LengthFinishReasonError": ("invalid_reply", UP),
    "openai.ContentFilterFinishReasonError": ("empty_reply", UP),
    "openai.APIError": ("server_error", UP),
    "httpx.ConnectError": ("connection_failed", UP),
    "httpx.ReadTimeout": ("timeout", UP),
    "httpx.PoolTimeout": ("timeout", UP),
    "httpx.RemoteProtocolError": ("connection_failed", UP),
    "httpx.DecodingError": ("invalid_reply", UP),
    "httpx.HTTPStatusError": ("request_rejected", UP),
    "httpx.InvalidURL": ("invalid_url", CONF),
    "httpx2.ConnectError": ("connection_failed", UP),
    "httpx2.WriteTimeout": ("timeout", UP),
    "httpx2.HTTPStatusError": ("request_rejected", UP),
    "httpcore.ConnectError": ("connection_failed", UP),
    "httpcore2.ReadTimeout": ("timeout", UP),
    "requests.ConnectionError": ("connection_failed", UP),
    "requests.exceptions.SSLError": ("connection_failed", UP),
    "requests.ConnectTimeout": ("timeout", UP),
    "requests.ReadTimeout": ("timeout", UP),
    "requests.HTTPError": ("request_rejected", UP),
    "requests.JSONDecodeError": ("invalid_reply", UP),
    "requests.exceptions.MissingSchema": ("invalid_url", CONF),
    "urllib3.exceptions.MaxRetryError": ("connection_failed", UP),
    "urllib3.exceptions.NewConnectionError": ("connection_failed", UP),
    "urllib3.exceptions.ConnectTimeoutError": ("timeout", UP),
    "urllib3.exceptions.ReadTimeoutError": ("timeout", UP),
    "urllib3.exceptions.ProtocolError": ("connection_failed", UP),
    "urllib3.exceptions.DecodeError": ("invalid_reply", UP),
    "urllib3.exceptions.LocationParseError": ("invalid_url", CONF),
}


@pytest.fixture(scope="module")
def registry() -> Registry:
    return Registry((load_shipped("upstream"),))


def real(name: str) -> Any:
    module, _, cls = name.rpartition(".")
    return getattr(import_module(module), cls)


@pytest.mark.integration
@pytest.mark.parametrize("name", CODES)
def test_each_client_exception_has_its_code(registry, name):
    """Also the subclasses that the file doesn't name."""
    row = registry.exception(real(name))
    assert (row.code, row.error_class) == CODES[name]
    assert row.code in row.codes


@pytest.mark.integration
def test_a_used_up_quota_is_no_rate_limit(registry):
    """Openai has one class for both; its code tells them apart."""
    row = registry.exception(real("openai.RateLimitError"))
    assert [(when.attribute, when.equals, when.code, when.error_class) for when in row.conditions] == [
        ("code", "insufficient_quota", "quota_exceeded", "configuration")
    ]


@pytest.mark.integration
@pytest.mark.parametrize("name", ["openai.RateLimitError", "openai.BadRequestError"])
def test_an_answer_of_the_provider_shows_status_request_and_wait(registry, name):
    """Nothing else of the answer: not its message, not its body, not the request."""
    row = registry.exception(real(name))
    assert {one.name: (str(one.type).partition("(")[0], one.key, one.header) for one in row.attributes} == {
        "status": ("http_status", "status_code", False),
        "request_id": ("id", "request_id", False),
        "retry_after": ("duration_s", "retry-after", True),
        "provider_code": ("enum", "code", False),
    }


@pytest.mark.integration
def test_every_openai_class_is_listed_or_below_one_that_is(registry):
    """A class of a later release has the code of its nearest base."""
    import openai

    classes = [
        cls for cls in list(vars(openai).values()) if isinstance(cls, type) and issubclass(cls, openai.OpenAIError)
    ]
    assert len(classes) > 15
    assert [cls.__name__ for cls in classes if registry.exception(cls).code is None] == []


@pytest.mark.integration
def test_every_class_of_an_installed_client_exists():
    """A row whose class has another name would do nothing, silently."""
    installed = ("openai", "httpx", "httpx2", "httpcore", "httpcore2", "requests", "urllib3", "json", "sqlalchemy")
    missing = []
    for row in load_shipped("upstream").exceptions:
        module, _, cls = row.class_name.rpartition(".")
        if module.partition(".")[0] in installed and not hasattr(import_module(module), cls):
            missing.append(row.class_name)
    assert missing == []


@pytest.mark.integration
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (401, "authentication_failed"),
        (403, "permission_denied"),
        (408, "timeout"),
        (429, "rate_limited"),
        (503, "server_error"),
    ],
)
@pytest.mark.parametrize("name", ["httpx.HTTPStatusError", "httpx2.HTTPStatusError", "requests.HTTPError"])
def test_an_http_error_has_the_code_of_its_status(registry, name, status, code):
    """One class for every status, so the response's status decides."""
    row = registry.exception(real(name))
    found = {when.equals: when.code for when in row.conditions if when.attribute == "response.status_code"}
    assert found[status] == code


def test_json_and_builtins_show_numbers_only(registry):
    """Places in a text, error numbers and exit codes; no text, no file name."""
    import subprocess

    found = {
        cls.__name__: (row.code, {one.name: (one.key, str(one.type)) for one in row.attributes})
        for cls in (json.JSONDecodeError, FileNotFoundError, TimeoutError, subprocess.CalledProcessError)
        for row in [registry.exception(cls)]
    }
    assert found == {
        "JSONDecodeError": ("invalid_reply", {"json_line": ("lineno", "count"), "json_column": ("colno", "count")}),
        "FileNotFoundError": (None, {"errno": ("errno", "errno")}),
        "TimeoutError": (None, {"errno": ("errno", "errno")}),
        "CalledProcessError": (None, {"exit_code": ("returncode", "exit_code")}),
    }
    assert registry.exception(ValueError) is None


def test_retrying_helps_only_where_the_contract_says_so(registry):
    """A reply that was cut at its limit will be cut again."""
    found = {
        code.code
        for code in load_shipped("upstream").error_codes
        if code.retryable and code.exception != "json.JSONDecodeError"
    }
    assert found == {"rate_limited", "timeout", "connection_failed", "server_error", "invalid_reply"}


def test_each_code_is_the_concern_of_one_party(registry):
    """So that a code alone, without its exception, tells whose it is."""
    found = {
        code: registry.error_class(code) for code in sorted({row.code for row in load_shipped("upstream").error_codes})
    }
    assert found == {
        "authentication_failed": CONF,
        "client_failed": UP,
        # tenacity's, for what has no code of its own: nobody knows whose concern that is.
        "retries_exhausted": None,
        "connection_failed": UP,
        "empty_reply": UP,
        "invalid_reply": UP,
        "invalid_url": CONF,
        "model_not_found": CONF,
        "permission_denied": CONF,
        "quota_exceeded": CONF,
        "rate_limited": UP,
        "request_rejected": UP,
        "server_error": UP,
        "timeout": UP,
    }
