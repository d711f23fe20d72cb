"""The question answering as a service of Django."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import django
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.urls import path
from rag import answered

from discreet.instrument.wsgi import ContentMiddleware

log = logging.getLogger("ragservice.api")


def query(request: HttpRequest) -> HttpResponse:
    """Answer a question in JSON."""
    return JsonResponse({"answer": answered(json.loads(request.body)["question"])})


def search(request: HttpRequest, topic: str) -> HttpResponse:
    """Answer a question of the address."""
    log.info(f"Topic: {topic}")
    log.info(f"Query: {request.GET['q']}")
    return HttpResponse("ok")


def form(request: HttpRequest) -> HttpResponse:
    """Answer a question of a form with a file."""
    log.info(f"Form: {request.POST['text']}")
    log.info(f"File: {request.FILES['document'].read().decode()}")
    return HttpResponse("ok")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    """Answer in pieces."""
    question = json.loads(request.body)["question"]

    def words() -> Iterator[str]:
        try:
            for word in question.split()[:3]:
                log.info(f"Sending a word of {question}")
                yield word
        finally:
            log.info(f"Afterwards: {question}")

    return StreamingHttpResponse(words())


def fail(request: HttpRequest) -> HttpResponse:
    """Fail with the question in the exception."""
    raise LookupError(f"no answer for {json.loads(request.body)['question']}")


urlpatterns = [
    path("api/query", query),
    path("api/search/<topic>", search),
    path("api/form", form),
    path("api/stream", stream),
    path("api/fail", fail),
]
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="only a test's", LOGGING_CONFIG=None)
django.setup()
app = ContentMiddleware(get_wsgi_application())
