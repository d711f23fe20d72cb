"""What tells discreet of the requests and calls of other software, without a change in its code."""

from __future__ import annotations

__all__: list[str] = []
