"""ContentGuard: the guard as a part of a logging configuration."""

from __future__ import annotations

import logging
import sys
import weakref
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from discreet.choke import install
from discreet.contract import activate
from discreet.contract.shown import listed
from discreet.errors import ConfigurationError
from discreet.match_mode import checked
from discreet.seal.foreign import failed, fields_of, for_events, is_local, record_with
from discreet.seal.record import SealedRecord
from discreet.seal.sealing import sealed_in_place
from discreet.seal.values import shown_after

__all__ = ["ContentGuard"]


class ContentGuard(logging.Filter):
    """Guard the process's handlers, or one of them, from within ``logging.config.dictConfig``.

    Args:
        name: as for :class:`logging.Filter`; ignored, because a guard has no exceptions.
        scope: ``"process"`` installs the guard for every handler of the process, also for those without this filter.
            ``"handler"`` guards only the handlers that have this filter: by a sealed copy from Python 3.12, before
            that in place, so that handlers after it see the sealed record too. It moves behind the handler's other
            filters with the first record, so that none of them writes onto the record after it.
        strict: with ``"process"``: seal after the logger's own filters already, see :func:`discreet.install`.
        streams: with ``"process"``: turn lines that are written to ``sys.stdout`` and ``sys.stderr`` past logging into
            sealed records, see :func:`discreet.install`.
        contracts: contract files, or names of shipped ones, to make active for the process.
        attributes: application-wide attributes and their types.
        routes: route templates of the application, such as ``/items/{item_id}``.
        hosts: hosts that the program talks to, which the types `host` and `origin` show.
        match: with ``"process"``: loggers that, with all below them, let strings through unless the matcher finds a
            text of the running call in them, in place of those of an earlier guard. It is no guard.

    Raises:
        ConfigurationError: an option has a wrong value.

    .. versionadded:: 0.1.0
    """

    def __init__(
        self,
        name: str = "",
        *,
        scope: str = "process",
        strict: bool = False,
        streams: bool = False,
        contracts: Iterable[str | PathLike[str]] = (),
        attributes: Mapping[str, Any] | None = None,
        routes: Iterable[str] = (),
        hosts: Iterable[str] = (),
        match: Iterable[str] = (),
    ) -> None:
        super().__init__()
        if scope not in ("process", "handler"):
            raise ConfigurationError("must be process or handler", place="scope", remedy="Leave it out for process.")
        for place, switch in (("strict", strict), ("streams", streams)):
            if type(switch) is not bool:
                raise ConfigurationError("must be true or false", place=place, remedy="Leave it out for false.")
            if switch and scope == "handler":
                raise ConfigurationError(
                    f"{place} guards the whole process", place=place, remedy="Use it with scope process."
                )
        matching = checked(listed(match, "match"))
        if matching and scope == "handler":
            raise ConfigurationError(
                "match mode holds for the whole process", place="match", remedy="Use it with scope process."
            )
        self.scope = scope
        self._handlers: list[weakref.ref[logging.Handler]] = []
        activate(contracts, attributes, routes, hosts)
        if scope == "process":
            install(strict=strict, streams=streams, match=matching)

    def filter(self, record: logging.LogRecord) -> Any:
        """Let the record pass, sealed if this guard's scope is the handler."""
        if self.scope == "process":
            return True
        try:
            handlers = self._find_handlers()
            for handler in handlers:
                self._move_last(handler)
            fields = frozenset().union(*(fields_of(handler) for handler in handlers))
            local = bool(handlers) and all(is_local(handler) for handler in handlers)
            sealed = record_with(record, fields, local=local, events=any(map(for_events, handlers)))
            if type(sealed) is SealedRecord:
                # Before 3.12 a filter after this one may have written onto what was sealed in place.
                given, d = record.__dict__, sealed.__dict__
                for name in fields:
                    if name in given and name not in d:
                        d[name] = shown_after(given[name])
            if sys.version_info < (3, 12):
                self._in_place(record, sealed)
        except Exception as error:
            # A filter that raises would make the application's log call fail; one that returns True would leak.
            sealed = failed(record, "ContentGuard", error)
            if sys.version_info < (3, 12):
                try:
                    self._in_place(record, sealed)
                except Exception:
                    # What failed is needed here too. Our own sinks seal once more what shows nothing already.
                    record.__dict__.clear()
                    record.__dict__.update(sealed.__dict__)
        return sealed if sys.version_info >= (3, 12) else True

    def _in_place(self, record: logging.LogRecord, sealed: logging.LogRecord) -> None:
        """Make a record what a sealed copy is.

        Before 3.12 logging ignores a record that a filter returns. The handlers after this one see the sealed record
        too, and our own sinks what was sealed.
        """
        if type(sealed) is SealedRecord:
            record.__dict__.clear()
            record.__dict__.update(sealed.__dict__)
            sealed_in_place(record, sealed.sealed)

    def _move_last(self, handler: logging.Handler) -> None:
        """Come after the handler's other filters, so that nothing is written onto the record after it."""
        filters = handler.filters
        if not isinstance(filters[-1] if filters else None, ContentGuard):
            # Logging is walking along this very list, and will come here once more.
            filters.append(self)
        elif filters[-1] is self and sum(one is self for one in filters) > 1:
            # A new list, because other threads may be walking along the old one.
            handler.filters = [one for one in filters if one is not self] + [self]

    def _find_handlers(self) -> list[logging.Handler]:
        # A handler's format string says which extra names it needs; a filter isn't told whose it is.
        known = [handler for reference in self._handlers if (handler := reference()) is not None]
        if not known or len(known) < len(self._handlers):
            found = [reference() for reference in list(logging._handlerList)]  # type: ignore[attr-defined]  # noqa: SLF001 -- no other list
            known = [one for one in found if one is not None and any(part is self for part in one.filters)]
            self._handlers = [weakref.ref(one) for one in known]
        return known
