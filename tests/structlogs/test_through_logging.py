"""structlog on top of logging: our handlers, ProcessorFormatter in others' handlers, with and without the guard."""

from __future__ import annotations

import io
import json
import logging
import logging.handlers
import pickle
import queue
from typing import Any

import pytest
import structlog

import discreet
import discreet.structlog
from discreet.seal.record import SealedRecord
from tests.structlogs.events import QUESTION, place

NAME = "tests.structlogs.pets"
Formatter = structlog.stdlib.ProcessorFormatter
WRAP = Formatter.wrap_for_formatter


class Sinks:
    """A logger of the standard library with handlers on it, and what they wrote."""

    def __init__(self) -> None:
        self.logger = logging.getLogger(NAME)
        self.logger.setLevel(logging.DEBUG)
        self.logger.propagate = False
        self.streams: dict[str, io.StringIO] = {}

    def add(self, name: str, formatter: logging.Formatter | None = None) -> None:
        self.streams[name] = io.StringIO()
        handler: logging.Handler
        if name == "json":
            handler = discreet.JsonHandler(stream=self.streams[name], attributes={"shard": "int"})
        else:
            handler = logging.StreamHandler(self.streams[name])
            handler.setFormatter(formatter)
        self.logger.addHandler(handler)

    def take(self, name: str) -> list[Any]:
        found = [_without_time(line) for line in self.streams[name].getvalue().splitlines()]
        self.streams[name].seek(0)
        self.streams[name].truncate()
        return found


def _without_time(line: str) -> Any:
    if not line.startswith("{"):
        return line
    values = json.loads(line)
    values.pop("timestamp", None)
    return values


@pytest.fixture
def sinks() -> Sinks:
    """Our own handler, a plain one, and one of structlog's formatters with and without our processors."""
    found = Sinks()
    found.add("json")
    found.add("plain")
    found.add("theirs", Formatter(processors=[Formatter.remove_processors_meta, structlog.processors.JSONRenderer()]))
    found.add("ours", Formatter(processors=[*discreet.structlog.processors(), structlog.processors.JSONRenderer()]))
    return found


def configure(*chain: Any) -> Any:
    structlog.configure(
        processors=[structlog.stdlib.add_log_level, structlog.processors.TimeStamper(fmt="iso"), *chain],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    return structlog.get_logger(NAME)


def fields(message: str, level: str = "INFO", **more: Any) -> dict[str, Any]:
    return {"level": level, "logger": NAME, "message": message, **more}


ASKED = fields("Asked <str 16-63> in 12 ms", shard=3, withheld=2)


@pytest.mark.parametrize("sealed_before", [False, True], ids=["as it is", "our processors before"])
def test_an_event_dict_is_sealed_on_its_way_through_logging(sinks: Sinks, *, sealed_before: bool) -> None:
    """The guard makes of it what each formatter can read; the chain may end in our processors or not."""
    discreet.install()
    log = configure(*(discreet.structlog.processors() if sealed_before else ()), WRAP)

    log.info("Asked %s in %d ms", QUESTION, 12, shard=3, note=QUESTION)

    as_structlogs = {"event": "Asked <str 16-63> in 12 ms", "level": "info", "shard": 3, "withheld": 2}
    assert sinks.take("json") == [ASKED]
    assert sinks.take("plain") == ["Asked <str 16-63> in 12 ms"]
    assert sinks.take("theirs") == [ASKED if sealed_before else as_structlogs]
    assert sinks.take("ours") == [ASKED]


@pytest.mark.parametrize(
    "last", [structlog.stdlib.render_to_log_kwargs, structlog.stdlib.render_to_log_args_and_kwargs]
)
def test_sealed_events_go_through_the_processors_that_hand_on_to_logging(sinks: Sinks, last: Any) -> None:
    """They take the text out as `event`, and pass the rest as `extra`."""
    discreet.install()
    log = configure(*discreet.structlog.processors(), last)

    log.info("Asked %s in %d ms", QUESTION, 12, shard=3, note=QUESTION)
    log.info("model_loaded")

    loaded = fields("model_loaded", event="model_loaded")
    assert sinks.take("json") == sinks.take("ours") == sinks.take("theirs") == [ASKED, loaded]
    assert sinks.take("plain") == ["Asked <str 16-63> in 12 ms", "model_loaded"]


def test_our_renderers_lines_stay_whole_and_are_known_again(sinks: Sinks) -> None:
    """A plain handler prints the line; our own makes its own of it. Another renderer's text is withheld."""
    discreet.install()
    configure(*discreet.structlog.processors(), discreet.structlog.JsonRenderer()).info("Asked", shard=3, note=QUESTION)
    configure(*discreet.structlog.processors(), structlog.processors.JSONRenderer()).info("Asked", note=QUESTION)

    asked = fields("Asked", shard=3, withheld=1)
    assert sinks.take("plain") == [asked, "<str 64-255>"]
    assert [line["message"] for line in sinks.take("json")] == ["Asked", "<str 64-255>"]


def fail() -> None:
    raise LookupError(QUESTION)


@pytest.mark.parametrize("sealed_before", [False, True], ids=["as it is", "our processors before"])
def test_exceptions_keep_type_and_frames(sinks: Sinks, *, sealed_before: bool) -> None:
    """In the event dict or on the record."""
    discreet.install()
    log = configure(*(discreet.structlog.processors() if sealed_before else ()), WRAP)
    try:
        fail()
    except LookupError:
        log.exception("Failed", note=QUESTION)

    frames = f"{place(test_exceptions_keep_type_and_frames, 6)} > {place(fail, 1)}"
    failed = fields("Failed", "ERROR", exception_type="LookupError", exception_frames=frames, withheld=1)
    assert sinks.take("json") == sinks.take("ours") == [failed]
    assert sinks.take("plain")[0] == "Failed"
    assert QUESTION not in "".join(stream.getvalue() for stream in sinks.streams.values())


@pytest.mark.parametrize("meta_first", [False, True], ids=["first", "after remove_processors_meta"])
@pytest.mark.parametrize("guarded", [False, True], ids=["no guard", "guard"])
def test_records_of_logging_are_sealed_inside_the_formatter(*, meta_first: bool, guarded: bool) -> None:
    """Without the guard the record's own text is proven there, unless the record is taken out of the dict before."""
    sinks = Sinks()
    meta = [Formatter.remove_processors_meta] if meta_first else []
    ours = discreet.structlog.processors(attributes={"shard": "int"})
    renderer = structlog.processors.JSONRenderer()
    sinks.add("ours", Formatter(processors=[*meta, *ours, renderer]))
    sinks.add("with args", Formatter(processors=[*meta, *ours, renderer], pass_foreign_args=True))
    if guarded:
        discreet.install()

    sinks.logger.info("Asked %s in %d ms", QUESTION, 12, extra={"shard": 3, "note": QUESTION})
    try:
        fail()
    except LookupError:
        sinks.logger.exception("Failed")

    asked, failed = sinks.take("ours")
    with_args = sinks.take("with args")
    if meta_first and not guarded:
        assert (asked["message"], failed["message"]) == ("<str 16-63>", "<str 1-15>")
    else:
        assert with_args[0] == ASKED
        assert asked == (ASKED if guarded else {**ASKED, "message": "Asked {} in 12 ms"})
        assert (failed["message"], failed["exception_type"]) == ("Failed", "LookupError")


def test_the_attributes_of_a_record_of_logging_do_not_replace_its_text(sinks: Sinks) -> None:
    """ExtraAdder takes all attributes of a sealed copy; the contract's name for what happened is `event_name` there."""
    adding = [structlog.stdlib.ExtraAdder()]
    rendering = [Formatter.remove_processors_meta, structlog.processors.JSONRenderer()]
    sinks.add("extras", Formatter(foreign_pre_chain=adding, processors=rendering))
    discreet.install()

    sinks.logger.warning("Asked %s", QUESTION, extra={"shard": 3, "question": QUESTION})
    sinks.logger.warning("Asked again", extra={"event": "fallback_used", "warning_code": "quote_not_found"})

    codes = {"warning_code": None, "error_code": None}
    assert sinks.take("extras") == [
        {"event": "Asked <str 16-63>", "shard": 3, **codes},
        {
            "event": "Asked again",
            "event_name": "fallback_used",
            "warning_code": "quote_not_found",
            "error_code": None,
        },
    ]
    assert [line.get("event") for line in sinks.take("json")] == [None, "fallback_used"]


def test_events_are_sealed_inside_the_formatter_without_the_guard() -> None:
    """The same chain for both kinds; nothing else is needed for this one handler."""
    sinks = Sinks()
    ours = discreet.structlog.processors(attributes={"shard": "int"})
    sinks.add("ours", Formatter(processors=[*ours, structlog.processors.JSONRenderer()]))

    configure(WRAP).info("Asked %s in %d ms", QUESTION, 12, shard=3, note=QUESTION)
    configure(*ours, WRAP).info("Asked %s in %d ms", QUESTION, 12, shard=3, note=QUESTION)

    assert sinks.take("ours") == [ASKED, ASKED]


def test_what_a_later_processor_adds_does_not_pass_the_guard(sinks: Sinks) -> None:
    """The guard makes the dict anew from what was sealed."""

    def talkative(logger: Any, name: str, event_dict: Any) -> Any:
        event_dict["message"] = event_dict["shard"] = event_dict["note"] = QUESTION
        return event_dict

    discreet.install()
    configure(*discreet.structlog.processors(), talkative, WRAP).info("Asked", shard=3)

    assert sinks.take("json") == sinks.take("theirs") == sinks.take("ours") == [fields("Asked", shard=3)]
    assert sinks.take("plain") == ["Asked"]


def test_a_dict_that_only_looks_like_an_event_shows_nothing(sinks: Sinks) -> None:
    """Neither a dict as a message, nor attributes with structlog's names for it."""
    discreet.install()

    sinks.logger.info({"event": QUESTION, QUESTION: QUESTION})
    sinks.logger.info({"event": QUESTION, QUESTION: QUESTION}, extra={"_logger": QUESTION, "_name": QUESTION})

    assert [line["message"] for line in sinks.take("json")] == ["<dict>", "<str 16-63>"]
    assert QUESTION not in "".join(stream.getvalue() for stream in sinks.streams.values())


def test_strict_sealing_before_any_handler_keeps_events_readable(sinks: Sinks) -> None:
    """`install(strict=True)` seals once; each handler still gets what its formatter reads."""
    discreet.install(strict=True)

    configure(WRAP).info("Asked %s in %d ms", QUESTION, 12, shard=3, note=QUESTION)

    assert sinks.take("json") == sinks.take("ours") == [ASKED]
    assert sinks.take("theirs")[0]["event"] == "Asked <str 16-63> in 12 ms"
    assert sinks.take("plain") == ["Asked <str 16-63> in 12 ms"]


def test_sealed_events_can_be_pickled_and_queued(sinks: Sinks) -> None:
    """Through a queue and a socket handler's pickle they stay what they are."""
    discreet.install()
    waiting: queue.Queue[Any] = queue.Queue()
    handlers = sinks.logger.handlers[:]
    sinks.logger.handlers[:] = [logging.handlers.QueueHandler(waiting)]
    configure(*discreet.structlog.processors(), WRAP).info("Asked", shard=3, note=QUESTION)
    record = waiting.get_nowait()

    assert type(record) is SealedRecord
    again = pickle.loads(pickle.dumps(record))
    for handler in handlers:
        handler.handle(again)
    assert sinks.take("json") == sinks.take("theirs") == [fields("Asked", shard=3, withheld=1)]


def test_plain_loggers_find_the_caller_outside_structlog(sinks: Sinks) -> None:
    """A logger that structlog's factory did not make names structlog's own frame as the caller."""
    discreet.install()
    question = QUESTION
    for wrapper in (structlog.stdlib.BoundLogger, structlog.make_filtering_bound_logger(0), structlog.BoundLogger):
        for last in (WRAP, structlog.stdlib.render_to_log_kwargs):
            log = structlog.wrap_logger(logging.Logger.manager.getLogger(NAME), [last], wrapper_class=wrapper)
            log.info(f"Asked {question}")
            log.info(question)

    messages = [line["message"] for line in sinks.take("json")]
    assert messages == ["Asked {question}", "<str 16-63>"] * 6


def test_a_literal_in_a_pair_is_not_the_text(sinks: Sinks) -> None:
    """Where another renderer made one text of all, only the event's own literal can be found in it."""
    discreet.install()
    renderer = structlog.processors.KeyValueRenderer()
    log = structlog.wrap_logger(logging.getLogger(NAME), [renderer], wrapper_class=structlog.stdlib.BoundLogger)

    log.info(QUESTION, note="The parrot is called Rosamund")
    log.info("Asked by somebody", note="The parrot is called Rosamund")

    assert [line["message"] for line in sinks.take("json")] == ["<str 64-255>", "{prefix}Asked by somebody{suffix}"]


def test_a_content_loggers_debug_events_are_whole_on_this_machine() -> None:
    """As log records are; a local handler gets the original, one that may leave the machine doesn't."""
    discreet.configure(json=None, content_debug=["verbatim_core.content"])
    local, elsewhere = io.StringIO(), io.StringIO()

    class Elsewhere(logging.StreamHandler[io.StringIO]):
        pass

    formatter = Formatter(processors=[Formatter.remove_processors_meta, structlog.processors.JSONRenderer()])
    logger = logging.getLogger("verbatim_core.content")
    for handler in (logging.StreamHandler(local), Elsewhere(elsewhere)):
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    structlog.configure(
        processors=[WRAP], wrapper_class=structlog.stdlib.BoundLogger, logger_factory=structlog.stdlib.LoggerFactory()
    )

    structlog.get_logger("verbatim_core.content").debug("Asked", question=QUESTION)
    structlog.get_logger("verbatim_core.content").info("Asked", question=QUESTION)

    assert [json.loads(line) for line in local.getvalue().splitlines()] == [
        {"event": "Asked", "question": QUESTION},
        {"event": "Asked", "withheld": 1},
    ]
    assert [json.loads(line) for line in elsewhere.getvalue().splitlines()] == [{"event": "Asked", "withheld": 1}] * 2
