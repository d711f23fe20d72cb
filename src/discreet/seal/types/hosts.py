"""Types whose values are machines: hosts, origins of URLs, addresses of clients."""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any, Final
from urllib.parse import ParseResult, SplitResult

from discreet.errors import InvalidInputError
from discreet.forks import ForkSafeLock
from discreet.seal.types.base import MAX_TEXT, WITHHELD, Scalar, ValueType, Withheld, dotted_words, words

__all__ = ["UNKNOWN_HOST", "ClientAddress", "Host", "Origin", "forget_hosts", "register_hosts", "show_client_addresses"]

_URL: Final = re.compile(
    r"([A-Za-z][A-Za-z0-9+.-]{1,15})://(?:[^/?#\\\s]{0,512}@)?([^/?#\\\s@]{1,128})(?=[/?#]|\Z)", re.ASCII
)
_SCHEMES: Final = words(
    "http https ws wss grpc grpcs redis rediss amqp amqps postgresql postgres mysql mongodb "
    "bolt neo4j nats kafka tcp udp ftp ftps sftp smtp smtps ldap ldaps s3 gs"
)
# Of pieces: one long run of letters and digits may be a text in base64.
_LABEL: Final = r"_?+[A-Za-z0-9]{1,40}+(?:[_-]{1,2}+[A-Za-z0-9]{1,40}+)*+"
_NAME: Final = rf"{_LABEL}(?:\.{_LABEL})*\.?"
_HOST: Final = re.compile(rf"(?:{_NAME}|\[[0-9A-Fa-f:.]{{2,45}}\])(?::[0-9]{{1,5}})?", re.ASCII)
_BARE_HOST: Final = re.compile(
    rf"(?:{_NAME}|(?=[^:]*:[^:]*:)[0-9A-Fa-f:.]{{2,45}}|\[[0-9A-Fa-f:.]{{2,45}}\])", re.ASCII
)
_PORT_AFTER: Final = re.compile(r":[0-9]{1,5}\Z", re.ASCII)
_PORT: Final = re.compile(r"[0-9]{1,5}", re.ASCII)


_MAX_HOSTS: Final = 4096
UNKNOWN_HOST: Final = "<host>"
"""Stands in the place of a host that isn't known.

.. versionadded:: 0.1.0
"""

# Services that many programs talk to. A star is one label: the name of the operator's own resource.
_SERVICES: Final = words(
    "api.openai.com *.openai.azure.com api.anthropic.com api.mistral.ai api.cohere.com api.groq.com api.deepseek.com "
    "generativelanguage.googleapis.com openrouter.ai huggingface.co hf.co router.huggingface.co host.docker.internal"
)
# A machine of the same network, as containers call each other.
_SINGLE: Final = re.compile(r"(?=[^a-z]*+[a-z])[a-z0-9]{1,20}+(?:[-_][a-z0-9]{1,20}+){0,2}+", re.ASCII | re.IGNORECASE)
_NAMED: Final = re.compile(rf"(?:\*\.)?{_NAME}", re.ASCII)

_hosts: frozenset[str] = frozenset()
_hosts_lock = ForkSafeLock()


def register_hosts(names: Iterable[str]) -> None:
    """Add hosts that the types `host` and `origin` show: those that the program itself talks to.

    Any other host may be from a customer's link, so ``<host>`` stands in its place. Shown are
    also addresses that aren't public, names without a dot and a few well-known services.

    Args:
        names: Names or addresses without a port; ``*.example.org`` is for names with one more label.

    Raises:
        InvalidInputError: One is no host, or there are more than 4096.

    .. versionadded:: 0.1.0
    """
    global _hosts
    added: set[str] = set()
    for i, name in enumerate(names):
        if type(name) is not str or not (_NAMED.fullmatch(name) or _BARE_HOST.fullmatch(name)):
            raise InvalidInputError("a host is a name or an address without a port", param=f"names[{i}]")
        added.add(plain(name))
    with _hosts_lock:
        if len(_hosts | added) > _MAX_HOSTS:
            raise InvalidInputError(f"there are more than {_MAX_HOSTS} hosts", param="names")
        _hosts |= added


def registered_hosts() -> frozenset[str]:
    """Return the registered hosts, for `restore_hosts`."""
    return _hosts


def restore_hosts(hosts: frozenset[str]) -> None:
    """Put back hosts that were registered at an earlier time."""
    global _hosts
    with _hosts_lock:
        _hosts = hosts


def forget_hosts() -> None:
    """Forget all registered hosts.

    .. versionadded:: 0.1.0
    """
    global _hosts
    with _hosts_lock:
        _hosts = frozenset()


def plain(host: str) -> str:
    """Return a host as it is registered."""
    return host.lower().strip("[]").removesuffix(".")


def _is_known(host: str) -> bool:
    name = plain(host)
    if name in _hosts or name in _SERVICES:
        return True
    if ":" in name or name.replace(".", "").isdigit():
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return "%" not in name and not address.is_global
    label, dot, rest = name.partition(".")
    if not _SINGLE.fullmatch(label) or not dotted_words(name):
        return False
    return not dot or f"*.{rest}" in _SERVICES or f"*.{rest}" in _hosts


class Host(ValueType):
    """The name or IP address of a machine that the program talks to, without a port.

    ``<host>`` stands in place of a host that isn't known: see `register_hosts`.
    """

    __slots__ = ()
    name = "host"

    def _read(self, value: object) -> Scalar | Withheld:
        if type(value) is str and len(value) <= MAX_TEXT and _BARE_HOST.fullmatch(value):
            return value if _is_known(value) else UNKNOWN_HOST
        return WITHHELD


class Origin(ValueType):
    """Scheme, host and port of a URL; never user, path, query or fragment.

    ``https://<host>`` stands for a URL whose host isn't known: see `register_hosts`. URL
    objects of urllib, httpx, httpx2, yarl and starlette are understood too.
    """

    __slots__ = ()
    name = "origin"

    def _read(self, value: object) -> Scalar | Withheld:
        text = value if type(value) is str else _url_text(value)
        match = None if text is None else _URL.match(text)
        if match is None:
            return WITHHELD
        scheme, host = match[1].lower(), match[2]
        if scheme not in _SCHEMES or not _HOST.fullmatch(host):
            return WITHHELD
        return f"{scheme}://{host if _is_known(_PORT_AFTER.sub('', host)) else UNKNOWN_HOST}"


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


_show_clients = False


def shows_client_addresses() -> bool:
    """Tell whether the type `client_address` shows addresses in the whole process."""
    return _show_clients


def show_client_addresses(show: bool = True) -> None:  # noqa: FBT001, FBT002 -- a switch
    """Let the type `client_address` show addresses in the whole process; at first it doesn't.

    Args:
        show: Whether addresses are shown.

    .. versionadded:: 0.1.0
    """
    global _show_clients
    _show_clients = show


class ClientAddress(ValueType):
    """A caller's IP address, with or without a port; withheld unless it is switched on.

    Args:
        show: Switches it on for this one attribute.
    """

    __slots__ = ("_show",)
    name = "client_address"

    def __init__(self, *, show: bool = False) -> None:
        self._show = show
        self.options = (("show", True),) if show else ()

    @classmethod
    def make(cls, options: Mapping[str, object]) -> ValueType:
        """Make the type from its one option, `show`, which may be left out."""
        cls.refuse_options(options, "show")
        show = options.get("show", False)
        if type(show) is not bool:
            raise ValueError("show is true or false")
        return cls(show=show)

    def _read(self, value: object) -> Scalar | Withheld:
        if not (self._show or _show_clients) or type(value) is not str:
            return WITHHELD
        host, port = value, None
        if value.startswith("["):
            host, _, rest = value[1:].partition("]")
            port = rest[1:] if rest.startswith(":") else None
        elif value.count(":") == 1:
            host, _, port = value.partition(":")
        address = str(ipaddress.ip_address(host))
        if "%" in address:
            return WITHHELD
        if port is None:
            return address
        if not _PORT.fullmatch(port):
            return WITHHELD
        return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
