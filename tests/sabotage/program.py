"""A program that puts a text at every place where the guard has to hold: a function for each."""

from __future__ import annotations

import contextlib
import enum
import logging
import logging.handlers
import sys
import threading
import traceback
import warnings
from typing import Any

import discreet
from discreet.errors import InvalidInputError
from discreet.rate_limit import RateLimit
from tests.cases.snippets._common import OUT, codes, file_handler

LOG = logging.getLogger("app.sabotage")


class Own:
    """A handler of others, on `LOG` for a while."""

    def __init__(self, handler: logging.Handler) -> None:
        self.handler = handler

    def __enter__(self) -> None:
        LOG.addHandler(self.handler)

    def __exit__(self, *exc_info: object) -> None:
        LOG.removeHandler(self.handler)
        self.handler.close()


class Speaking:
    def __str__(self) -> str:
        return "object of amberleigh"

    __repr__ = __str__


class Failure(Exception):
    """Has attributes as API errors do."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.code = text
        self.body = text


def unproven_message() -> None:
    question = "question of " + "bellwether".lower()
    LOG.info(question)
    LOG.info(question + " %s", 1)


def equal_to_a_literal() -> None:
    known = "answer of cottonmere"
    LOG.info("".join(["answer of ", "cottonmere"]))  # noqa: FLY002 - it must be equal, not the same
    assert known


def text_argument() -> None:
    LOG.info("about %s and %.9r", "daisyfield", "daisyfield")
    LOG.info("about %(who)s", {"who": "daisyfield"})


def short_argument() -> None:
    LOG.info("name %s", "Elmsworth")
    LOG.info("name %(who)s", {"who": "Elmsworth"})


def character_argument() -> None:
    for letter in "þ!":
        LOG.info("letter %c", ord(letter))


def object_argument() -> None:
    LOG.info("about %s", Speaking())


def long_integer() -> None:
    LOG.info("number %d", int.from_bytes(b"foxgloves", "big"))


def keys_of_a_dict() -> None:
    LOG.info("answers %s", {"gorsehill": 1})


def enum_member() -> None:
    LOG.info("label %s", enum.Enum("Label", ["hawthornes"])["hawthornes"])


def f_string_slot() -> None:
    who = "ivydeane"
    LOG.info(f"about {who} in {12.5:.1f} ms")


def number_beside_text() -> None:
    room, n = "room 407721", 1
    LOG.info(f"of {room}{n:d} items")
    LOG.info(f"{n:d}{room[-6:]} items")


def adapter_prefix() -> None:
    class Prefix(logging.LoggerAdapter):
        def process(self, msg: Any, kwargs: Any) -> Any:
            return f"juniperley: {msg}", kwargs

    Prefix(LOG, {}).info("plain message of the adapter")


def undeclared_extra() -> None:
    LOG.info("extra", extra={"prompt": "kingcupping", "kingcupping": 1})


def declared_extra() -> None:
    LOG.info("extra", extra=codes(model="lavender of the lavenderhay", tenant="lavender hay is lavenderhay"))


def host_of_a_link() -> None:
    LOG.info("extra", extra=codes(link="https://goldcrestlane.example/letter"))


def usual_extra() -> None:
    """At one call site, where the first records carry what was declared."""
    for model in ("gpt-4o", "gpt-4o", "a letter of mugwortley"):
        LOG.info("usual", extra=codes(model=model, n=1))


def usual_number() -> None:
    for n in (1, 2, "names of mandrakehill"):
        LOG.info("usual", extra=codes(n=n))


def event_of_text() -> None:
    LOG.info("event", extra={"event": "mallowdown", "error_code": "mallowdown", "warning_code": "mallowdown"})


def logger_name() -> None:
    logging.getLogger("chat of nettlecombe").info("opened")


def level_name() -> None:
    logging.addLevelName(34, "orchidmoor")
    LOG.log(34, "odd level")


def thread_name() -> None:
    with Own(file_handler("thread.log", logging.Formatter("%(threadName)s %(message)s"))):
        thread = threading.Thread(target=LOG.info, args=("in a thread",), name="ask primroselea")
        thread.start()
        thread.join()


def forged_place() -> None:
    record = LOG.makeRecord(LOG.name, 20, "/chunks/quincetree.txt", 1, "forged", (), None, "quincetree")
    with Own(file_handler("place.log", logging.Formatter("%(pathname)s %(funcName)s %(message)s"))):
        LOG.handle(record)


def exception_text() -> None:
    try:
        raise ValueError("rosemarying")
    except ValueError:
        LOG.exception("failed")


def exception_notes() -> None:
    exc = ValueError("x")
    exc.add_note("sorrelwood")
    LOG.error("failed", exc_info=exc)


def exception_own_code() -> None:
    LOG.error("failed", exc_info=Failure("tansyfield"), extra=codes(error=True))


def exception_class_name() -> None:
    try:
        raise type("UmbelwortError", (ValueError,), {})("x")
    except ValueError:
        LOG.exception("failed")


def cached_traceback() -> None:
    record = LOG.makeRecord(LOG.name, 40, __file__, 1, "failed", (), None)
    record.exc_text = "Traceback of violetbank"
    record.stack_info = "Stack of violetbank"
    with Own(file_handler("cached.log", logging.Formatter())):
        LOG.handle(record)


def stack_of_a_call() -> None:
    def ask(question: str) -> None:
        with Own(file_handler("stack.log", logging.Formatter())):
            LOG.info("asking", stack_info=True)

    ask("whortleberries?")


class Tracking(logging.Formatter):
    """Renders exceptions with all that it finds on them."""

    def formatException(self, ei: Any) -> str:
        found = traceback.TracebackException(*ei, capture_locals=True)
        return f"{ei[1]!r} {ei[1].args} {vars(ei[1])} {''.join(found.format())}"


def exception_for_others() -> None:
    with Own(file_handler("tracking.log", Tracking())):
        try:
            raise Failure("yarrowstalk")
        except Failure:
            LOG.exception("failed")


def frames_for_others() -> None:
    def ask(question: str) -> None:
        raise ValueError("asked")

    with Own(file_handler("frames.log", Tracking())):
        try:
            ask("a literal of aconitedale")
        except ValueError:
            LOG.exception("failed")


def fields_for_others() -> None:
    formatter = logging.Formatter("%(message)s|%(prompt)s|%(args)s|%(msg)s")
    with Own(file_handler("fields.log", formatter)):
        LOG.info("about %s", "begonialane", extra={"prompt": "begonialane"})


def everything_of_the_record() -> None:
    class Everything(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            (OUT / "everything.txt").write_text(repr(vars(record)), encoding="utf-8")

    with Own(Everything()):
        LOG.info("about %s", "clematises", extra={"prompt": "clematises"})


def overridden_handle() -> None:
    found = []

    class Handling(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            found.append(record.getMessage())
            return True

    with Own(Handling()):
        LOG.info("about %s", "dahliabeds")
    (OUT / "handling.txt").write_text("\n".join(found), encoding="utf-8")


def appended_handler() -> None:
    found = []

    class Appended(logging.Handler):
        def handle(self, record: logging.LogRecord) -> bool:
            found.append(record.getMessage())
            return True

    LOG.handlers.append(Appended())
    LOG.info("about %s", "edelweissen")
    LOG.handlers.pop()
    (OUT / "appended.txt").write_text("\n".join(found), encoding="utf-8")


def failing_handler() -> None:
    class Broken(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            raise ValueError("freesias")

    with Own(logging.StreamHandler(sys.stderr)):
        LOG.handlers[-1].setFormatter(Broken())
        LOG.info("about %s", "freesias")


def last_resort() -> None:
    log = logging.getLogger("app.alone")
    log.propagate = False
    log.warning("about %s", "gladiolus")


def content_at_info() -> None:
    log = logging.getLogger("rag.content")
    log.setLevel(logging.DEBUG)
    log.info("question is %s", "heliotrope")
    log.setLevel(logging.INFO)


def content_by_inheritance() -> None:
    log = logging.getLogger("rag.content")
    log.setLevel(logging.NOTSET)
    log.debug("question is %s", "irisflower")
    log.setLevel(logging.INFO)


def content_for_senders() -> None:
    log = logging.getLogger("rag.content")
    log.setLevel(logging.DEBUG)
    handler = logging.handlers.BufferingHandler(10)
    log.addHandler(handler)
    log.debug("question is %s", "jasminetea")
    log.removeHandler(handler)
    (OUT / "sent.txt").write_text("\n".join(r.getMessage() for r in handler.buffer), encoding="utf-8")
    log.setLevel(logging.INFO)
    # In our own files it may be: that is what a content logger is for.


def content_by_another_level() -> None:
    with contextlib.suppress(InvalidInputError):
        discreet.set_level("rag.content", "DEBUG")
    logging.getLogger("rag.content").debug("question is %s", "campionbud")
    discreet.set_level("rag.content", None)


def name_of_another_level() -> None:
    logging.getLogger("Mrs Dogwoodley").error("no answer")
    discreet.set_level("Mrs Dogwoodley", "ERROR")
    discreet.set_level("Mrs Dogwoodley", None)


def place_of_the_rest() -> None:
    limit = RateLimit("1/hour")
    for _ in range(3):
        record = logging.LogRecord(LOG.name, logging.WARNING, "/srv/elderfields.py", 7, "left out", (), None)
        if limit.filter(record):
            LOG.handle(record)
    limit.tell()


def captured_warning() -> None:
    logging.captureWarnings(True)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("no template for knapweedy", stacklevel=1)
    logging.captureWarnings(False)


def guard_that_fails() -> None:
    """Only of interest where a sabotage makes the guard fail: the record is then withheld whole."""
    LOG.info("about %s and lupinfield", "lupinseeds".upper())


def span_status() -> None:
    from opentelemetry import trace

    with trace.get_tracer("third.party").start_as_current_span("x") as span:
        span.set_status(trace.StatusCode.ERROR, "marigoldens")


def span_exception() -> None:
    from opentelemetry import trace

    with trace.get_tracer("third.party").start_as_current_span("x") as span:
        span.record_exception(ValueError("narcissism"))


def span_attribute() -> None:
    from opentelemetry import trace

    with trace.get_tracer("third.party").start_as_current_span("x") as span:
        span.set_attribute("input.value", "oleanderway")


def span_name() -> None:
    from opentelemetry import trace

    with trace.get_tracer("third.party").start_as_current_span("chat about peonyroses"):
        pass


def broken_line() -> None:
    logging.getLogger("app").info("one\u2028physical\x85line", extra=codes())


def untouched_original() -> str | None:
    """Says what the guard has changed of what the application passed in."""
    payload = {"text": "x"}
    exc = ValueError("x")
    extra = {"prompt": payload}
    record = LOG.makeRecord(LOG.name, 40, __file__, 1, "about %s", (payload,), (ValueError, exc, None), extra=extra)
    before = {**vars(record)}
    LOG.handle(record)
    names = ("msg", "args", "exc_info", "exc_text", "stack_info", "prompt", "threadName", "name", "levelname")
    changed = [name for name in names if vars(record).get(name) is not before.get(name)]
    return f"the guard changed {changed}" if changed else None
