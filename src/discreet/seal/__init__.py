"""Sealing: the one safe rendering of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.seal.record import Sealed, SealedRecord
    from discreet.seal.sealing import seal

__all__ = ["Sealed", "SealedRecord", "seal"]


def __getattr__(name: str) -> Any:
    # The parts of this package need each other and the contracts, which need the value types in it.
    if name == "seal":
        from discreet.seal.sealing import seal

        return seal
    if name in ("Sealed", "SealedRecord"):
        from discreet.seal import record

        return getattr(record, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
