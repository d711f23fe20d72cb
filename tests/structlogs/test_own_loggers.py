"""structlog's own loggers: the whole event dict that a renderer gets."""

from __future__ import annotations

import io
import json
import logging
from pathlib import Path
from typing import Any

import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider

import discreet.structlog
from discreet.errors import ConfigurationError
from discreet.export.ledger import LEDGER
from tests.structlogs.events import QUESTION, Keeper, place, sealing

HERE = __name__


class Parrot:
    """An object that a log call must not touch."""

    def __repr__(self) -> str:
        raise AssertionError("nobody may look at it")

    __str__ = __format__ = __repr__


def event(message: str, level: str = "INFO", **more: Any) -> dict[str, Any]:
    return {"level": level, "logger": HERE, "message": message, **more}


def test_a_literal_is_the_message_and_undeclared_pairs_are_left_out(keeper: Keeper) -> None:
    """The text moves from `event` to `message`; of the pairs only the declared one stays."""
    structlog.get_logger().info("Asked", shard=3, question=QUESTION)

    assert keeper.take() == [event("Asked", shard=3, withheld=1)]


def test_a_variable_as_the_text_is_withheld_with_its_place(keeper: Keeper) -> None:
    """A text that is no constant of the calling code is named by its length band."""
    structlog.get_logger().info(QUESTION)

    line = test_a_variable_as_the_text_is_withheld_with_its_place.__code__.co_firstlineno + 2
    function = f"{HERE}.test_a_variable_as_the_text_is_withheld_with_its_place"
    assert keeper.take() == [event("<str 16-63>", withheld=1, code_function=function, code_line=line)]


def test_an_f_string_shows_its_literals_and_numbers(keeper: Keeper) -> None:
    """As for log records: slots by their expression, numbers where the code says so."""
    structlog.get_logger().warning(f"Asked {QUESTION} in {0.5 * 25:.1f} ms")

    assert keeper.take() == [event("Asked {QUESTION} in 12.5 ms", "WARNING", withheld=1)]


def test_positional_arguments_are_sealed_although_structlog_puts_them_in_first(keeper: Keeper) -> None:
    """The native logger interpolates before any processor runs; the template is the call's own argument."""
    log = structlog.get_logger()
    question, rest = QUESTION, (QUESTION, 12)

    log.info("Asked %s in %d ms", question, 12)
    log.info("Asked %s in %d ms", *rest)
    log.info("Asked %(question)s", {"question": question})
    log.log(logging.ERROR, "Asked %r, %d tries", question, 3)
    log.info("Nothing to put in: %")

    assert keeper.take() == [
        event("Asked {question} in 12 ms", withheld=1),
        event("Asked {} in 12 ms", withheld=1),
        event("Asked {question}", withheld=1),
        event("Asked {question}, 3 tries", "ERROR", withheld=1),
        event("Nothing to put in: %"),
    ]


def test_a_template_of_another_argument_proves_nothing(keeper: Keeper) -> None:
    """Only the argument that is the event counts, not a pair that happens to look like it."""
    question = f"about {QUESTION}"

    structlog.get_logger().info(question, note=f"about {QUESTION}")

    assert keeper.take()[0]["message"] == "<str 16-63>"


def test_what_a_processor_before_ours_adds_to_the_event_is_left_out() -> None:
    """Also where the logger is a generic one, whose frame doesn't tell which argument is the event."""
    added = lambda logger, name, event_dict: {**event_dict, "event": f"[{QUESTION}] {event_dict['event']}"}  # noqa: E731
    keeper = sealing(added, wrapper_class=structlog.BoundLogger)
    log = structlog.get_logger()
    berth = "north"

    log.info("Moored at the quay")
    log.info(f"Moored at the {berth} berth")

    assert [one["message"] for one in keeper.take()] == [
        "{prefix}Moored at the quay",
        "{prefix}Moored at the {berth} berth",
    ]


def test_the_event_by_keyword_and_of_one_letter(keeper: Keeper) -> None:
    """Where it is known which argument is the event, a constant needs no length."""
    log = structlog.get_logger()

    log.info(event="Asked")
    log.info("q")

    assert keeper.take() == [event("Asked"), event("q")]


def test_our_name_for_what_happened_is_event_and_comes_as_event_name(keeper: Keeper) -> None:
    """`event` of the result is a contract's name; a text that is such a name says it by itself."""
    log = structlog.get_logger()

    log.info("Model is ready", event_name="model_loaded")
    log.info("model_loaded")
    log.info("MODEL_LOADED".lower())
    log.info("Model is ready", event_name=QUESTION)
    log.warning("Not found", warning_code="quote_not_found", error_code="timeout")

    assert keeper.take() == [
        event("Model is ready", event="model_loaded"),
        event("model_loaded", event="model_loaded"),
        event("model_loaded", event="model_loaded"),
        event("Model is ready", event="undeclared"),
        event("Not found", "WARNING", warning_code="quote_not_found", error_code="timeout", error_class="upstream"),
    ]


def test_a_contracts_attributes_are_those_of_its_own_loggers(keeper: Keeper, tmp_path: Path) -> None:
    """The logger's name decides: that of the module that calls, or the one that is bound."""
    contract = tmp_path / "pets.toml"
    contract.write_text(
        '[contract]\nname = "pets"\nformat = 1\nsummary = "Pets."\n\n'
        '[loggers]\nnames = ["pets"]\n\n[attributes]\nanimals = "count"\n\n'
        '[[events]]\nname = "pet_fed"\nlevel = "INFO"\nattributes = ["animals"]\nmeaning = "One was fed."\n'
    )
    discreet.structlog.processors(contracts=[contract])
    log = structlog.get_logger()

    log.info("pet_fed", animals=2)
    log.bind(logger="pets.birds").info("pet_fed", animals=2)
    log.bind(logger=QUESTION).info("pet_fed", animals=2)

    assert keeper.take() == [
        event("pet_fed", event="pet_fed", withheld=1),
        {"level": "INFO", "logger": "pets.birds", "message": "pet_fed", "event": "pet_fed", "animals": 2},
        {"level": "INFO", "logger": "<str 16-63>", "message": "pet_fed", "event": "pet_fed", "withheld": 1},
    ]


def test_bound_values_and_context_variables_are_pairs_like_others(keeper: Keeper) -> None:
    """Each is declared or left out, wherever it was bound."""
    structlog.contextvars.bind_contextvars(tenant="0192f0c1-2345-7abc-8def-0123456789ab", who=QUESTION)

    structlog.get_logger().bind(shard=4, chunk=QUESTION).new(shard=5, note=QUESTION).info("Asked")

    pairs = {"tenant": "0192f0c1-2345-7abc-8def-0123456789ab", "shard": 5}
    assert keeper.take() == [event("Asked", **pairs, withheld=2)]


def test_values_are_neither_changed_nor_called(keeper: Keeper) -> None:
    """Objects, containers and keys made of text; the dict of the application stays as it was."""
    context = {"parrot": Parrot(), QUESTION: 1, "chunks": [QUESTION], "shard": 2}
    seen: list[dict[str, Any]] = []

    def watch(logger: Any, name: str, event_dict: Any) -> Any:
        seen.append(event_dict)
        return event_dict

    keeper = sealing(watch)
    structlog.get_logger().bind(**context).info(Parrot(), stack_info=True)

    shown = f"<{HERE}.Parrot>"
    function = f"{HERE}.test_values_are_neither_changed_nor_called"
    line = test_values_are_neither_changed_nor_called.__code__.co_firstlineno + 10
    expected = event(shown, shard=2, withheld=4, code_function=function, code_line=line)
    assert keeper.take() == [expected]
    assert seen[0].keys() == {*context, "event", "stack_info"}


def fail() -> None:
    try:
        raise LookupError(QUESTION)
    except LookupError as error:
        error.add_note(QUESTION)
        raise ValueError(f"no {QUESTION}") from error


def test_exceptions_are_rendered_our_way(keeper: Keeper) -> None:
    """Types, chain and frames; given as True, as an exception, as a tuple, or made a text of before."""
    log = structlog.get_logger()
    this = test_exceptions_are_rendered_our_way
    try:
        fail()
    except ValueError as error:
        log.exception("Failed")
        log.error("Failed", exc_info=error)
        log.error("Failed", exc_info=(type(error), error, error.__traceback__))
        as_text = sealing(structlog.processors.format_exc_info)
        log.error("Failed", exc_info=True)
    log.error("Not failed", exc_info=True)

    frames = f"{place(this, 5)} > {place(fail, 5)}"
    failed = event(
        "Failed",
        "ERROR",
        exception_type="ValueError",
        exception_chain="ValueError < LookupError",
        exception_frames=frames,
    )
    assert keeper.take() == [failed] * 3
    assert as_text.take() == [failed, event("Not failed", "ERROR")]


def test_an_exception_as_a_value_gives_its_code(keeper: Keeper) -> None:
    """structlog's users bind exceptions as pairs; the code of a contract comes out, the text doesn't."""
    error = discreet.UpstreamError(QUESTION, service="llm")

    structlog.get_logger().warning("Gave up", error=error)

    got = keeper.take()[0]
    assert (got["error_code"], got["error_class"], got["withheld"]) == ("upstream_error", "upstream", 1)
    assert QUESTION not in str(got)


def test_every_method_has_its_level(keeper: Keeper) -> None:
    """Also the aliases, and a generic bound logger whose methods are made when they are called."""
    for cls in (structlog.make_filtering_bound_logger(0), structlog.BoundLogger):
        log = structlog.wrap_logger(structlog.PrintLogger(), wrapper_class=cls)
        for name in ("debug", "info", "msg", "warn", "warning", "error", "critical", "fatal"):
            getattr(log, name)("Asked")

    levels = ["DEBUG", "INFO", "INFO", "WARNING", "WARNING", "ERROR", "CRITICAL", "CRITICAL"]
    assert keeper.take() == [event("Asked", level) for level in levels] * 2


def test_routes_and_hosts_of_the_program_are_shown() -> None:
    """As where logging's own filters name them; what nobody named stays out."""
    keeper = Keeper()
    ours = discreet.structlog.processors(
        attributes={"path": "route", "peer": "host"}, routes=["/boats/{number}"], hosts=["db.example.org"]
    )
    structlog.configure(processors=[*ours, keeper], cache_logger_on_first_use=False)
    structlog.get_logger().info("Asked", path="/boats/17", peer="db.example.org")
    structlog.get_logger().info("Asked", path="/boats/17/keys", peer="boat-house.example")

    assert keeper.take() == [
        event("Asked", path="/boats/{number}", peer="db.example.org"),
        event("Asked", path="/…", peer="<host>"),
    ]


def test_renderers_print_the_sealed_dict(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON, key and value, logfmt, and the console with the text where it has its own."""
    ours = discreet.structlog.processors(attributes={"shard": "int"})
    printed = []
    for renderer in (
        structlog.processors.JSONRenderer(),
        structlog.processors.KeyValueRenderer(key_order=["level", "message", "shard"]),
        structlog.processors.LogfmtRenderer(key_order=["level", "message", "shard"]),
        structlog.dev.ConsoleRenderer(colors=False, event_key="message", pad_event_to=0, pad_level=False),
    ):
        structlog.configure(processors=[*ours, _without_time, renderer], logger_factory=structlog.PrintLoggerFactory())
        structlog.get_logger().info("Asked", shard=3, question=QUESTION)
        printed.append(capsys.readouterr().out)

    assert printed == [
        f'{{"level": "INFO", "logger": "{HERE}", "message": "Asked", "shard": 3, "withheld": 1}}\n',
        f"level='INFO' message='Asked' shard=3 logger='{HERE}' withheld=1\n",
        f"level=INFO message=Asked shard=3 logger={HERE} withheld=1\n",
        f"[INFO] Asked [{HERE}] shard=3 withheld=1\n",
    ]


def _without_time(logger: Any, name: str, event_dict: Any) -> Any:
    del event_dict["timestamp"]
    return event_dict


def test_our_own_renderer_writes_the_lines_of_our_handlers() -> None:
    """As bytes for a BytesLogger, with the options of a JsonFormatter."""
    stream = io.BytesIO()
    structlog.configure(
        processors=[*discreet.structlog.processors(), discreet.structlog.JsonRenderer(as_bytes=True, service="pets")],
        logger_factory=structlog.BytesLoggerFactory(stream),
    )
    structlog.get_logger("pets").info("Asked\u2028twice", question=QUESTION)

    line = json.loads(stream.getvalue())
    assert line.pop("timestamp")
    # A BytesLogger has a name since 26.1; it is a constant of this code.
    assert line.pop("logger") in ("pets", HERE)
    assert line == {"level": "INFO", "message": "Asked\u2028twice", "withheld": 1, "service": "pets"}
    assert stream.getvalue().count(b"\n") == 1
    assert b"\\u2028" in stream.getvalue()


def test_capture_logs_gets_sealed_events_when_it_is_given_the_processors() -> None:
    """Without them structlog leaves out all processors, and a test sees what it wrote."""
    with structlog.testing.capture_logs(processors=discreet.structlog.processors()) as captured:
        structlog.get_logger().info("Asked %s", QUESTION)
    with structlog.testing.capture_logs() as bare:
        structlog.get_logger().info("Asked", question=QUESTION)

    captured[0].pop("timestamp")
    assert captured == [event("Asked {QUESTION}", withheld=1, log_level="info")]
    assert bare == [{"event": "Asked", "question": QUESTION, "log_level": "info"}]


def test_a_span_gives_its_ids(keeper: Keeper) -> None:
    """The current span of OpenTelemetry, in hexadecimal digits."""
    with TracerProvider().get_tracer("pets").start_as_current_span("asking") as span:
        structlog.get_logger().info("Asked")

    ids = span.get_span_context()
    assert keeper.take() == [event("Asked", trace_id=f"{ids.trace_id:032x}", span_id=f"{ids.span_id:016x}")]


def test_another_processors_exception_reaches_the_caller_as_it_is(keeper: Keeper) -> None:
    """structlog lets it through, and so do we: before ours and after."""

    def broken(logger: Any, name: str, event_dict: Any) -> Any:
        raise ZeroDivisionError("broken")

    for chain in ([broken, *discreet.structlog.processors()], [*discreet.structlog.processors(), broken]):
        structlog.configure(processors=chain)
        with pytest.raises(ZeroDivisionError, match="broken"):
            structlog.get_logger().info("Asked")


def test_a_failing_guard_withholds_everything_and_is_counted(keeper: Keeper, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is raised, nothing is shown."""
    LEDGER.clear()

    def broken(*args: object) -> None:
        raise MemoryError(QUESTION)

    monkeypatch.setattr("discreet.seal.event_dict.seal_message", broken)
    structlog.get_logger().error("Asked", shard=3)

    withheld = "<record withheld: the guard failed>"
    assert keeper.take() == [{"level": "ERROR", "logger": "<withheld>", "message": withheld, "withheld": 1}]
    assert LEDGER.failures == {("seal event", "MemoryError"): 1}
    LEDGER.clear()


def test_what_is_withheld_is_counted_by_call_site(keeper: Keeper) -> None:
    """Messages, arguments and pairs, as for log records."""
    LEDGER.clear()
    log = structlog.get_logger()
    for _ in range(3):
        log.info("Asked %s", QUESTION, note=QUESTION, chunk=QUESTION)

    line = test_what_is_withheld_is_counted_by_call_site.__code__.co_firstlineno + 5
    site = f"{HERE}.test_what_is_withheld_is_counted_by_call_site:{line}"
    assert LEDGER.withheld == {(site, HERE, "undeclared", "argument"): 3, (site, HERE, "undeclared", "attribute"): 6}


def test_wrong_options_are_refused() -> None:
    """With the place of what is wrong."""
    with pytest.raises(ConfigurationError, match="service"):
        discreet.structlog.processors(service=3)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="preset"):
        discreet.structlog.JsonRenderer(preset="xml")


class Auditing(structlog.BoundLogger):
    """A bound logger of an application's own."""

    def audit(self, event: str, **pairs: Any) -> Any:
        return self._proxy_to_logger("info", event, **pairs)


def say(log: Any, text: str) -> None:
    log.audit(text)


def test_wrappers_that_a_contract_names_are_looked_through(tmp_path: Path) -> None:
    """Their caller's own argument is the text; without a contract nothing is proven."""
    keeper = sealing(wrapper_class=Auditing)
    log = structlog.get_logger()
    log.audit("Asked")
    contract = tmp_path / "audits.toml"
    contract.write_text(
        '[contract]\nname = "audits"\nformat = 1\nsummary = "Audits."\n\n'
        f'[loggers]\nwrappers = ["{HERE}.Auditing", "{HERE}.say"]\n'
    )
    discreet.structlog.processors(contracts=[contract])
    log.audit("Asked")
    say(log, "Asked by hand")
    say(log, f"Asked {QUESTION}")
    say(log, QUESTION)

    messages = [found["message"] for found in keeper.take()]
    assert messages == ["<str 1-15>", "Asked", "Asked by hand", "Asked {QUESTION}", "<str 16-63>"]
