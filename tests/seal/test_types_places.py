"""Routes, URL objects and client addresses: types whose values depend on the application."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlparse, urlsplit

import pytest

from discreet.errors import InvalidInputError
from discreet.seal.types import (
    WITHHELD,
    forget_hosts,
    forget_routes,
    register_hosts,
    register_routes,
    show_client_addresses,
    value_type,
)


@pytest.fixture(autouse=True)
def _no_routes() -> Iterator[None]:
    forget_routes()
    yield
    forget_routes()
    show_client_addresses(False)


def routes(*paths: str) -> list[Any]:
    return [value_type("route").safe(path) for path in paths]


def test_a_path_shows_as_the_first_route_that_it_fits():
    """Slots of starlette, Flask and Django; a query string is told, its content not."""
    register_routes(["/notes/latest", "/notes/{note_id}", "/files/{rest:path}", "/users/<int:pk>/", "tags/<name>"])
    assert routes(
        "/notes/latest",
        "/notes/my-knee",
        "/notes/my-knee?why=now",
        "/files/a/b/c",
        "/users/42/",
        "/tags/knee",
        "/notes/my/knee",
        "/notes/{note_id}",
    ) == [
        "/notes/latest",
        "/notes/{note_id}",
        "/notes/{note_id}?…",
        "/files/{rest:path}",
        "/users/<int:pk>/",
        "/tags/<name>",
        "/…",
        "/notes/{note_id}",
    ]


def test_routes_are_added_and_forgotten():
    """Two applications of one process both register theirs; the same twice is one."""
    register_routes(["/a/{x}"])
    register_routes(["/a/{x}", "/b/{x}"])
    assert routes("/a/1", "/b/1") == ["/a/{x}", "/b/{x}"]
    forget_routes()
    assert routes("/a/1") == ["/…"]


def test_a_librarys_own_routes_go_first():
    """A contract that knows the routes of its library names them."""
    register_routes(["/{anything}"])
    kind = value_type({"type": "route", "templates": ["/v1/search"]})
    assert [kind.safe("/v1/search?q=knee"), kind.safe("/knee")] == ["/v1/search?…", "/{anything}"]


def test_a_very_long_path_is_not_matched():
    """It is withheld as any other unknown path."""
    register_routes(["/files/{rest:path}"])
    assert routes("/files/" + "x" * 5000) == ["/…"]


def test_the_first_line_of_a_request_shows_its_route():
    """Method and version are from lists."""
    register_routes(["/notes/{note_id}"])
    kind = value_type("request_line")
    lines = ["GET /notes/my-knee?a=b HTTP/1.1", "GET /my knee HTTP/1.1", "KNEE / HTTP/1.1", "GET /x", "GET x HTTP/1.1"]
    assert [kind.safe(line) for line in lines] == [
        "GET /notes/{note_id}?… HTTP/1.1",
        "GET /… HTTP/1.1",
        WITHHELD,
        WITHHELD,
        WITHHELD,
    ]


@pytest.mark.parametrize("template", ["", "/a b", "/ä", 7, "/" + "x" * 200])
def test_what_is_no_route_is_refused(template):
    """With its place, and without effect on the others."""
    with pytest.raises(InvalidInputError) as caught:
        register_routes(["/good", template])
    assert caught.value.param == "templates[1]"
    assert routes("/good") == ["/…"]


def test_there_is_an_end_to_routes():
    """A program that registers paths instead of templates finds out."""
    with pytest.raises(InvalidInputError, match="more than 4096"):
        register_routes(f"/{i}" for i in range(4097))


@pytest.mark.integration
def test_url_objects_of_known_libraries_have_an_origin():
    """Their class is known by identity; nothing but scheme, host and port is read."""
    import httpx
    import httpx2
    from starlette.datastructures import URL

    text = "https://me:secret@api.example.org:8443/knee?why#now"
    kind = value_type("origin")
    found = [kind.safe(make(text)) for make in (httpx.URL, httpx2.URL, URL, urlsplit, urlparse)]
    assert found == ["https://<host>"] * 5
    try:
        register_hosts(["api.example.org"])
        found = [kind.safe(make(text)) for make in (httpx.URL, httpx2.URL, URL, urlsplit, urlparse)]
        assert found == ["https://api.example.org:8443"] * 5
    finally:
        forget_hosts()
    assert kind.safe(httpx.URL("http://[::1]/x")) == "http://[::1]"
    assert kind.safe(httpx.URL("/x")) is WITHHELD


def test_an_object_that_looks_like_a_url_is_not_called(monkeypatch):
    """A class counts if it stands in its module under its name, whatever it calls itself."""

    class URL:
        __module__ = "yarl"

        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(name)

    module = types.ModuleType("yarl")
    monkeypatch.setitem(__import__("sys").modules, "yarl", module)
    assert value_type("origin").safe(URL()) is WITHHELD
    module.URL = type("URL", (), {"scheme": "http", "host": "tide", "port": None})
    assert value_type("origin").safe(module.URL()) == "http://tide"
    module.URL = URL
    assert value_type("origin").safe(URL()) is WITHHELD


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.0.0.1:50000", "127.0.0.1:50000"),
        ("::1", "::1"),
        ("[2001:db8::1]:443", "[2001:db8::1]:443"),
        ("127.0.0.1:my knee", WITHHELD),
        ("fe80::1%my-knee", WITHHELD),
        ("localhost", WITHHELD),
        (("127.0.0.1", 1), WITHHELD),
    ],
)
def test_client_addresses_show_when_they_are_switched_on(value, shown):
    """For the process, or for one attribute; at first they don't."""
    assert value_type("client_address").safe(value) is WITHHELD
    assert value_type({"type": "client_address", "show": True}).safe(value) == shown
    show_client_addresses()
    assert value_type("client_address").safe(value) == shown
