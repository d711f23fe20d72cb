"""Sabotages of the middlewares."""

from __future__ import annotations

from typing import Any

from discreet import scope
from discreet.instrument import bodies, fields, request_ids, requests, wsgi
from discreet.instrument.requests import Request
from discreet.look import Look
from discreet.matching.growing import Growing
from tests.sabotage.sabotages import noticed_by, wrap


@noticed_by("request_body", "request_input")
def a_body_is_not_registered() -> None:
    Request.chunk = lambda self, data, **options: None  # type: ignore[method-assign]


@noticed_by("request_query")
def a_query_string_is_not_registered() -> None:
    Request.target = lambda self, path, query: None  # type: ignore[method-assign]


@noticed_by("request_beyond")
def what_is_beyond_the_bound_is_forgotten() -> None:
    Request.unknown = lambda self: None  # type: ignore[method-assign]


@noticed_by("request_twice")
def of_a_key_that_is_there_twice_the_last_value_counts() -> None:
    bodies._all_values = dict


@noticed_by("request_base64")
def base64_in_a_body_is_not_undone() -> None:
    fields.Texts._take_encoded = lambda self, shown, written: None  # type: ignore[method-assign]


@noticed_by("request_parts")
def a_form_in_which_nothing_is_found_has_nothing() -> None:
    bodies.split_parts = lambda data, boundary: ([(b"", b"something")], True)


@noticed_by("request_row")
def parts_of_a_path_are_looked_for_one_by_one() -> None:
    def take(original: Any, self: Any, shown: str, text: str) -> None:
        for one in text.split("/"):
            original(self, shown, one)

    wrap(fields.Texts, "take", take)


@noticed_by("request_messages")
def messages_are_looked_for_one_by_one() -> None:
    requests.read_together = lambda messages, texts: None


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


@noticed_by("request_failed_id")
def the_id_of_a_request_that_failed_is_not_looked_up() -> None:
    def fail(self: Any) -> None:
        self.failed_id = self.id

    Request.fail = fail  # type: ignore[method-assign]


@noticed_by("request_input")
def a_wsgi_body_is_read_past_the_middleware() -> None:
    def source(found: Any, request: Any, length: Any) -> Any:
        return found

    wsgi.Input = source  # type: ignore[assignment,misc]


@noticed_by("request_between")
def what_was_missing_before_a_piece_came_stays_missing() -> None:
    missing: set[str] = set()

    def lacks(original: Any, self: Any, value: str, parts: Any) -> bool:
        if value in missing or original(self, value, parts):
            missing.add(value)
        return value in missing

    wrap(Growing, "lacks", lacks)


@noticed_by("request_unread")
def a_quick_look_does_not_ask_whether_those_are_all_texts() -> None:
    def lacks(self: Any, value: str, parts: Any) -> bool:
        return all(one._index.lacks(value, parts) and not one._closed for one in self._scopes)

    Look.lacks = lacks  # type: ignore[method-assign]


@noticed_by("request_seen_within", "request_seen_beyond")
def what_is_seen_of_a_request_within_another_call_stays_as_it_was() -> None:
    def within(original: Any, self: Any, other: Any) -> Any:
        view = original(self, other)
        stays = view._index = Growing()
        stays._stages, stays._last, stays.blank = self._index._stages, self._index._last, self._index.blank
        return view

    wrap(scope.Scope, "within", within)
