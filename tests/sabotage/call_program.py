"""The part of the program that observes calls and measures: each function says itself what is wrong."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import logging
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import ClassVar

from opentelemetry import trace
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import discreet
from discreet import call, choke
from discreet.call_counts import CALLS
from discreet.export.resource import log_resource
from discreet.instrument import command_line
from discreet.instrument.observed import Observed, observed
from discreet.instrument.tenacity import log_attempt
from discreet.metrics import pipeline
from discreet.scope import carry, current
from discreet.scope_replies import MOST_REPLIES, register_reply
from discreet.scoped import look
from tests.calls.seen import all_points


def call_names() -> str | None:
    with discreet.observe_call("Hawkweed ridge") as running:
        running.warn("code of larkspurs")
        running.result({"warnings": ["code of larkspurs"]})
    with discreet.observe_call("Hawkweed".lower()) as running:
        running.fail(code="timeout", error_class="office of larkspurs")
        running.warn("quote_not_found", int.from_bytes(b"larkspurs of the ridge"))
        if max(running._warnings.values()) > 10**12:
            return "a text is a count of warnings"
    with discreet.observe_call("Bryony".lower()):
        pass
    if CALLS.known("bryony"):
        return "a word is a name since the code has it too"
    counted = repr([CALLS.as_dict(), *(counts.errors for counts in CALLS.snapshot().values())])
    return "a text is the name of a count" if "awkweed" in counted or "larkspurs" in counted else None


def call_exception() -> str | None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    call._tracers[:] = [(trace.get_tracer_provider(), provider.get_tracer("discreet"))]
    try:
        with contextlib.suppress(ValueError), discreet.observe_call("app.find"):
            raise ValueError("text of meadowsweet")
    finally:
        call._tracers.clear()
    return "an exception's text is on a span" if "meadowsweet" in exporter.get_finished_spans()[0].to_json() else None


def call_outcomes() -> str | None:
    CALLS.begin_anew(forget=True)
    failure = LookupError()
    try:
        with discreet.observe_call("app.fail"):
            raise failure
    except LookupError as error:
        if error is not failure or error.__context__ is not None:
            return "an exception was changed"
    else:
        return "an exception was swallowed"
    with contextlib.suppress(asyncio.CancelledError), discreet.observe_call("app.leave"):
        raise asyncio.CancelledError
    with discreet.observe_call("app.ask"), discreet.observe_call("app.find") as inner:
        inner.warn("quote_not_found")
    wanted = {"app.fail": "error", "app.leave": "cancelled", "app.ask": "degraded", "app.find": "degraded"}
    found = {
        name: [one for one in counts.outcomes if counts.outcomes[one]] for name, counts in CALLS.snapshot().items()
    }
    return None if found == {name: [one] for name, one in wanted.items()} else f"calls ended as {found}"


def instrumented_texts() -> str | None:
    places: list[tuple[str, ...]] = []

    def look() -> None:
        scope = current()
        places.append(() if scope is None else scope.places)

    def find(question: str) -> None:
        look()

    def stream(question: str) -> Iterator[int]:
        look()
        yield 1
        look()

    observed(find, Observed(operation="app.find", texts=("question",)))("spray of bryony")
    for _ in observed(stream, Observed(operation="app.stream", texts=("question",)))("spray of bryony"):
        look()
    return None if places == [("question",), ("question",), (), ("question",)] else f"texts were known as {places}"


def call_swallowed() -> str | None:
    CALLS.begin_anew(forget=True)
    with discreet.observe_call("app.answer") as outer:
        with discreet.observe_call("app.ask") as inner:
            register_reply("It was repaired below the meadowsweet.", outside=inner)
            inner.fail(code="timeout", error_class="upstream")
        scope = current()
        if scope is None or scope.find("below the meadowsweet") is None:
            return "a reply is not known where it goes"
        outer.result(None, items=2, failed=1)
    found = {name: dict(counts.outcomes) for name, counts in CALLS.snapshot().items()}
    if not found["app.ask"].get("error") or not found["app.answer"].get("degraded"):
        return f"calls that swallowed ended as {found}"
    return None


def repeated_attempts() -> str | None:
    def state(error: BaseException | None, wait: object = 0.5) -> SimpleNamespace:
        outcome = SimpleNamespace(exception=lambda timeout: error)
        return SimpleNamespace(outcome=outcome, attempt_number=1, next_action=SimpleNamespace(sleep=wait))

    CALLS.begin_anew(forget=True)
    stream = io.StringIO()
    handler = discreet.JsonHandler(stream=stream)
    logger = logging.getLogger("discreet")
    logger.addHandler(handler)
    try:
        with discreet.observe_call("app.fetch"):
            log_attempt()(state(ValueError("spray of bryony")))
            log_attempt("spray of bryony".rpartition(" ")[2])(state(None, wait=float("nan")))
            log_attempt()(SimpleNamespace())
    finally:
        logger.removeHandler(handler)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    if "bryon" in stream.getvalue():
        return "a record of an attempt has a text"
    found = [(line["event"], line.get("operation"), line.get("retries")) for line in lines]
    attempts = [("attempt_failed", name, None) for name in ("app.fetch", "undeclared")]
    return None if found == [*attempts, ("call_finished", "app.fetch", 2)] else f"attempts were told as {found}"


def call_reply_elsewhere() -> str | None:
    def within_another(task: Callable[[], None]) -> None:
        with discreet.customer_text(question="stalks of agrimony"):
            task()

    with discreet.customer_text(question="spray of bryony") as scope:
        task = carry(lambda: register_reply("It was repaired below the meadowsweet."))
        with ThreadPoolExecutor(1) as pool:
            pool.submit(within_another, task).result()
        return None if scope.find("below the meadowsweet") is not None else "a reply is known elsewhere only"


def call_reply_after() -> str | None:
    with discreet.customer_text(question="spray of bryony") as scope:
        register_reply("It was repaired below the meadowsweet.")
    return "a reply outlives its scope" if scope.find("below the meadowsweet") is not None else None


def call_replies() -> str | None:
    with discreet.customer_text(question="spray of bryony") as scope:
        for number in range(MOST_REPLIES + 1):
            register_reply(f"It was repaired {number} times below the meadowsweet.")
        kept = len(scope.places) - 1
    return None if kept <= MOST_REPLIES else f"{kept} replies were kept"


def call_reply_between() -> str | None:
    with discreet.customer_text(question="spray of bryony") as scope:
        found = [scope.find("below the meadowsweet") is not None]
        register_reply("It was repaired below the meadowsweet.")
        found.append(scope.find("below the meadowsweet") is not None)
    return None if found == [False, True] else f"a reply was found before and after as {found}"


def call_in_part_known() -> str | None:
    with discreet.observe_call("app.ask", question="spray of bryony", chunks=iter(["of larkspurs"])):
        if look() is not None:
            return "strings are let through where a text isn't known"

    def index(question: str) -> bool:
        return look() is None

    denies = observed(index, Observed(operation="app.index", texts=("question",), whole=False))("spray of bryony")
    if not denies:
        return "strings are let through where a library reads files"

    def asked(session: str, question: str, language: str = "en") -> bool:
        scope = current()
        return scope is not None and scope.find("larkspurs") is not None and look() is not None

    asked_in_a_session = functools.wraps(asked)(functools.partial(asked, "session"))
    known = discreet.observe_call("app.ask", "question")(asked_in_a_session)("spray of larkspurs", "nb")
    return None if known else "a text isn't known where a decorator gives arguments"


def call_fields() -> str | None:
    class Model:
        __pydantic_fields__: ClassVar = {"query": None, "hidden": None}

        def __init__(self, **given: str) -> None:
            vars(self).update(given)

        @property
        def hidden(self) -> str:
            raise AssertionError

    with discreet.observe_call("app.ask", query=Model(query="spray of bryony")):
        scope = current()
        if scope is None or scope.find("spray of bryony") is None:
            return "a field isn't known"
        return None if look() is None else "strings are let through where a field isn't known"


def wrong_environment() -> str | None:
    guards: list[object] = []
    original, choke.install = choke.install, lambda **given: guards.append(given)
    os.environ |= {"DISCREET_JSON": "-", "DISCREET_LEVEL": "LOUD", "DISCREET_STREAMS": "yes"}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            command_line.configure_from_environment()
    finally:
        choke.install = original
        for name in ("JSON", "LEVEL", "STREAMS"):
            del os.environ[f"DISCREET_{name}"]
    return None if guards == [{"strict": False, "streams": True}] else "a wrong variable leaves no guard"


def call_collected() -> str | None:
    CALLS.begin_anew(forget=True)
    counted = CALLS.start("app.ask")
    # As Python does for one of several objects that hold one another.
    counted.__del__()
    counted.end("cancelled")
    found = CALLS.as_dict()["app.ask"]
    return None if (found["active"], found["missing"]) == (0, 0) else f"a call was counted twice: {found}"


def metrics_begin_at_0() -> str | None:
    reader = InMemoryMetricReader()
    handler = discreet.OtelMetricHandler(reader=reader)
    try:
        return None if all_points(reader, "discreet.events").get(("verbatim", "quote_not_found")) == 0 else "not at 0"
    finally:
        handler.close()


def metrics_of_processes() -> str | None:
    def own() -> str:
        return str(pipeline.process_resource(log_resource("app")).attributes.get("service.instance.id"))

    reading, writing = os.pipe()
    parent = own()
    pid = os.fork()
    if pid == 0:
        os.write(writing, own().encode())
        os._exit(0)
    os.waitpid(pid, 0)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as pipe:
        return None if pipe.read() != parent else "two processes have one id"
