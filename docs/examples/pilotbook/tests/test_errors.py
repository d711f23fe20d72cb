from __future__ import annotations

import logging
import pickle
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args
from unittest.mock import patch

import pytest
from conftest import Records, Service

import discreet
from pilotbook import Book, PilotbookError, Thesaurus, UpstreamError
from pilotbook.names import ErrorCode

QUESTION = "Does Wilma Brandt row after dark?"
WORDS = frozenset({"wilma", "brandt"})
HERE: dict[str, str | bool | float] = {"upstream_service": "thesaurus"}


@dataclass(frozen=True)
class Case:
    """A way to fail: the call, and what a record says of it."""

    code: ErrorCode
    call: Callable[[Path, Service], object]
    kind: str
    error_class: str
    message: str
    said: dict[str, Any]
    cause: str = ""


def _ask(notes: Path, service: Service, status: int) -> None:
    service.status = status
    Book.open(notes, thesaurus=service.thesaurus()).ask(QUESTION)


def _look_up(service: Service, status: int = 200, body: str = "ASKED", **headers: str) -> None:
    service.status, service.body = status, body
    service.headers = {name.replace("_", "-"): value for name, value in headers.items()}
    service.thesaurus().synonyms(WORDS)


def _look_up_where_nobody_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        Thesaurus(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=0.05).synonyms(WORDS)


def _look_up_behind_a_wall() -> None:
    with patch("socket.create_connection", side_effect=TimeoutError):
        Thesaurus("http://127.0.0.1:9").synonyms(WORDS)


def _look_up_where_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    Thesaurus(f"http://127.0.0.1:{port}").synonyms(WORDS)


def _load(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")
    Book.load(file)


def _open_empty(folder: Path) -> None:
    folder.mkdir()
    Book.open(folder)


def _input(code: ErrorCode, call: Callable[[Path], object], param: str, text: str) -> Case:
    return Case(code, lambda notes, _: call(notes), "InvalidInputError", "input", f"{param}: {text}", {"param": param})


def _setting(
    code: ErrorCode, call: Callable[[Path, Service], object], setting: str, text: str, cause: str = ""
) -> Case:
    said = {"setting": setting}
    return Case(code, call, "ConfigurationError", "configuration", f"{setting}: {text}", said, cause)


def _upstream(
    code: ErrorCode, call: Callable[[Service], object], text: str, cause: str = "", **said: bool | float
) -> Case:
    return Case(
        code,
        lambda _, service: call(service),
        "UpstreamError",
        "upstream",
        f"thesaurus: {text}",
        {**HERE, **said},
        cause,
    )


HTTP = "urllib.error.HTTPError"
URL = "urllib.error.URLError"
JSON = "json.decoder.JSONDecodeError"

CASES = [
    _input("invalid_value", lambda notes: Book.open(notes).ask(QUESTION, top_k=0), "top_k", "must be 1 or more"),
    _input("empty_question", lambda notes: Book.open(notes).ask("?!"), "question", "has no word to search for"),
    _setting(
        "not_readable",
        lambda notes, _: Book.open(notes / QUESTION),
        "folder",
        "can't be read",
        "FileNotFoundError",
    ),
    _setting(
        "not_readable",
        lambda notes, _: Book.load(notes / QUESTION),
        "index",
        "can't be read",
        "FileNotFoundError",
    ),
    _setting("no_notes", lambda notes, _: _open_empty(notes / "none"), "folder", "has no note with text in it"),
    _setting("invalid_setting", lambda *_: Thesaurus("ftp://127.0.0.1"), "thesaurus", "is no HTTP URL"),
    _setting(
        "authentication_failed",
        lambda notes, service: _ask(notes, service, 401),
        "thesaurus",
        "refused the key",
        HTTP,
    ),
    _setting(
        "permission_denied",
        lambda notes, service: _ask(notes, service, 403),
        "thesaurus",
        "doesn't allow it",
        HTTP,
    ),
    _upstream(
        "timeout",
        lambda _: _look_up_where_nobody_answers(),
        "did not answer in time",
        "TimeoutError",
        retryable=True,
    ),
    _upstream(
        "timeout",
        lambda _: _look_up_behind_a_wall(),
        "could not be reached in time",
        f"{URL} < TimeoutError",
        retryable=True,
    ),
    _upstream(
        "connection_failed",
        lambda service: _look_up(service, 0),
        "broke the connection",
        "http.client.RemoteDisconnected",
        retryable=True,
    ),
    _upstream(
        "connection_failed",
        lambda _: _look_up_where_nobody_listens(),
        "could not be reached",
        f"{URL} < ConnectionRefusedError",
        retryable=True,
    ),
    _upstream(
        "rate_limited",
        lambda service: _look_up(service, 429, Retry_After="7"),
        "answered with status 429",
        HTTP,
        retryable=True,
        retry_after=7.0,
    ),
    _upstream(
        "rate_limited",
        lambda service: _look_up(service, 429),
        "answered with status 429",
        HTTP,
        retryable=True,
    ),
    _upstream("server_error", lambda service: _look_up(service, 503), "answered with status 503", HTTP, retryable=True),
    _upstream(
        "request_rejected", lambda service: _look_up(service, 422), "answered with status 422", HTTP, retryable=False
    ),
    _upstream(
        "invalid_reply",
        lambda service: _look_up(service, body="No word for ASKED"),
        "answered with something that is no JSON",
        JSON,
        retryable=True,
    ),
    _upstream(
        "invalid_reply",
        lambda service: _look_up(service, body='{"words": ASKED}'),
        "answered with something that is no list of words",
        retryable=True,
    ),
    _upstream(
        "invalid_reply",
        lambda service: _look_up(service, body="[ASKED]"),
        "answered with something that is no list of words",
        retryable=True,
    ),
    Case(
        "index_broken",
        lambda notes, _: _load(notes / "index", f'[[0, "{QUESTION}'),
        "InternalError",
        "internal",
        "The index is not as it was saved; delete it",
        {},
        JSON,
    ),
]


def _names(case: Case) -> str:
    return f"{case.code}-{case.message}"


@pytest.mark.parametrize("case", CASES, ids=_names)
def test_each_failure_is_a_record_with_its_code(case: Case, notes: Path, service: Service, records: Records) -> None:
    """The record that an application logs of it, whole."""
    with discreet.customer_text(question=QUESTION):
        try:
            case.call(notes, service)
        except PilotbookError:
            logging.getLogger("app").exception("No answer")

    kind = f"pilotbook.errors.{case.kind}"
    chain = {"exception_chain": f"{kind} < {case.cause}"} if case.cause else {}
    assert records()[-1] == {
        "level": "ERROR",
        "logger": "app",
        "message": "No answer",
        "error_code": case.code,
        "error_class": case.error_class,
        "exception_type": kind,
        "exception_code": case.code,
        "exception_message": case.message,
        **chain,
        **case.said,
    }


@pytest.mark.parametrize("case", CASES, ids=_names)
def test_the_error_itself_says_the_same_and_no_text(case: Case, notes: Path, service: Service) -> None:
    """Without discreet too: a caller can handle it by what it carries, and print it."""
    with pytest.raises(PilotbookError) as caught:
        case.call(notes, service)

    error = caught.value
    said = {name: value for name, value in vars(error).items() if value is not None}
    wanted = {name.removeprefix("upstream_"): value for name, value in case.said.items()}
    assert (str(error), error.error_class, said) == (case.message, case.error_class, {"code": case.code, **wanted})


def test_every_code_is_raised_above() -> None:
    """A code that nothing raises is a promise that nobody keeps."""
    assert {case.code for case in CASES} == set(get_args(ErrorCode))


def test_an_error_crosses_from_another_process_whole() -> None:
    """With its code and what else it says."""
    error = UpstreamError("answered with status 429", service="thesaurus", code="rate_limited", retry_after=7.0)

    again = pickle.loads(pickle.dumps(error))

    assert (type(again), again.args, vars(again)) == (UpstreamError, error.args, vars(error))
