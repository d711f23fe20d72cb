"""The routes of an application are found in its router, by whatever the application is wrapped."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from discreet.export.ledger import LEDGER
from discreet.instrument.asgi import ContentMiddleware
from discreet.instrument.routers import learn_routes
from discreet.instrument.wsgi import ContentMiddleware as WsgiMiddleware
from discreet.seal.types.routes import forget_routes, registered_routes
from tests.forking import environment
from tests.middleware.driving import asgi, http, note, told

pytestmark = pytest.mark.integration

DJANGO = """
import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import include, path, re_path

def view(request, **more):
    return None

inner = [path("<int:note>/", view), re_path(r"^page-(?P<number>[0-9]{1,3})/$", view)]
urlpatterns = [
    path("", view),
    path("people/<slug:name>", view),
    path("notes/", include(inner)),
    re_path(r"^any/(?:a|b)/$", view),
    re_path(r"^files/(?P<file>.+\\.pdf)$", view),
]
settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="x", USE_I18N=False)
from discreet.instrument.routers import learn_routes
from discreet.seal.types.routes import registered_routes
learn_routes(get_wsgi_application())
print([template for _, template in registered_routes()])
"""


@pytest.fixture(autouse=True)
def _no_routes() -> None:
    forget_routes()


def known() -> list[str]:
    return [template for _, template in registered_routes()]


def nothing(**values: Any) -> str:
    return "ok"


def fastapi() -> Any:
    from fastapi import APIRouter, FastAPI, WebSocket

    app, router, deep = FastAPI(openapi_url=None), APIRouter(prefix="/v1"), APIRouter(prefix="/deep")
    deep.add_api_route("/{part}", nothing)
    router.add_api_route("/items/{item_id}", nothing)
    router.include_router(deep)
    app.add_api_route("/ask", nothing, methods=["POST"])
    app.include_router(router, prefix="/api")

    @app.websocket("/talk/{room}")
    async def talk(websocket: WebSocket, room: str) -> None:
        await websocket.close()

    inside = FastAPI(openapi_url=None)
    inside.add_api_route("/x/{y}", nothing)
    app.mount("/inside", inside)
    app.mount("/files", ContentMiddleware(inside))
    return app


OF_FASTAPI = [
    "/ask",
    "/api/v1/items/{item_id}",
    "/api/v1/deep/{part}",
    "/talk/{room}",
    "/inside/x/{y}",
    "/files/{path:path}",
]


@pytest.mark.parametrize("wrapped", [0, 1, 3])
def test_fastapi_with_routers_inside_and_applications_beside(wrapped: int) -> None:
    """In the order in which the router tries them, with their prefixes."""
    app = fastapi()
    for _ in range(wrapped):
        app = ContentMiddleware(app)

    assert learn_routes(app) == len(OF_FASTAPI)
    assert known() == OF_FASTAPI


def test_starlette_and_what_a_host_has() -> None:
    """A mount without routes has whatever lies below it."""
    from starlette.applications import Starlette
    from starlette.routing import Host, Mount, Route, Router

    app = Starlette(
        routes=[
            Route("/", nothing),
            Mount("/a", routes=[Route("/b/{c:int}", nothing)]),
            Host("api.example.org", Router([Route("/d", nothing)])),
            Mount("/files", app=nothing),
        ]
    )
    learn_routes(app)

    assert known() == ["/", "/a/b/{c:int}", "/d", "/files/{path:path}"]


def test_flask_also_by_its_bound_method() -> None:
    """As Flask's own documentation wraps it."""
    from flask import Flask

    app = Flask("orchard", static_folder=None)
    app.add_url_rule("/people/<name>", view_func=nothing)
    app.add_url_rule("/notes/<int:note>/<path:rest>", "notes", nothing)
    app.wsgi_app = WsgiMiddleware(app.wsgi_app)  # type: ignore[method-assign]

    assert learn_routes(app.wsgi_app.app) == 2
    assert known() == ["/people/<name>", "/notes/<int:note>/<path:rest>"]


def test_django_with_includes_and_regular_expressions() -> None:
    """Those of which a template can be made; in a process of its own, since Django is set up once."""
    done = subprocess.run(
        [sys.executable, "-c", DJANGO], check=False, capture_output=True, text=True, env=environment()
    )

    assert (
        done.stdout == "['/', '/people/<slug:name>', '/notes/<int:note>/', '/notes/page-<number>/', '/files/<file>']\n"
    ), done.stderr


def test_what_has_no_router_has_no_routes() -> None:
    """Also what wraps itself."""

    class Ring:
        app: Any = None

    ring = Ring()
    ring.app = ring

    assert [learn_routes(one) for one in (None, nothing, 7, ring)] == [0, 0, 0, 0]
    assert known() == []


def test_templates_that_are_none_are_left_out() -> None:
    """Their paths are shown as those of no route."""

    class Route:
        def __init__(self, path: object) -> None:
            self.path = path

    class App:
        routes = [Route("/fine/{x}"), Route("/with a blank"), Route("/" + "x" * 200), Route(7), object()]

    learn_routes(App())

    assert known() == ["/fine/{x}"]


def test_a_router_that_raises_costs_no_request_its_texts() -> None:
    """What it raises is counted, once."""

    class App:
        @property
        def routes(self) -> Any:
            raise LookupError("no routes yet")

        async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
            note("trombone")

    wrapped = ContentMiddleware(App())

    found = [told(lambda: asgi(wrapped, http(query="q=a+trombone"))) for _ in range(2)]

    assert found == [["<query.q 1-15>"]] * 2
    assert LEDGER.failures == {("middleware", "LookupError"): 1}
