"""Which releases are installed, and whether the active contracts cover them."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion

from discreet.contract.current import active

__all__ = ["Coverage", "coverage", "installed_version", "release_in"]


@dataclass(frozen=True, slots=True)
class Coverage:
    """Whether a contract was written for the installed release of a distribution.

    `installed` is None when the distribution isn't installed; then nothing is uncovered.

    .. versionadded:: 0.1.0
    """

    contract: str
    distribution: str
    installed: str | None
    specifier: str
    covered: bool


def installed_version(distribution: str) -> str | None:
    """Return the installed release of a distribution; None when it isn't installed.

    Args:
        distribution: Its name on the package index.

    .. versionadded:: 0.1.0
    """
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def release_in(distribution: str, specifier: str) -> bool:
    """Tell whether the installed release of a distribution is in a specifier.

    False when it isn't installed or its version isn't one.

    Args:
        distribution: Its name on the package index.
        specifier: A PEP 440 specifier; pre-releases count.

    .. versionadded:: 0.1.0
    """
    return _contains(specifier, installed_version(distribution))


def _contains(specifier: str, release: str | None) -> bool:
    try:
        return release is not None and SpecifierSet(specifier).contains(release, prereleases=True)
    except InvalidVersion:
        return False


def coverage() -> tuple[Coverage, ...]:
    """Compare each active contract with what is installed.

    .. versionadded:: 0.1.0
    """
    return tuple(
        Coverage(
            contract=one.name,
            distribution=distribution,
            installed=found,
            specifier=specifier,
            covered=found is None or _contains(specifier, found),
        )
        for one in active().contracts
        for distribution, specifier in one.covers.items()
        for found in (installed_version(distribution),)
    )
