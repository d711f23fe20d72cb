"""Prints constraints that hold each direct dependency at the oldest release we allow.

A program of its own for the Makefile, so it needs nothing but the standard library.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

LOWER_BOUND = re.compile(r"(?P<name>[A-Za-z0-9._-]+)[^>=]*[>=]=(?P<version>[^,;]+)")


def lowest(requirements: list[str]) -> list[str]:
    """Each requirement with its lower bound as the only version.

    Raises:
        ValueError: A requirement has no lower bound, so nobody knows what it was tested with.
    """
    constraints = []
    for requirement in requirements:
        bound = LOWER_BOUND.match(requirement)
        if bound is None:
            message = f"{requirement}: no lower bound. Say the oldest release that works."
            raise ValueError(message)
        constraints.append(f"{bound['name']}=={bound['version']}")
    return constraints


if __name__ == "__main__":
    file = Path(__file__).parent.parent / "pyproject.toml"
    project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    print(*lowest([*project["dependencies"], *(item for extra in extras for item in extra)]), sep="\n")
