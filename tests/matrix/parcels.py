"""A library that no contract knows, with a logger of its own."""

from __future__ import annotations

import logging

log = logging.getLogger("parcelpost.tracker")


def track(parcel: str) -> None:
    """Follow a parcel, and say so."""
    log.warning("No trace of parcel %s", parcel, extra={"parcel": parcel})
    log.error(f"Giving up {parcel}")
