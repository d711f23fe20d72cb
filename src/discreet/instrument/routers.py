"""Finds the routes of an application's router, so that access lines can show them; imports no framework."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from discreet.errors import InvalidInputError
from discreet.export.ledger import LEDGER
from discreet.instrument.requests import FAILED
from discreet.seal.types.routes import register_routes

__all__ = ["learn_routes", "templates"]

_DEPTH: Final = 32
_MAX: Final = 2048
_DJANGO: Final = ("django.core.handlers.base", "django.urls")
# Django's routes by regular expression: a named group is a slot, and anything else than a literal is no template.
_GROUP: Final = re.compile(r"\(\?P<([A-Za-z_]\w*)>(?:[^()\\]|\\.)*\)")
_LITERAL: Final = re.compile(r"[\w/<>.~%@:,=&-]*", re.ASCII)


def learn_routes(*applications: object) -> int:
    """Register the routes of what is found in an application, or in one that it wraps.

    Args:
        *applications: What may be an application of Starlette, FastAPI, Flask or Django, or wrap one as `app`.

    Returns:
        How many templates were found. What a router raises is counted in the ledger.

    .. versionadded:: 0.1.0
    """
    found: list[str] = []
    seen: set[int] = set()
    try:
        for application in applications:
            for one in _wrapped(application):
                if id(one) not in seen:
                    seen.add(id(one))
                    found.extend(templates(one))
    except Exception as error:
        # A router may be of any making. What was found before stays, and paths of others are those of no route.
        LEDGER.failure(FAILED, error)
    known = dict.fromkeys(found[:_MAX])
    for template in known:
        try:
            register_routes((template,))
        except InvalidInputError:
            # Longer than a template may be, or not of ASCII: its paths stay as those of no route.
            continue
    return len(known)


def templates(application: object) -> Iterator[str]:
    """Yield the route templates of one application; none if its router is of no known kind.

    Args:
        application: An application, not what wraps it.

    .. versionadded:: 0.1.0
    """
    rules = getattr(getattr(application, "url_map", None), "iter_rules", None)
    if callable(rules):
        yield from (rule.rule for rule in rules() if isinstance(getattr(rule, "rule", None), str))
    base, urls = (sys.modules.get(name) for name in _DJANGO)
    if base is not None and urls is not None and isinstance(application, base.BaseHandler):
        yield from _django(urls.get_resolver().url_patterns, "/", 0)
    routes = getattr(application, "routes", None)
    if isinstance(routes, list | tuple):
        yield from _starlette(routes, "", 0)


def _wrapped(application: object) -> Iterator[object]:
    one: Any = application
    for _ in range(_DEPTH):
        if one is None:
            return
        yield one
        # A bound method, as in `app.wsgi_app = ContentMiddleware(app.wsgi_app)`.
        owner = getattr(one, "__self__", None)
        one = owner if owner is not None else getattr(one, "app", None)


def _starlette(routes: Iterable[Any], prefix: str, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        return
    for route in routes:
        path = getattr(route, "path", None)
        inner = getattr(route, "routes", None)
        contexts = getattr(route, "effective_route_contexts", None)
        if callable(contexts):
            # FastAPI's routers that were included, from the release on which keeps them as they are.
            for one in contexts():
                yield from _starlette((getattr(one, "starlette_route", None) or one,), prefix, depth + 1)
        elif isinstance(inner, list | tuple) and not (isinstance(path, str) and not inner):
            yield from _starlette(inner, prefix + path if isinstance(path, str) else prefix, depth + 1)
        elif isinstance(path, str):
            # A mount whose application has no router has files, or anything.
            yield prefix + (path if inner is None else f"{path}/{{path:path}}")


def _django(patterns: Iterable[Any], prefix: str, depth: int) -> Iterator[str]:
    if depth > _DEPTH:
        return
    for one in patterns:
        written = _django_written(getattr(one, "pattern", None))
        if written is None:
            continue
        inner = getattr(one, "url_patterns", None)
        if inner is None:
            yield prefix + written
        else:
            yield from _django(inner, prefix + written, depth + 1)


def _django_written(pattern: object) -> str | None:
    route = getattr(pattern, "_route", None)
    if isinstance(route, str):
        return str(route)
    regex = getattr(pattern, "_regex", None)
    if not isinstance(regex, str):
        # Of a language, or of somebody's own kind: what it is may differ from request to request.
        return None
    text = _GROUP.sub(r"<\1>", regex).removeprefix("^").removesuffix("$").removesuffix(r"\Z")
    text = re.sub(r"\\([/.~%@:,=&-])", r"\1", text)
    return text if _LITERAL.fullmatch(text) else None
