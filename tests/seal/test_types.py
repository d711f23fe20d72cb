"""What each closed type lets through, in which form, and what it withholds."""

from __future__ import annotations

import enum
import hashlib
import http
import signal
import uuid
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import discreet.errors
from discreet.seal.types import TYPE_NAMES, WITHHELD, value_type

W = WITHHELD


class Tide(enum.Enum):
    RISING = "rising"
    FALLING = "falling"
    NUMBER = 7


class Mood(enum.StrEnum):
    CALM = "calm"


class Size(int):
    def __int__(self) -> int:
        raise AssertionError("called")

    __index__ = __float__ = __int__  # type: ignore[assignment]


class Ratio(float):
    def __float__(self) -> float:
        raise AssertionError("called")


class Elsewhere(tzinfo):
    def utcoffset(self, when: Any) -> timedelta:
        raise AssertionError("called")


UUID1 = "c9a1a7f0-2b1f-11ee-be56-0242ac120002"
UUID3 = "6fa459ea-ee8a-3ca4-894e-db77e160355e"
UUID4 = "7f9c24e8-3b12-4fe1-8d0a-2c5f9a1b2c3d"
UUID5 = "886313e1-3b8a-5372-9b90-0c9aee199e5d"
UUID7 = "01890a5d-ac96-774b-bcce-b302099a8057"

CASES: dict[str, list[tuple[Any, Any]]] = {
    "int": [(7, 7), (-7, -7), ("12", 12), (Size(3), 3), (2**63, W), (True, W), (7.0, W), ("7.0", W), ("seven", W)],
    "float": [
        (0.5, 0.5),
        (2, 2.0),
        ("0.25", 0.25),
        ("-1e-3", -0.001),
        (Ratio(0.5), 0.5),
        (0.4915112345678, 0.491511235),
        (9999999.5, 9999999.5),
        (4915112345678.0, W),
        ("-10000000", W),
        (1e300, W),
        (float("nan"), W),
        (float("inf"), W),
        ("1e999", W),
        ("nan", W),
        (True, W),
        (1 + 2j, W),
    ],
    "bool": [(True, True), (False, False), (1, W), ("true", W)],
    "count": [(0, 0), (12, 12), ("12", 12), (-1, W), (10**16, W), (1.5, W)],
    "count_of": [
        ([1, 2], 2),
        ((), 0),
        ({"a": 1}, 1),
        ({1, 2}, 2),
        (frozenset({1}), 1),
        ("text", W),
        (range(3), W),
        (type("Sized", (list,), {"__len__": lambda self: 7})(), W),
    ],
    "duration_ms": [(12, 12), (12.5, 12.5), ("12.5", 12.5), (-1, W), (float("nan"), W), ("12.5 ms", W)],
    "duration_s": [(2, 2), ("2", 2), ("0.5", 0.5), (1e300, W), ("Wed, 21 Oct 2026 07:28:00 GMT", W)],
    "timestamp": [
        (0, "1970-01-01T00:00:00Z"),
        (1_700_000_000.25, "2023-11-14T22:13:20.250000Z"),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), "2026-01-02T03:04:05Z"),
        (datetime(2026, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=1))), "2026-01-02T02:04:00Z"),
        (datetime(2026, 7, 2, 3, 4, tzinfo=ZoneInfo("UTC")), "2026-07-02T03:04:00Z"),
        (datetime(2026, 1, 2, 3, 4), "2026-01-02T03:04:00"),
        (datetime(2026, 1, 2, tzinfo=Elsewhere()), W),
        (date(2026, 1, 2), "2026-01-02"),
        ("2026-01-02 03:04:05,123", "2026-01-02T03:04:05,123"),
        ("2026-01-02T03:04:05.123456+01:00", "2026-01-02T03:04:05.123456+01:00"),
        ("the second of January", W),
        (-1, W),
        (1e12, W),
    ],
    "exit_code": [(0, 0), (255, 255), (-9, -9), (256, W), ("1", 1)],
    "errno": [(2, 2), (-2, -2), (70000, W), ("ENOENT", W)],
    "id": [
        (UUID1, UUID1),
        (UUID4, UUID4),
        (UUID4.upper(), UUID4.upper()),
        (UUID7, UUID7),
        (UUID3, W),
        (UUID5, W),
        (uuid.UUID(UUID4), UUID4),
        (uuid.UUID(UUID5), W),
        ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("4bf92f3577b34da6a3ce929d0e0e4736", "4bf92f3577b34da6a3ce929d0e0e4736"),
        ("deadbeef", "deadbeef"),
        ("00f067aa0ba902b7", "00f067aa0ba902b7"),
        (UUID4.replace("-", ""), UUID4.replace("-", "")),
        (UUID5.replace("-", ""), W),
        ("DeadBeef", W),
        ("abc123", W),
        (hashlib.md5(b"Where is the key?").hexdigest(), W),
        (hashlib.sha1(b"Where is the key?").hexdigest(), W),
        (hashlib.sha256(b"Where is the key?").hexdigest(), W),
        (b"my knee".hex(), W),
        ("Müller".encode().hex(), W),
        (b"Ida\n".hex(), W),
        (b"key\0".hex(), W),
        ("Ida!".encode("utf-16-le").hex(), W),
        (str(uuid.UUID(bytes=b"Where is the key", version=4)), W),
        (uuid.UUID(bytes="Schlüssel im Haus".encode()[:16], version=4), W),
        (uuid.UUID(bytes=b"Where is the key", version=4).hex, W),
        ("42", "42"),
        (42, 42),
        ("123456789012", "123456789012"),
        ("4915112345678", W),
        (4915112345678, W),
        ("01" + "4915112345678" + "ARZ3NDEKTSV", W),
        ("request-42", W),
        (True, W),
        (b"deadbeef", W),
    ],
    "model_id": [
        (name, name)
        for name in (
            "gpt-4o-mini",
            "o3",
            "BAAI/bge-small-en",
            "sentence-transformers/all-MiniLM-L6-v2",
            "cross-encoder/ms-marco-MiniLM-L-6-v2",
            "KRLabsOrg/verbatim-rag-modern-bert-v1",
            "accounts/fireworks/models/llama-v3p1-8b-instruct",
            "meta-llama/llama-3.1-8b-instruct:free",
            "gpt-4o-2024-08-06",
            "llama3.1:8b",
            "anthropic.claude-3-5-sonnet-20241022-v2:0",
        )
    ]
    + [
        ("one/two/three-4", W),
        ("call-me-at-4915112345678", W),
        ("born-19851130", W),
        ("Where-is-the-key-of-our-boat-house/2", W),
        ("bert", W),
        ("/srv/models/bert-2", W),
        ("../bert-2", W),
        ("a b-2", W),
        (2, W),
    ],
    "device": [("cpu", "cpu"), ("cuda:0", "cuda:0"), ("mps", "mps"), ("cuda:zero", W), ("toaster", W)],
    "param": [
        ("chunks[3].id", "chunks[3].id"),
        ("messages.[0].content", "messages.[0].content"),
        ("items.0.name", "items.0.name"),
        ("question", "question"),
        ("what hurts", W),
        ("chunks[three]", W),
        ("where_is_the_key.of_house", W),
        ("items[49151123]", W),
        ("a" * 65, W),
    ],
    "module": [
        ("http.client", W),
        ("discreet.errors", "discreet.errors"),
        (discreet.errors, "discreet.errors"),
        (7, W),
    ],
    "importable": [
        ("discreet.errors.DiscreetError.__init__", "discreet.errors.DiscreetError.__init__"),
        ("discreet.errors", "discreet.errors"),
        ("discreet.errors.Nobody", W),
        ("discreet", W),
        ("what hurts", W),
    ],
    "signal": [(15, "SIGTERM"), ("SIGINT", "SIGINT"), (signal.SIGINT, "SIGINT"), (0, W), ("SIGH", W)],
    "http_method": [("GET", "GET"), ("post", "POST"), ("FETCH", W), (b"GET", W)],
    "http_status": [(200, 200), ("404", 404), (HTTPStatus.OK, 200), (99, W), (600, W), ("OK", W)],
    "http_version": [("1.1", "1.1"), ("HTTP/2", "HTTP/2"), ("HTTP/1.1", "HTTP/1.1"), ("4", W), ("HTTP/1.1 ", W)],
    "http_reason": [("Not Found", "Not Found"), ("", ""), ("Payload Too Large", "Payload Too Large"), ("My knee", W)],
    "origin": [
        ("https://api.openai.com/v1/chat?q=knee#top", "https://api.openai.com"),
        ("HTTP://user:secret@localhost:8000", "http://localhost:8000"),
        ("http://u@v@host/x", "http://host"),
        ("http://[::1]:80/x", "http://[::1]:80"),
        ("redis://cache:6379/0", "redis://cache:6379"),
        ("https://ida-holm-divorce.example/page", "https://<host>"),
        ("https://where-is-the-key-of-the-house:8080/", "https://<host>"),
        ("http://8.8.8.8:53/", "http://<host>"),
        ("http://10.1.2.3:53/", "http://10.1.2.3:53"),
        ("https://my knee hurts/", W),
        ("https://host\\@evil/", W),
        ("mailto:me@home", W),
        ("gopher://host", W),
        ("/path", W),
    ],
    "host": [
        ("db.internal", "<host>"),
        ("postgres", "postgres"),
        ("where-is-the-key-of-the-house", "<host>"),
        ("4915112345678", "<host>"),
        ("ours.openai.azure.com", "ours.openai.azure.com"),
        ("a.b.openai.azure.com", "<host>"),
        ("49.151.123.45", "<host>"),
        ("10.0.0.256", "<host>"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
        ("[::1]", "[::1]"),
        ("db:5432", W),
        ("my knee", W),
    ],
    "client_address": [("127.0.0.1:50000", W), ("::1", W)],
    "sql_verb": [
        ("SELECT name FROM patient", "SELECT"),
        ("\n  insert into note values ('knee')", "INSERT"),
        ("(SELECT 1) UNION (SELECT 2)", "SELECT"),
        ("SELECTED", W),
        ("My knee hurts", W),
    ],
    "sqlstate": [("42P01", "42P01"), ("HY000", "HY000"), ("23505", "23505"), ("HYMNS", W), ("HELLO", W), (23505, W)],
    "release": [
        ("0.1.0a20", "0.1.0a20"),
        ("2", "2"),
        ("1.2.post1", "1.2.post1"),
        ("1.0+my.knee", W),
        ("1.19851130", W),
        ("one", W),
    ],
    "contract": [("verbatim", "verbatim"), ("knee", W)],
    "distribution": [("verbatim-core", "verbatim-core"), ("knee", W)],
    "code": [("quote_not_found", "quote_not_found"), ("model_loaded", "model_loaded"), ("sore_knee", W), (7, W)],
    "class": [
        (ValueError, "ValueError"),
        ("json.JSONDecodeError", W),
        (discreet.errors.DiscreetError, "discreet.errors.DiscreetError"),
        ("discreet.errors.DiscreetError", "discreet.errors.DiscreetError"),
        (type("SoreKnee", (), {}), W),
        ("SoreKnee", W),
        (ValueError(), W),
    ],
    "warning_category": [
        (DeprecationWarning, "DeprecationWarning"),
        ("UserWarning", "UserWarning"),
        (ValueError, W),
        ("ValueError", W),
        (7, W),
    ],
    "hmac": [("a question", W), (7, W)],
    "request_line": [("GET / HTTP/1.1", "GET / HTTP/1.1"), ("GET / HTTP/9", W), ("my knee hurts", W)],
    "route": [("/", "/"), ("/?q=knee", "/?…"), ("/knee", "/…"), ("/knee?why", "/…?…"), ("knee", W), (7, W)],
}
WITH_OPTIONS = {"enum", "phrase"}

# These modules are loaded by no import of this file, and a class of theirs would be.
CASES["module"][0] = ("http.no_such_module", W)
CASES["class"][1] = ("no_such_module.JSONDecodeError", W)


def test_every_type_has_cases():
    """A type that is added is described here."""
    assert set(CASES) | WITH_OPTIONS == TYPE_NAMES


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [(name, value, shown) for name, cases in CASES.items() for value, shown in cases],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_a_type_lets_its_own_values_through(name, value, shown):
    """In one form, of one built-in type; NaN and infinity are no numbers that JSON knows."""
    found = value_type(name).safe(value)
    assert (found, type(found)) == (shown, type(shown))


@pytest.mark.parametrize("name", sorted(TYPE_NAMES - WITH_OPTIONS))
def test_none_stays_none(name):
    """Whoever says that there is nothing says no more than that."""
    assert value_type(name).safe(None) is None


def test_an_enum_lets_listed_values_and_members_through():
    """A member is looked up in its class's own table, so neither `value` nor `__str__` runs."""
    kind = value_type({"type": "enum", "values": ["rising", "calm", "with blank", 7]})
    values = ["rising", Tide.RISING, Tide.FALLING, Mood.CALM, "with blank", 7, Tide.NUMBER, True, 7.0, "7", "Rising"]
    assert [kind.safe(value) for value in values] == ["rising", "rising", W, "calm", "with blank", 7, 7, W, W, W, W]


def test_a_phrase_is_a_listed_text_with_numbers_in_it():
    """Digits only, and only in the slots."""
    kind = value_type({"type": "phrase", "values": ["cached since {float}s ago", "raw sql", "{int}/{int} (ordered)"]})
    texts = ["cached since 0.25s ago", "cached since 3s ago", "raw sql", "12/300 (ordered)"]
    assert [kind.safe(text) for text in texts] == texts
    for text in ("cached since my knee ago", "raw sql!", "{int}/{int} (ordered)", "12345678/1 (ordered)", 7):
        assert kind.safe(text) is W


def test_a_pattern_widens_an_id():
    """What it matches as a whole goes out as well, as long as it is one printable word; and the type says so."""
    kind = value_type({"type": "id", "pattern": "req_.*"})
    assert (kind.wide, value_type("id").wide) == (True, False)
    ours = ["req_Zk91", "42", "req_0123456789abcdef0123456789abcdef", "req_01ARZ3NDEK12345678RFFQ69G5"]
    assert [kind.safe(value) for value in ours] == ours
    others = [UUID5, "req_my knee", "req_\n", "req_é", "req_" + "x" * 125, "req_49151123", "req_4915112345678901"]
    assert {kind.safe(value) for value in others} == {W}


def test_a_keyed_digest_needs_a_key(monkeypatch):
    """Without one, or with a short one, nothing goes out: a digest without a key can be tried out."""
    kind = value_type("hmac")
    monkeypatch.setenv("DISCREET_HMAC_KEY", "too short")
    assert kind.safe("a question") is W
    monkeypatch.setenv("DISCREET_HMAC_KEY", "a key of thirty-two bytes, more or less")
    first = kind.safe("a question")
    assert isinstance(first, str)
    assert (len(first), int(first, 16) > 0) == (32, True)
    assert kind.safe("a question") == first
    assert kind.safe("a question!") != first
    assert [kind.safe(value) is W for value in (b"x", 7, uuid.UUID(UUID4), "\ud800", 7.5, ["x"], object())] == [
        False,
        False,
        False,
        False,
        True,
        True,
        True,
    ]
    monkeypatch.setenv("OTHER_KEY", "another key of at least sixteen bytes")
    assert value_type({"type": "hmac", "key_env": "OTHER_KEY"}).safe("a question") not in (first, W)


def test_types_with_the_same_name_and_options_are_equal():
    """So that a contract can be told from a changed one."""
    pairs = [("count", "int"), ({"type": "id"}, {"type": "id", "pattern": "a"})]
    for one, two in pairs:
        assert value_type(one) == value_type(one)
        assert hash(value_type(one)) == hash(value_type(one))
        assert value_type(one) != value_type(two)
    assert value_type("id") == value_type({"type": "id"})
    assert value_type("id") != "id"
    assert repr(value_type({"type": "enum", "values": ["a", "b"]})) == "<type enum(values=a|b)>"


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("text", "there is no such type"),
        (7, "a type is a name or a table"),
        ({}, "the table has no key `type`"),
        ({"type": ["enum"]}, "there is no such type"),
        ({"type": "count", "max": 3}, "the type count has no option 'max'"),
        ({"type": "enum", "values": []}, "the type enum needs `values`"),
        ({"type": "enum", "values": "abc"}, "the type enum needs `values`"),
        ({"type": "enum", "values": ["a", "a"]}, "the type enum has a value twice"),
        ({"type": "enum", "values": ["tab\t"]}, "printable ASCII"),
        ({"type": "enum", "values": [True]}, "printable ASCII"),
        ({"type": "enum", "values": [10**8]}, "up to 7 digits"),
        ({"type": "phrase", "values": ["{text}"]}, "a slot of the type phrase is {int} or {float}"),
        ({"type": "phrase"}, "the type phrase needs `values`"),
        ({"type": "id", "pattern": 7}, "the option pattern is a regular expression"),
        ({"type": "id", "pattern": "("}, "this is no regular expression"),
        ({"type": "id", "values": []}, "the type id has no option 'values'; it has pattern"),
        ({"type": "hmac", "key_env": "lower"}, "key_env is the name of an environment variable"),
        ({"type": "client_address", "show": "yes"}, "show is true or false"),
        ({"type": "route", "templates": "/a"}, "the option templates is a list of routes"),
        ({"type": "route", "templates": ["/a b"]}, "a route is a text of 1 to 128"),
    ],
)
def test_a_wrong_type_is_said_in_a_sentence(spec, sentence):
    """The loader puts place and remedy to it."""
    with pytest.raises(ValueError, match=r"^[a-z`]") as caught:
        value_type(spec)
    assert sentence in str(caught.value)


def test_http_phrases_are_those_of_every_release():
    """The standard library renames phrases; a server of another release says the other one."""
    kind = value_type("http_reason")
    assert [status.phrase for status in http.HTTPStatus if kind.safe(status.phrase) is W] == []
