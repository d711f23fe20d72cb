"""A Django project in one module: it logs what a customer wrote, and the server's own lines come from django.server."""

from __future__ import annotations

import logging

from django.http import HttpRequest, HttpResponse
from django.urls import path

log = logging.getLogger("answers")


def note(request: HttpRequest, note_id: str) -> HttpResponse:
    """Answer a request."""
    text = request.GET["q"]
    log.info("Asked %s with %d bytes", text, len(request.body))
    log.info(f"Asked {text} with {len(request.body)} bytes")
    return HttpResponse("ok")


def fail(request: HttpRequest) -> HttpResponse:
    """Break."""
    raise ValueError(f"no answer for {request.GET['q']} and {request.body.decode()}")


urlpatterns = [path("notes/<note_id>", note), path("fail", fail)]
