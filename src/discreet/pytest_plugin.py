"""A pytest option: ``--discreet`` guards pytest's own capturing handlers too."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--discreet``."""
    parser.getgroup("logging").addoption(
        "--discreet",
        action="store_true",
        default=False,
        help="install discreet's guard for every handler, pytest's capturing ones included",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Install the guard when it was asked for."""
    if config.getoption("--discreet"):
        from discreet.choke import install

        install(guard_pytest=True)
