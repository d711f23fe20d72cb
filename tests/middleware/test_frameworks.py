"""Frameworks behind the middleware in one process: where an answer gets its id, and Django's own way of ASGI."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from discreet.instrument.asgi import ContentMiddleware
from tests.forking import environment
from tests.middleware.driving import ASKED, note, told

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parent.parent.parent
DJANGO = """
import asyncio
import json

import django
import httpx
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.http import HttpResponse
from django.urls import path

import discreet
from discreet.instrument.asgi import ContentMiddleware
from discreet.match_mode import set_match
from discreet.seal.types.routes import registered_routes
from tests.middleware.driving import ASKED, NAME, OTHER, note, told


def in_a_thread(request, name):
    note(request.POST["text"])
    note(name)
    note("a quiet word")
    return HttpResponse("ok")


async def in_a_task(request, name):
    note(request.body.decode())
    return HttpResponse("ok")


async def ask():
    app = ContentMiddleware(get_asgi_application())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://site") as client:
        first = await client.post("/thread/Ottoline", data={"text": ASKED})
        second = await client.post("/task/Osbert", content=OTHER, headers={"Content-Type": "text/plain"})
    assert (first.text, second.text) == ("ok", "ok")
    assert first.headers["X-Request-ID"] != second.headers["X-Request-ID"]


urlpatterns = [path("thread/<name>", in_a_thread), path("task/<name>", in_a_task)]
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["site"], SECRET_KEY="x", LOGGING_CONFIG=None)
django.setup()
set_match("install", (NAME,))
found = [one for one in told(lambda: asyncio.run(ask())) if not one.startswith("HTTP Request")]
print(json.dumps([found, [template for _, template in registered_routes()]]))
"""


def test_django_by_asgi() -> None:
    """Views in a thread and views that are coroutines; in a process of its own, since Django is set up once."""
    done = subprocess.run(
        [sys.executable, "-c", DJANGO], check=False, capture_output=True, text=True, env=environment(), cwd=ROOT
    )

    assert done.stdout == (
        '[["<form.text 64-255>", "<path[1] 1-15>", "a quiet word", "<body 16-63>"],'
        ' ["/thread/<name>", "/task/<name>"]]\n'
    ), done.stderr


def requested(app: Any) -> Any:
    import httpx

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            return await client.post("/broken", content=ASKED, headers={"Content-Type": "text/plain"})

    return asyncio.run(ask())


@pytest.mark.parametrize("around", [True, False])
def test_the_answer_to_an_unhandled_exception(around: bool) -> None:
    """Starlette makes it outside of the middlewares that were added: with an id if the whole application is wrapped."""
    from starlette.applications import Starlette
    from starlette.routing import Route

    async def broken(request: Any) -> None:
        note((await request.body()).decode())
        raise LookupError(ASKED)

    app: Any = Starlette(routes=[Route("/broken", broken, methods=["POST"])])
    if around:
        app = ContentMiddleware(app)
    else:
        app.add_middleware(ContentMiddleware)
    answers: list[Any] = []

    found = told(lambda: answers.append(requested(app)))

    assert found[0] == "<body 64-255>"
    assert (answers[0].status_code, "X-Request-ID" in answers[0].headers) == (500, around)
