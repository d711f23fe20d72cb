"""Types whose values are places on the web: origins of URLs and routes of an application."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final
from urllib.parse import ParseResult, SplitResult

from discreet.errors import InvalidInputError
from discreet.seal.types.base import WITHHELD, Scalar, ValueType, Withheld, few_words, words

__all__ = ["Origin", "Route", "forget_routes", "register_routes"]

_URL: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]{1,15})://(?:[^/?#\\\s]*@)?([^/?#\\\s@]{1,128})(?=[/?#]|\Z)", re.ASCII
)
_SCHEMES: Final = words(
    "http https ws wss grpc grpcs redis rediss amqp amqps postgresql postgres mysql mongodb "
    "bolt neo4j nats kafka tcp udp ftp ftps sftp smtp smtps ldap ldaps s3 gs"
)
_LABEL: Final = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_HOST: Final = re.compile(rf"(?:{_LABEL}(?:\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]{{2,45}}\])(?::[0-9]{{1,5}})?", re.ASCII)

_MAX_PATH: Final = 4096
_MAX_ROUTES: Final = 4096
_ROUTE: Final = re.compile(r"[!-~]{1,128}", re.ASCII)
# Starlette's {name:convertor}, Flask's and Django's <convertor:name>.
_SLOT: Final = re.compile(
    r"\{[A-Za-z_]\w*(?::(?P<after>[a-z]+))?\}|<(?:(?P<before>[a-z]+)(?:\([^)<>]*\))?:)?[A-Za-z_]\w*>",
    re.ASCII,
)


class Origin(ValueType):
    """Scheme, host and port of a URL; never user, path, query or fragment.

    URL objects of urllib, httpx, httpx2, yarl and starlette are understood too.
    """

    __slots__ = ()
    name = "origin"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str:
            found = _url_text(value)
            if found is None:
                return WITHHELD
            value = found
        match = _URL.match(value)
        if match is None:
            return WITHHELD
        scheme, host = match[1].lower(), match[2]
        if scheme not in _SCHEMES or not _HOST.fullmatch(host):
            return WITHHELD
        return f"{scheme}://{host}" if few_words(host) else WITHHELD


# Module to attribute path of the text in an instance of its class `URL`.
_URL_CLASSES: Final = (
    ("httpx", "URL"),
    ("httpx2", "URL"),
    ("yarl", "URL"),
    ("starlette.datastructures", "URL"),
)


def _url_text(value: Any) -> str | None:
    """Return `scheme://host:port` of a URL object, if its class is one of the known."""
    kind = type(value)
    if kind is SplitResult or kind is ParseResult:
        scheme, netloc = value[0], value[1]
        return f"{scheme}://{netloc}" if type(scheme) is type(netloc) is str else None
    for module_name, name in _URL_CLASSES:
        module = sys.modules.get(module_name)
        # Known by identity: no code of a class that merely looks the part is run.
        if type(module) is ModuleType and vars(module).get(name) is kind:
            host = value.hostname if module_name.startswith("starlette") else value.host
            port = value.port
            host = f"[{host}]" if ":" in host else host
            return f"{value.scheme}://{host}" + ("" if port is None else f":{port}")
    return None


_routes: tuple[tuple[re.Pattern[str], str], ...] = ()
_routes_lock = threading.Lock()


def register_routes(templates: Iterable[str]) -> None:
    """Add the route templates of an application, in the order in which its router tries them.

    Args:
        templates: Paths with slots, ``/items/{item_id}`` or ``/items/<int:item_id>``.

    Raises:
        InvalidInputError: A template is no text of printable ASCII without blanks, or there
            are more than 4096.

    .. versionadded:: 0.1.0
    """
    global _routes
    added = [(_route_pattern(text, i), text) for i, text in enumerate(templates)]
    with _routes_lock:
        known = {text for _, text in _routes}
        fresh = [
            (pattern, text if text.startswith("/") else f"/{text}")
            for pattern, text in added
            if text not in known and f"/{text}" not in known
        ]
        if len(_routes) + len(fresh) > _MAX_ROUTES:
            raise InvalidInputError(f"there are more than {_MAX_ROUTES} routes", param="templates")
        _routes = (*_routes, *fresh)


def forget_routes() -> None:
    """Forget all registered routes.

    .. versionadded:: 0.1.0
    """
    global _routes
    with _routes_lock:
        _routes = ()


def _route_pattern(template: object, index: int) -> re.Pattern[str]:
    if type(template) is not str or not _ROUTE.fullmatch(template):
        raise InvalidInputError(
            "a route is a text of 1 to 128 printable ASCII characters without blanks",
            param=f"templates[{index}]",
        )
    parts: list[str] = [] if template.startswith("/") else ["/"]
    end = 0
    for slot in _SLOT.finditer(template):
        parts.append(re.escape(template[end : slot.start()]))
        parts.append(".+" if "path" in (slot["after"], slot["before"]) else "[^/]+")
        end = slot.end()
    parts.append(re.escape(template[end:]))
    return re.compile("".join(parts), re.DOTALL)


class Route(ValueType):
    """The template of the application's router that a path belongs to.

    A path of no registered template is ``/…``, and a query string ``?…``: the one type
    whose values may have a character that isn't ASCII.
    """

    __slots__ = ()
    name = "route"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str or not value.startswith("/"):
            return WITHHELD
        path, mark, _ = value.partition("?")
        query = "?…" if mark else ""
        if path == "/":
            return f"/{query}"
        if len(path) <= _MAX_PATH:
            for pattern, template in _routes:
                if path == template or pattern.fullmatch(path):
                    return template + query
        return f"/…{query}"
