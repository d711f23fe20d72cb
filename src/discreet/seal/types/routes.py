"""Types whose values are routes of an application, and the routes that are known."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from discreet.errors import InvalidInputError
from discreet.forks import ForkSafeLock
from discreet.seal.types.base import WITHHELD, Scalar, ValueType, Withheld
from discreet.seal.types.web import METHODS, VERSION

__all__ = ["RequestLine", "Route", "forget_routes", "register_routes"]

_MAX_PATH: Final = 4096
_MAX_ROUTES: Final = 4096
_ROUTE: Final = re.compile(r"[!-~]{1,128}", re.ASCII)
# Starlette's {name:convertor}, Flask's and Django's <convertor:name>.
_SLOT: Final = re.compile(
    r"\{[A-Za-z_]\w*(?::(?P<after>[a-z]+))?\}|<(?:(?P<before>[a-z]+)(?:\([^)<>]*\))?:)?[A-Za-z_]\w*>",
    re.ASCII,
)

_Routes = tuple[tuple[re.Pattern[str], str], ...]

_routes: _Routes = ()
_routes_lock = ForkSafeLock()


def register_routes(templates: Iterable[str]) -> None:
    """Add the route templates of an application, in the order in which its router tries them.

    Args:
        templates: Paths with slots, ``/items/{item_id}`` or ``/items/<int:item_id>``.

    Raises:
        InvalidInputError: A template is no text of 1 to 128 printable ASCII characters without
            blanks, or there are more than 4096.

    .. versionadded:: 0.1.0
    """
    global _routes
    added: list[tuple[re.Pattern[str], str]] = []
    for i, text in enumerate(templates):
        try:
            added.append(_compiled(text))
        except ValueError as error:
            raise InvalidInputError(str(error), param=f"templates[{i}]") from None
    with _routes_lock:
        known = {template for _, template in _routes}
        fresh = tuple(one for one in added if one[1] not in known)
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


def _compiled(template: object) -> tuple[re.Pattern[str], str]:
    if type(template) is not str or not _ROUTE.fullmatch(template):
        raise ValueError("a route is a text of 1 to 128 printable ASCII characters without blanks")
    # Django writes its routes without the slash in front.
    text = template if template.startswith("/") else f"/{template}"
    parts: list[str] = []
    end = 0
    for slot in _SLOT.finditer(text):
        parts.append(re.escape(text[end : slot.start()]))
        parts.append(".+" if "path" in (slot["after"], slot["before"]) else "[^/]+")
        end = slot.end()
    parts.append(re.escape(text[end:]))
    return re.compile("".join(parts), re.DOTALL), text


class Route(ValueType):
    """The template of the application's router that a path belongs to.

    A path of no known template is ``/…``, and a query string ``?…``: with `request_line` the
    one type whose values may have a character that isn't ASCII.

    Args:
        templates: The routes of the library that logs, tried before the registered ones.
    """

    __slots__ = ("_own",)
    name = "route"

    def __init__(self, templates: tuple[str, ...] = ()) -> None:
        self._own: _Routes = tuple(_compiled(text) for text in templates)
        self.options = (("templates", templates),) if templates else ()

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `templates`, which may be left out."""
        cls.refuse_options(options, "templates")
        templates = options.get("templates", ())
        if not isinstance(templates, (list, tuple)):
            raise ValueError("the option templates is a list of routes")  # noqa: TRY004 -- one class for all faults
        return cls(tuple(templates))

    def _read(self, value: object) -> Scalar | Withheld:
        return self.of_path(value) if type(value) is str else WITHHELD

    def of_path(self, value: str) -> str | Withheld:
        """Return what is shown of a path with or without a query string.

        Args:
            value: The path, from its first slash.
        """
        if not value.startswith("/"):
            return WITHHELD
        path, mark, _ = value.partition("?")
        query = "?…" if mark else ""
        if path == "/":
            return f"/{query}"
        if len(path) <= _MAX_PATH:
            for routes in (self._own, _routes):
                for pattern, template in routes:
                    if path == template or pattern.fullmatch(path):
                        return template + query
        return f"/…{query}"


class RequestLine(ValueType):
    """The first line of an HTTP request: its method, the route of its path, its version."""

    __slots__ = ("_route",)
    name = "request_line"

    def __init__(self) -> None:
        super().__init__()
        self._route = Route()

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is not str:
            return WITHHELD
        method, _, rest = value.partition(" ")
        target, _, version = rest.rpartition(" ")
        if method not in METHODS or not VERSION.fullmatch(version):
            return WITHHELD
        route = self._route.of_path(target)
        return WITHHELD if route is WITHHELD else f"{method} {route} {version}"
