"""What needs libraries of the dependency group `integration` isn't looked at where they are missing."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("httpx") and find_spec("websockets") else ["test_middleware_*.py"]
