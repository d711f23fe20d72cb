"""A Django project with Django's own logging, a guard, and views that register texts and break in the usual ways."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template import Context, Template
from django.urls import path
from scoped import note, plain

import discreet


class Chunk:
    """What a template shows."""

    def __init__(self, text: str) -> None:
        self.text = text

    def broken(self) -> str:
        """Fail while it is shown."""
        raise LookupError(self.text)

    def __str__(self) -> str:
        return self.text


@discreet.customer_text("text")
def words(text: str) -> Iterator[str]:
    """Answer word by word."""
    for word in text.split()[:2]:
        note("stream", text)
        yield word


def view(request: HttpRequest, way: str, rest: str = "") -> Any:
    """Answer, or break as the path says."""
    text = request.body.decode()
    for name in ("django.template", "django.db.backends"):
        # Django sets logging up more than once, and puts the levels of its loggers back.
        logging.getLogger(name).setLevel(logging.DEBUG)
    with discreet.customer_text(question=text):
        note(way, text)
        if way == "query":
            with connection.cursor() as cursor:
                cursor.execute("SELECT %s", [text])
        if way == "wrong-query":
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT '{text}' FROM nowhere WHERE %s", [text])
        if way == "template":
            source = "{{ chunk.nothing.more }}{{ missing }}{{ chunk }}"
            return HttpResponse(Template(source).render(Context({"chunk": Chunk(text)})))
        if way == "wrong-template":
            Template(f"{text} {{% {text} %}}", name=text)
        if way == "broken-template":
            Template("{{ chunk.broken }}", name=text).render(Context({"chunk": Chunk(text)}))
        if way == "forbidden":
            raise PermissionDenied(text)
        if way == "suspicious":
            raise SuspiciousOperation(f"what is {text}")
        if way == "broken":
            raise ValueError(f"no answer for {text}")
        if way == "stream":
            return StreamingHttpResponse(words(text))
    plain("end", text)
    return HttpResponse("ok")


urlpatterns = [path("<way>", view), path("<way>/<rest>", view)]
