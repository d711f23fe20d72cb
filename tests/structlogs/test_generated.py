"""Generated texts in every place of a structlog call: none of them comes out, by any renderer or handler."""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Callable
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet
import discreet.structlog
from tests.structlogs.events import fresh

NAME = "tests.structlogs.generated"
Formatter = structlog.stdlib.ProcessorFormatter

# Letters that no name of ours has, so that finding one means finding a text.
texts = st.text(alphabet="ŵŷżđßþ漢字กข가나%{}\n\u202e\U0001f99c", min_size=2, max_size=40).filter(
    lambda text: any(character.isalpha() for character in text)
)


class Talker:
    """An object, and an exception's cause, that tell a text to whoever asks."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def __structlog__(self) -> str:
        return self.text


def raised(text: str) -> Exception:
    try:
        try:
            raise LookupError(text)
        except LookupError as error:
            raise ValueError({"prompt": text}) from error
    except ValueError as error:
        error.add_note(text)
        return ExceptionGroup(text, [error, KeyError(text)])


Log = Any
PLACES: dict[str, Callable[[Log, str], None]] = {
    "event": lambda log, text: log.info(text),
    "event object": lambda log, text: log.info(Talker(text)),
    "event bytes": lambda log, text: log.info(text.encode()),
    "f-string": lambda log, text: log.info(f"Asked {text} twice, {text}"),
    "argument": lambda log, text: log.warning("Asked %s and %r", text, text),
    "argument of no slot": lambda log, text: log.warning("Asked %s", text, note=text),
    "mapping": lambda log, text: log.info("Asked %(text)s", {"text": text}),
    "composed": lambda log, text: log.info("Asked " + text),
    "pair": lambda log, text: log.info("Asked", note=text),
    "declared pair": lambda log, text: log.info("Asked", shard=text, tenant=text, kind=text),
    "key": lambda log, text: log.info("Asked", **{text: text}),
    "nested": lambda log, text: log.info("Asked", notes=[{text: [text]}, {text}], tuple=(text,)),
    "object": lambda log, text: log.info("Asked", shard=Talker(text), other=Talker(text)),
    "bound": lambda log, text: log.bind(note=text, **{text: 1}).info("Asked"),
    "codes": lambda log, text: log.info("Asked", event_name=text, warning_code=text, error_code=text),
    "own keys": lambda log, text: log.info(
        "Asked", level=text, logger=text, timestamp=text, exception=text, stack=text, message=text, _record=text
    ),
    "name of the logger": lambda log, text: log.bind(logger=f"pets.{text}", logger_name=text).info("Asked"),
    "arguments by name": lambda log, text: log.info("Asked %s", positional_args=(text,)),
    "exception": lambda log, text: log.error("Failed", exc_info=raised(text)),
    "exception as pair": lambda log, text: log.error("Failed", error=raised(text)),
    "no exception": lambda log, text: log.error("Failed", exc_info=text),
    "stack": lambda log, text: log.info("Asked", stack_info=text or True),
    "awaited": lambda log, text: asyncio.run(awaiting(log, text)),
}


async def awaiting(log: Log, text: str) -> None:
    await log.ainfo(f"Asked {text}", note=text)
    await log.awarning("Asked %s", text)
    coroutine = log.ainfo(text)
    await coroutine


def printed(place: str, text: str, chain: list[Any], wrapper: Any) -> str:
    stream = io.StringIO()
    structlog.configure(processors=chain, wrapper_class=wrapper, logger_factory=structlog.PrintLoggerFactory(stream))
    structlog.contextvars.bind_contextvars(context_note=text)
    PLACES[place](structlog.get_logger(), text)
    return stream.getvalue()


def logged(place: str, text: str, chain: list[Any]) -> str:
    renderer = structlog.processors.JSONRenderer(ensure_ascii=False, default=str)
    formatters = [
        logging.Formatter("%(levelname)s %(name)s %(message)s"),
        Formatter(
            processors=[Formatter.remove_processors_meta, renderer], foreign_pre_chain=[structlog.stdlib.ExtraAdder()]
        ),
        Formatter(processors=[*discreet.structlog.processors(), renderer]),
        Formatter(processors=[Formatter.remove_processors_meta, structlog.dev.ConsoleRenderer(colors=False)]),
    ]
    stream = io.StringIO()
    logger = logging.getLogger(NAME)
    logger.propagate = False
    logger.setLevel(logging.DEBUG)
    logger.handlers[:] = [discreet.JsonHandler(stream=stream)]
    for formatter in formatters:
        handler = logging.StreamHandler(stream)
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    structlog.configure(
        processors=chain, wrapper_class=structlog.stdlib.BoundLogger, logger_factory=structlog.stdlib.LoggerFactory()
    )
    PLACES[place](structlog.get_logger(NAME), text)
    return stream.getvalue()


def assert_absent(text: str, output: str) -> None:
    assert output
    assert not [character for character in text if character.isalpha() and character in output]


@pytest.mark.parametrize("place", PLACES)
@given(text=texts)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_comes_out_of_structlogs_own_loggers(place: str, text: str) -> None:
    """By JSON and the console, whoever came before in the chain."""
    with fresh():
        ours = discreet.structlog.processors(attributes={"shard": "int", "tenant": "id", "kind": "code"})
        before = [structlog.processors.add_log_level, structlog.processors.StackInfoRenderer()]
        for renderer in (
            structlog.processors.JSONRenderer(ensure_ascii=False),
            structlog.dev.ConsoleRenderer(colors=False, event_key="message"),
            structlog.dev.ConsoleRenderer(colors=False),
            discreet.structlog.JsonRenderer(),
        ):
            for wrapper in (structlog.make_filtering_bound_logger(0), structlog.stdlib.BoundLogger):
                assert_absent(text, printed(place, text, [*before, *ours, renderer], wrapper))
                as_text = structlog.processors.format_exc_info
                assert_absent(text, printed(place, text, [as_text, *ours, renderer], wrapper))


@pytest.mark.parametrize("place", PLACES)
@given(text=texts)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_comes_out_by_way_of_logging(place: str, text: str) -> None:
    """With the guard installed: sealed in structlog's chain or not, by each way of handing on."""
    with fresh():
        discreet.install()
        ours = discreet.structlog.processors()
        for chain in ([], ours):
            for last in (
                Formatter.wrap_for_formatter,
                structlog.processors.JSONRenderer(default=str, ensure_ascii=False),
            ):
                assert_absent(text, logged(place, text, [*chain, last]))
        for last in (structlog.stdlib.render_to_log_kwargs, structlog.stdlib.render_to_log_args_and_kwargs):
            assert_absent(text, logged(place, text, [*ours, last]))


@pytest.mark.parametrize("place", PLACES)
def test_the_same_calls_without_our_processors_do_let_it_out(place: str) -> None:
    """The control: a place from which nothing ever comes proves nothing above."""
    chain = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.format_exc_info,
        structlog.processors.KeyValueRenderer(),
    ]

    assert "żółwik" in printed(place, "żółwik", chain, structlog.make_filtering_bound_logger(0))
