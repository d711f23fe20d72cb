"""Sabotages of the middlewares."""

from __future__ import annotations

from typing import Any

from discreet.instrument import request_ids, requests, wsgi
from discreet.instrument.requests import Request
from tests.sabotage.sabotages import noticed_by


@noticed_by("request_body", "request_input")
def a_body_is_not_registered() -> None:
    Request.chunk = lambda self, data, **options: None  # type: ignore[method-assign]


@noticed_by("request_query")
def a_query_string_is_not_registered() -> None:
    Request.target = lambda self, path, query: None  # type: ignore[method-assign]


@noticed_by("request_beyond")
def what_is_beyond_the_bound_is_forgotten() -> None:
    Request.unknown = lambda self: None  # type: ignore[method-assign]


@noticed_by("request_after")
def the_texts_outlive_the_request() -> None:
    Request.end = lambda self: None  # type: ignore[method-assign]


@noticed_by("request_id")
def any_id_of_a_client_is_taken_over() -> None:
    requests.safe_id = lambda value: value


@noticed_by("request_id_of_a_text")
def an_id_is_not_looked_up() -> None:
    requests.is_long_id = lambda text: True
    requests.safe_id = lambda value: value if request_ids.IdShape().safe(value) == value else None


@noticed_by("request_input")
def a_wsgi_body_is_read_past_the_middleware() -> None:
    def source(found: Any, request: Any, length: Any) -> Any:
        return found

    wsgi.Input = source  # type: ignore[assignment,misc]
