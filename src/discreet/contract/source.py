"""Where contracts come from: files, this package, and installed packages' entry points."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from discreet.contract.model import RESERVED_ATTRIBUTES, Contract
from discreet.contract.parse import parse
from discreet.contract.registry import Registry
from discreet.contract.shapes import ATTRIBUTE, NAME
from discreet.errors import ConfigurationError, ContractError
from discreet.seal.types import value_type

if TYPE_CHECKING:
    from discreet.seal.types import ValueType

__all__ = [
    "ENTRY_POINT_GROUP",
    "application_types",
    "base_contracts",
    "find",
    "load",
    "load_shipped",
    "load_text",
    "shipped",
]

ENTRY_POINT_GROUP: Final = "discreet.contracts"
"""The entry points by which a package brings its contract.

The value is the package that holds the file and the file's name, as in
``mylib.contracts:mylib.toml``.

.. versionadded:: 0.1.0
"""

_MAX_BYTES: Final = 2**20


def load(path: str | PathLike[str]) -> Contract:
    """Read a contract file.

    Args:
        path: The file, of at most 1 MiB.

    Raises:
        ContractError: It can't be read, or isn't a contract.

    .. versionadded:: 0.1.0
    """
    file = os.fspath(path)
    try:
        with Path(file).open("rb") as stream:
            data = stream.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        # ValueError: the path holds a null character.
        raise ContractError(
            f"the file can't be read ({type(error).__name__})",
            file=file,
            remedy="Give the path of a contract file that this process may read.",
        ) from error
    return _load_bytes(data, file)


def _load_bytes(data: bytes, file: str) -> Contract:
    if len(data) > _MAX_BYTES:
        raise ContractError("the file is larger than 1 MiB", file=file, remedy="Split it into several contracts.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ContractError(
            f"the file isn't UTF-8 at byte {error.start}",
            file=file,
            remedy="Save it in UTF-8, as TOML asks.",
        ) from error
    return load_text(text, file=file)


def load_text(text: str, file: str = "<text>") -> Contract:
    """Read a contract from a text.

    Args:
        text: The text, in TOML.
        file: How messages name it.

    Raises:
        ContractError: It isn't a contract.

    .. versionadded:: 0.1.0
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        # TOMLDecodeError is a ValueError; so is what int() says of too many digits.
        raise ContractError(
            f"this is no TOML: {error}", file=file, remedy="See https://toml.io for the syntax."
        ) from error
    return parse(tables, file)


def _folder() -> Traversable:
    # The folder is no package: importlib.resources finds it by its package, also inside a zip file.
    return files("discreet") / "contracts"


@cache
def shipped() -> tuple[str, ...]:
    """Return the names of the contracts that come with this package.

    .. versionadded:: 0.1.0
    """
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _folder().iterdir() if entry.name.endswith(".toml"))
    )


@cache
def load_shipped(name: str) -> Contract:
    """Read a contract that comes with this package.

    Args:
        name: One of `shipped()`.

    Raises:
        ContractError: There is none of this name.

    .. versionadded:: 0.1.0
    """
    if name not in shipped():
        raise ContractError(
            "no contract of this name comes with discreet",
            file=name,
            remedy=f"Take one of {', '.join(shipped())}, or give a path that ends in .toml.",
        )
    file = f"{name}.toml"
    return _load_bytes((_folder() / file).read_bytes(), f"discreet/contracts/{file}")


def find(what: str | PathLike[str]) -> Contract:
    """Return the contract that an operator means.

    Args:
        what: The name of a shipped contract, or the path of a file.

    Raises:
        ContractError: It is neither, or the file is wrong.

    .. versionadded:: 0.1.0
    """
    if not isinstance(what, (str, PathLike)):
        raise ContractError(
            f"a contract is given by name or path, not as {type(what).__name__}",
            remedy="Give a text.",
        )
    named = isinstance(what, str) and NAME.pattern.fullmatch(what)
    if named and (what in shipped() or not Path(what).exists()):
        return load_shipped(str(what))
    return load(what)


@cache
def base_contracts() -> tuple[tuple[Contract, ...], tuple[ContractError, ...]]:
    """Return what is active without anybody's asking, and what could not be made so.

    That is the shipped contracts and those of installed packages. Nothing of another package
    is imported.

    .. versionadded:: 0.1.0
    """
    found = [load_shipped(name) for name in shipped()]
    problems: list[ContractError] = []
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda one: one.name):
        try:
            contract = _of_entry_point(point)
            if contract not in found:
                Registry((*found, contract))
                found.append(contract)
        except ContractError as error:
            problems.append(error)
    return tuple(found), tuple(problems)


def _of_entry_point(point: EntryPoint) -> Contract:
    shown = f"{ENTRY_POINT_GROUP}: {point.name} = {point.value}"
    package, _, name = point.value.partition(":")
    if not re.fullmatch(r"\w+(?:\.\w+)*", package) or not re.fullmatch(r"[\w-]+\.toml", name):
        raise ContractError(
            "the entry point names no file",
            file=shown,
            remedy="Write it as package:file.toml.",
        )
    return load(_locate(point, package, name) or _not_there(shown))


def _locate(point: EntryPoint, package: str, name: str) -> Path | None:
    places: list[Path] = []
    if point.dist is not None:
        places.append(Path(str(point.dist.locate_file("/".join([*package.split("."), name])))))
    top, *rest = package.split(".")
    # An editable install has its files elsewhere. Only the top package's place is asked for:
    # finding a deeper one would import its parents.
    try:
        spec = None if top in sys.builtin_module_names else find_spec(top)
    except (ImportError, ValueError):
        # ValueError: the package is loaded and has no spec.
        spec = None
    if spec is not None:
        roots = spec.submodule_search_locations or ()
        places.extend(Path(root, *rest, name) for root in roots)
    return next((place for place in places if place.is_file()), None)


def _not_there(shown: str) -> str:
    raise ContractError(
        "the file of the entry point isn't there",
        file=shown,
        remedy="Install the package again. Its authors have to see that the wheel holds the file.",
    )


def application_types(attributes: Mapping[str, str | Mapping[str, Any]]) -> dict[str, ValueType]:
    """Return the types of attributes that an operator declares for all loggers.

    Args:
        attributes: Attribute name to its type, as in a contract file.

    Raises:
        ConfigurationError: A name or type is wrong.

    .. versionadded:: 0.1.0
    """
    types: dict[str, ValueType] = {}
    for name, spec in attributes.items():
        if type(name) is not str or not ATTRIBUTE.pattern.fullmatch(name):
            raise ConfigurationError(
                "an attribute's name is wrong",
                place="attributes",
                remedy=ATTRIBUTE.remedy,
            )
        if name in RESERVED_ATTRIBUTES:
            raise ConfigurationError(
                "every record has this name itself",
                place=f"attributes[{name}]",
                remedy="Take another name.",
            )
        try:
            types[name] = value_type(spec)
        except ValueError as error:
            raise ConfigurationError(
                str(error), place=f"attributes[{name}]", remedy="Give a type's name or a table."
            ) from error
    return types
