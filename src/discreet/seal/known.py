"""What is the same for every record of one call site: worked out once, kept on the site."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from discreet.contract import Registry
from discreet.contract.model import RESERVED_ATTRIBUTES, LoggerPolicy
from discreet.export.counts import SiteCounts
from discreet.export.ledger import LEDGER
from discreet.match_mode import in_match_mode
from discreet.seal.callsite import Site
from discreet.seal.matched import match_message, match_simple
from discreet.seal.message import Message, is_simple, seal_message
from discreet.seal.names import STANDARD_LEVELS, level_name, level_number, logger_name
from discreet.seal.sealed import Place
from discreet.seal.types import WITHHELD, Scalar, ValueType

__all__ = ["STANDARD_COUNT", "Known", "known"]

STANDARD_COUNT: Final = len(vars(logging.makeLogRecord({})))
"""How many attributes a record has before those of ``extra``."""

_NO_POLICY: Final = LoggerPolicy()


class Known:
    """What is the same for every record of one call site, logger and level.

    Attributes:
        registry, name, levelno: the contracts, logger and level for which it holds.
        row: the contract's row for the template.
        declared: the attributes that a contract types.
        content: whether such a record is one of a content logger, as far as contract and level say.
        message: what makes a message that is neither simple nor untyped, and every one in match mode.
        simple: whether the values of the ``%``-template can be shown one by one, without a look at their directives.
        matching: the ledger's counts if they can and the logger is in match mode, else None.
        untyped: whether no value of the message is typed by the row.
        fields: how the fields of a line begin.
        shown_levelno: the level's number as it may go out.
        place: what the call site says of path, module and function.
        standard: whether the level is one of logging's own, which have one name.
        learnt: whether a record with ``extra`` has been seen.
        usual: what that was made of, if all of it was declared.
    """

    __slots__ = (
        "content",
        "counts",
        "declared",
        "fields",
        "learnt",
        "levelno",
        "matching",
        "message",
        "name",
        "place",
        "registry",
        "row",
        "shown_levelno",
        "simple",
        "standard",
        "untyped",
        "usual",
    )

    def __init__(self, site: Site, name: object, levelno: int, registry: Registry) -> None:
        self.registry = registry
        self.name = name
        self.levelno = levelno
        policy = registry.policy(name) if type(name) is str else _NO_POLICY
        # A copy, because to look into a mapping proxy takes twice the time.
        self.declared: Mapping[str, ValueType] = dict(policy.attributes)
        self.content = policy.content and levelno == logging.DEBUG
        self.row = registry.record(name, site.module, site.key, levelno) if site.key is not None else None
        matching = in_match_mode(name)
        simple = site.literal is not None and is_simple(site.literal, self.row)
        self.simple = simple and not matching
        self.untyped = not matching and (self.row is None or all(arg.type is None for arg in self.row.args))
        self.standard = levelno in STANDARD_LEVELS
        self.shown_levelno = level_number(levelno)
        self.counts: SiteCounts | None = None
        self.learnt = False
        self.usual: Usual | None = None
        self.place = Place(site.code) if site.code is not None else None
        self.fields: dict[str, Any] = {
            "timestamp": None,
            "level": level_name(levelno, None),
            "logger": logger_name(name, site.code, site.module),
            "message": site.literal,
        }
        self.message: Callable[..., Message] = seal_message
        if matching:
            self.message = partial(match_simple if simple else match_message, counts=self.count(site))
        self.matching = self.counts if simple else None

    def count(self, site: Site) -> SiteCounts:
        """Return the ledger's counts for this call site."""
        if self.counts is None:
            place = f"{site.module}.{site.function}:{site.line}" if site.module is not None else "?"
            self.counts = LEDGER.counts_of(place, self.fields["logger"], site.place)
        return self.counts

    def learn(self, d: Mapping[str, Any], attributes: Mapping[str, Scalar], codes: Mapping[str, Any]) -> None:
        """Remember what ``extra`` looks like here, after the first record that has one.

        Only where all of it is declared, and by names that no field of a line has: what is remembered is a contract's.

        Args:
            d: the record's attributes.
            attributes: the declared ones as they go out.
            codes: the codes that the record carries.
        """
        self.learnt = True
        names = list(d)[STANDARD_COUNT:]
        declared = [name for name in names if name in attributes and name not in RESERVED_ATTRIBUTES]
        event = codes.get("event")
        if len(codes) + len(declared) < len(names) or len(codes) > (event is not None):
            return
        if event is None or self.registry.is_event(event):
            self.usual = Usual(self, declared, event)


class Usual:
    """What ``extra`` is made of at a call site, where all of it is declared.

    Attributes:
        fields: how the fields of a line begin, with places for the attributes.
        length: how many attributes a record has.
        event: the event; None if there is none.
        steps: for each attribute its name, class and bounds of a value that stands as it is, and its type's `safe`.
    """

    __slots__ = ("event", "fields", "length", "steps")

    def __init__(self, known: Known, names: list[str], event: str | None) -> None:
        self.event = event
        self.length = STANDARD_COUNT + len(names) + (event is not None)
        # A key that is there already is set in half the time, and the dict needn't grow.
        codes = {} if event is None else {"event": event}
        self.fields: dict[str, Any] = {**known.fields, **codes, **dict.fromkeys(names)}
        self.steps = tuple(
            (name, *(kind.range or (None, 0, 0)), kind.safe) for name, kind in ((n, known.declared[n]) for n in names)
        )

    def sealed(self, d: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Scalar]] | None:
        """Return the fields of an ordinary record's line and its attributes; None if it isn't the usual ``extra``.

        The event is compared by identity, so that nothing of an object that isn't the usual one is called.

        Args:
            d: the record's attributes.
        """
        fields = self.fields.copy()
        attributes: dict[str, Scalar] = {}
        try:
            if self.event is not None and d["event"] is not self.event:
                return None
            for name, kind, low, high, safe in self.steps:
                value = d[name]
                if type(value) is not kind or not low <= value <= high:
                    value = safe(value)
                    if value is WITHHELD:
                        return None
                fields[name] = attributes[name] = value
        except KeyError:
            # As many attributes, but others.
            return None
        return fields, attributes


def known(site: Site, name: object, levelno: int, registry: Registry) -> Known:
    """Work out what is known of a call site, and keep it there if that holds nothing of a customer's.

    Args:
        site: the call site.
        name: the record's logger.
        levelno: the record's level.
        registry: the active contracts.
    """
    found = Known(site, name, levelno, registry)
    # Kept only for names that logging keeps anyway: any other may be a customer's text.
    if site.code is not None and type(name) is str and name in logging.root.manager.loggerDict:
        site.sealing = found
    return found
