"""Who writes lines with a string in them: unguarded, guarded in match mode, redacted by patterns."""

from __future__ import annotations

import logging
import os
import random
import threading
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path

from matcher_corpus import KINDS, log_line, registered

LENGTHS = (20, 100, 300, 1000)
THREADS = 8
REGISTERED = 100_000
_TEMPLATE = "step %s"
_VALUES = 4000

Run = Callable[[int], None]


def _values(length: int, seed: int = 7) -> Iterator[str]:
    """Return lines without end, so many different ones that none is remembered from the last time."""
    chance = random.Random(seed)
    size = length - len(_TEMPLATE) + 2
    return cycle([f"{number:04} {log_line(size, chance)}"[:size] for number in range(_VALUES)])


def _same(function: Callable[[int], None]) -> Callable[[int], None]:
    return function


def _runs(log: logging.Logger, carry: Callable[[Run], Run] = _same) -> dict[str, Run]:
    """Return a function for each length, which makes so many calls, and one for eight threads."""

    def of(length: int) -> Run:
        values = _values(length)

        def run(count: int) -> None:
            for value in islice(values, count):
                log.info(_TEMPLATE, value)

        return run

    of_thread = [_values(100, seed=number) for number in range(THREADS)]

    def threads(count: int) -> None:
        def work(number: int) -> None:
            for value in islice(of_thread[number], count // THREADS):
                log.info(_TEMPLATE, value)

        workers = [threading.Thread(target=carry(work), args=(number,)) for number in range(THREADS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    return {**{f"{length} characters": of(length) for length in LENGTHS}, f"{THREADS} threads": threads}


def _logger(handler: logging.Handler, name: str = "benchmark.service") -> logging.Logger:
    log = logging.getLogger(name)
    log.setLevel(logging.INFO)
    log.propagate = False
    log.handlers[:] = [handler]
    return log


def _stream(formatter: logging.Formatter) -> logging.StreamHandler:
    handler = _null_text()
    handler.setFormatter(formatter)
    return handler


def _null_text() -> logging.StreamHandler:
    return logging.StreamHandler(Path(os.devnull).open("w", encoding="utf-8"))


def json_logger() -> dict[str, Run]:
    from pythonjsonlogger.orjson import OrjsonFormatter

    return _runs(_logger(_stream(OrjsonFormatter(["levelname", "name", "message"], timestamp=True))))


def _guarded(handler: Callable[[], logging.Handler], kinds: tuple[str, ...], *, match: bool) -> dict[str, Run]:
    import discreet
    from discreet.scope import carry

    discreet.install(match=["benchmark"] if match else ())
    texts = registered(REGISTERED, kinds)
    # To the end of the process: what is measured are log calls within the scope.
    discreet.customer_text(question=texts[0], chunks=texts[1:]).__enter__()
    return _runs(_logger(handler()), carry)


def _handler() -> logging.Handler:
    import discreet

    return discreet.JsonHandler(filename=os.devnull)


def _formatter() -> logging.Handler:
    import discreet

    return _stream(discreet.JsonFormatter())


def match_handler() -> dict[str, Run]:
    return _guarded(_handler, ("english",), match=True)


def match_handler_mixed() -> dict[str, Run]:
    return _guarded(_handler, KINDS, match=True)


def match_formatter() -> dict[str, Run]:
    return _guarded(_formatter, ("english",), match=True)


def deny_handler() -> dict[str, Run]:
    return _guarded(_handler, ("english",), match=False)


def hushlog() -> dict[str, Run]:
    import hushlog as redactor

    formatter = redactor.RedactingJsonFormatter.from_config(fmt="%(levelname)s %(name)s %(message)s")
    return _runs(_logger(_stream(formatter)))


def logprivacy() -> dict[str, Run]:
    from logprivacy import get_safe_logger
    from pythonjsonlogger.orjson import OrjsonFormatter

    log = _logger(_stream(OrjsonFormatter(["levelname", "name", "message"], timestamp=True)))
    return _runs(get_safe_logger(log.name))


CANDIDATES: dict[str, Callable[[], dict[str, Run]]] = {
    "python-json-logger orjson": json_logger,
    "discreet, match mode": match_handler,
    "discreet, match mode, four languages": match_handler_mixed,
    "discreet, match mode, JsonFormatter": match_formatter,
    "discreet, deny mode": deny_handler,
    "hushlog": hushlog,
    "logprivacy": logprivacy,
}
