"""Each sealed record beside the shape of what a plain formatter would have written in its place.

The shape is masked: the literal parts stay, what was filled into them is blocks of equal length.
The original is seen by a filter, since an operator's filters keep seeing originals; the handler
behind it gets the sealed copy.
"""

from __future__ import annotations

import logging
import re
import threading
from dataclasses import dataclass
from typing import Any

from discreet.seal import Sealed, SealedRecord, seal

_WORD_CHARACTER = re.compile(r"\w")
_PLAIN = logging.Formatter("%(message)s")


def mask(text: str) -> str:
    """Put a block in place of each letter and digit; the rest shows where the words were."""
    return _WORD_CHARACTER.sub("░", text)


def masked_line(record: logging.LogRecord, *, own: bool) -> str:
    """Format a record as a plain formatter would, with everything filled in masked.

    Args:
        record: The original; it isn't changed.
        own: Whether the message is the demo's own literal, which may stay when nothing is
            filled into it. A finished message of anyone else is masked whole.
    """
    fields = dict(vars(record))
    if record.args:
        fields["args"] = _masked_args(record.args)
    elif not own:
        fields["msg"] = mask(str(record.msg))
    if record.exc_info and record.exc_info[1] is not None:
        error = record.exc_info[1]
        name = f"{type(error).__module__}.{type(error).__qualname__}"
        fields["exc_text"] = f"Traceback (most recent call last): …\n{name}: {mask(str(error))}"
    return _PLAIN.format(logging.makeLogRecord(fields))


def _masked_args(args: Any) -> Any:
    if isinstance(args, dict):
        return {key: _masked_arg(value) for key, value in args.items()}
    return tuple(map(_masked_arg, args))


def _masked_arg(value: object) -> object:
    return value if isinstance(value, int | float) else mask(str(value))


@dataclass(frozen=True, slots=True)
class Pair:
    """One record in both forms, and the step of the demo that was running."""

    step: str
    as_logged: str
    sealed: Sealed


class BesideHandler(logging.Handler):
    """Collects pairs, each under the step of the demo that was begun last."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.pairs: list[Pair] = []
        self._step = "start"
        self._seen = threading.local()
        self.addFilter(self._look_at_original)

    def begin(self, step: str) -> None:
        """Put the records from now on under `step`."""
        self._step = step

    def _look_at_original(self, record: logging.LogRecord) -> bool:
        self._seen.masked = masked_line(record, own=record.name.split(".")[0] == "demo")
        return True

    def emit(self, record: logging.LogRecord) -> None:
        sealed = record.sealed if isinstance(record, SealedRecord) else seal(record)
        self.pairs.append(Pair(self._step, self._seen.masked, sealed))
