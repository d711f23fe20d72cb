"""Without the libraries of the dependency group `integration` there is no service to be put under load."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("httpx") and find_spec("verbatim_core") else ["test_steady_load.py"]
