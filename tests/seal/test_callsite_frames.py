from __future__ import annotations

import contextvars
import copy
import logging
import logging.handlers
import queue
import threading
import warnings

from discreet.seal.callsite import NOWHERE, find
from tests.seal.sites import Finder, finding, shown

TEXT = "two cups of rye flour"
log = logging.getLogger("frames")


class Between(logging.Logger):
    """A logger class of an application, with methods between logging's own."""

    def info(self, msg, *args, **kwargs):
        super().info(msg, *args, **kwargs)

    def _log(self, level, msg, args, **kwargs):
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
        super()._log(level, msg, args, **kwargs)


class Changing(logging.Logger):
    """A logger class that puts another text in place of the message."""

    def _log(self, level, msg, args, **kwargs):
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
        super()._log(level, f"{TEXT} and {msg}", args, **kwargs)


def logger_of(kind, name):
    logging.setLoggerClass(kind)
    try:
        return logging.getLogger(name)
    finally:
        logging.setLoggerClass(logging.Logger)


def test_methods_of_a_logger_class_between_logging_and_the_caller_are_passed():
    """Frames between logging's innermost ones and the record's own count too."""
    between = logger_of(Between, "frames.between")
    with finding() as finder:
        between.warning("Warned of %s", TEXT)
        between.warning(f"Warned of {TEXT} and {len(TEXT)} letters")
        between.info("Info of %s", TEXT, stacklevel=2)
    # Somebody else's method could have changed what it hands on, so its numbers are not read.
    assert finder.take() == ["Warned of %s", "Warned of {TEXT} and {len(TEXT)} letters", "Info of %s"]


def test_what_a_logger_class_puts_before_a_message_is_withheld():
    """The class's own text has no literal of eight letters; the caller's has."""
    changing = logger_of(Changing, "frames.changing")
    with finding() as finder:
        changing.warning("Careful with that flour")
        changing.warning("Short")
    assert finder.take() == ["{TEXT} and {msg}", "{TEXT} and {msg}"]


class Level(logging.LoggerAdapter):
    def info(self, msg, *args, **kwargs):
        self.log(logging.INFO, msg, *args, stacklevel=2, **kwargs)


class Silent(logging.LoggerAdapter):
    """An adapter whose message has nothing of the caller's."""

    def process(self, msg, kwargs):
        return f"{TEXT} {len(msg)}", kwargs


class Similar(logging.LoggerAdapter):
    """An adapter that puts a number where the caller's call has another."""

    def process(self, msg, kwargs):
        return "Counted 5551234 of " + TEXT, kwargs


def test_an_adapter_of_a_foreign_file_is_passed():
    """Its frames stand between logging's and the caller's."""
    with finding() as finder:
        Level(log, {}).info("Level %s", TEXT)
        Level(log, {}).info(f"Level {TEXT} reached")
    assert finder.take() == ["Level %s", "Level {TEXT} reached"]


def test_a_message_that_an_adapter_made_is_not_the_callers():
    """Nothing of the caller's call is in it."""
    with finding() as finder:
        Silent(log, {}).info("Hushed and gone")
        Silent(log, {}).info(f"Hushed {TEXT} and gone")
    assert finder.take() == [None, None]


def test_numbers_of_a_message_that_went_through_an_adapter_are_withheld():
    """What stands at a number's place can be the adapter's."""
    with finding() as finder:
        Similar(log, {}).info(f"Counted {len(TEXT)} of {TEXT}")
        logging.LoggerAdapter(log, {}).info(f"Counted {len(TEXT)} of {TEXT}")
        log.info(f"Counted {len(TEXT)} of {TEXT}")
    withheld = "Counted {len(TEXT)} of {TEXT}"
    assert finder.take() == [withheld, withheld, f"Counted {len(TEXT)} of {{TEXT}}"]


def through(levels, message):
    if levels:
        through(levels - 1, message)
    else:
        log.info(message, stacklevel=4)


def test_any_frame_up_to_the_records_own_may_prove():
    """With a stack level of four the outermost of four frames is the record's own."""
    with finding() as finder:
        through(2, "Came through here")
        through(2, f"Came with {TEXT}")
        through(3, "Came from too far out")
    assert finder.take() == ["Came through here", "Came with {TEXT}", None]


def ask(question, hint=""):
    log.info(question)
    return hint


def ask_up(question, hint=""):
    log.info(question, stacklevel=2)
    return hint


def test_no_frame_further_out_proves_anything():
    """A question is a literal in a test or a notebook; the function that logs it is not its author."""
    with finding() as finder:
        ask("How long does rye bread keep")
    assert finder.take() == [None]


def test_another_argument_of_a_wrappers_call_proves_no_text_that_only_contains_it():
    """The literal has to be the message itself where the wrapper isn't named."""
    question, letter = TEXT + " are enough for one loaf", TEXT[-1]
    with finding() as finder:
        ask_up(question, hint="are enough for one")
        ask_up(letter, hint="r")
    assert finder.take() == [None, None]


def ask_named(number, question, hint=""):
    question = question.strip()
    log.info(f"{question}?", stacklevel=2)
    return number, hint


def test_another_argument_of_a_named_wrappers_call_is_not_shown_around_a_text():
    """Its words are in the message only by chance, where it isn't known what the wrapper hands on."""
    question = TEXT + " are enough for one loaf"
    with finding(frozenset({f"{__name__}.ask_named"})) as finder:
        ask_named(1, question, hint="are enough for one")
        ask_named(1, question, "are enough for one")
    assert finder.take() == ["{question}?"] * 2


def tell(topic, message="", *rest, urgent=False):
    log.info(message, *rest, stacklevel=2)
    return topic, urgent


class Teller:
    def tell(self, topic, message):
        log.info(message, stacklevel=2)
        return topic


def test_the_parameter_that_a_function_hands_on_tells_which_argument_is_the_message():
    """Any other argument of the call is somebody's text, also when the message has the same words."""
    question = "Where is the salt of " + TEXT
    with finding() as finder:
        tell("salt", "Told about %s", TEXT)
        tell("salt", message=f"Told about {TEXT}")
        tell(f"Where is the salt of {TEXT}", question)
        Teller().tell("salt", f"Told of {TEXT}")
        Teller().tell(f"Where is the salt of {TEXT}", question)
    assert finder.take() == ["Told about %s", "Told about {TEXT}", None, "Told of {TEXT}", None]


def test_the_innermost_log_call_is_the_records():
    """A handler that logs while it handles does not lend its caller's literals."""

    class Echo(logging.Handler):
        def emit(self, record):
            inner.warning("Echo of %s", record.msg)
            inner.warning(record.msg)

    inner = logging.getLogger("frames.inner")
    outer = logging.getLogger("frames.outer")
    inner.propagate = False
    handler = Echo()
    outer.addHandler(handler)
    try:
        with finding() as outside, finding(name="frames.inner") as inside:
            outer.warning("Outer words")
    finally:
        outer.removeHandler(handler)
        inner.propagate = True
    assert (outside.take(), inside.take()) == (["Outer words"], ["Echo of %s", None])


def test_a_record_that_was_made_by_hand_proves_nothing():
    """Nobody is logging it now."""
    record = logging.makeLogRecord(
        {
            "msg": TEXT,
            "levelno": logging.INFO,
            "pathname": __file__,
            "funcName": "test_a_record_that_was_made_by_hand_proves_nothing",
        }
    )
    with finding() as finder:
        log.handle(record)
    assert (finder.take(), finder.sites) == (["nowhere"], [NOWHERE])
    assert find(record, frozenset()) is NOWHERE


def test_a_forged_place_proves_nothing():
    """A record made by hand inside of a log call, with another place or with the place of the call itself."""

    class Forger(logging.Handler):
        def emit(self, record):
            twin = copy.copy(record)
            twin.msg = TEXT + " is what the customer wrote"
            stranger = logging.makeLogRecord({"msg": record.msg, "pathname": __file__, "lineno": 1, "funcName": "x"})
            for made in (twin, stranger):
                found.append(shown(find(made, frozenset()), made.msg))

    found: list[str | None] = []
    forger = Forger()
    log.addHandler(forger)
    try:
        log.warning("is what the customer")
        log.warning("Honest words")
    finally:
        log.removeHandler(forger)
    # The first holds the words of the running call, which are the author's; they are found, the rest is withheld.
    assert found == ["{prefix}is what the customer{suffix}", "nowhere", None, "nowhere"]


def test_a_record_from_a_queue_is_found_nowhere():
    """It is handled in another thread, where its call doesn't run."""
    waiting: queue.SimpleQueue[logging.LogRecord] = queue.SimpleQueue()
    sender = logging.handlers.QueueHandler(waiting)
    log.addHandler(sender)
    try:
        log.warning("Queued words")
    finally:
        log.removeHandler(sender)
    finder = Finder()
    listener = logging.handlers.QueueListener(waiting, finder)
    listener.start()
    listener.stop()
    assert finder.take() == ["nowhere"]


def test_a_record_of_a_memory_handler_shows_no_text_of_a_later_call():
    """Records of the same call that are handled while a later one runs have the same literals at most."""
    finder = Finder()
    memory = logging.handlers.MemoryHandler(3, target=finder)
    log.addHandler(memory)
    try:
        for one in (TEXT, "salt", "water"):
            log.warning(f"Took {one} first")
    finally:
        log.removeHandler(memory)
    assert finder.take() == ["Took {one} first"] * 3


def test_a_filter_that_replaces_the_message_leaves_it_unproven():
    """The record's message is what counts, not what the call had."""

    def merge(record):
        record.msg, record.args = record.getMessage(), ()
        return True

    with finding() as finder:
        finder.addFilter(merge)
        log.warning("Merged %s", TEXT)
        log.warning("Merged nothing in here")
    assert finder.take() == [None, "Merged nothing in here"]


def test_calls_that_are_made_by_c_code_are_not_taken_for_the_call():
    """Such a call's message is not an argument of the call in the caller's code."""
    with finding() as finder:
        contextvars.copy_context().run(log.info, TEXT)
        contextvars.copy_context().run(log.info, "Ran in a context")
        getattr(log, "info")(f"Fetched {TEXT} first")  # noqa: B009
    assert finder.take() == [None, None, "Fetched {TEXT} first"]


class Talkative:
    """An object whose operators, attributes and context log."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        log.info(self.name, stacklevel=2)
        return self

    def __exit__(self, *exc):
        pass

    def __add__(self, other):
        log.info(other, stacklevel=2)
        return self

    def __format__(self, spec):
        log.info(self.name, stacklevel=2)
        return ""

    def __getattr__(self, name):
        log.info(self.name, stacklevel=2)
        return self

    def __iter__(self):
        log.info(self.name, stacklevel=2)
        return iter(())


def test_only_a_running_call_proves():
    """An operator, an attribute or a ``with`` calls too, but has no arguments of its own."""
    words = "Talked through this"
    with finding() as finder:
        with Talkative("Talked through this"):
            pass
        Talkative(words) + "Talked through this"
        f"{Talkative('Talked through this')}"
        Talkative("Talked through this").anything
        for _ in Talkative("Talked through this"):
            pass

        class Made(metaclass=Meta):
            pass

    assert finder.take() == [None] * 6


class Meta(type):
    def __new__(cls, name, bases, namespace):
        log.info(name, stacklevel=2)
        return super().__new__(cls, name, bases, namespace)


def test_warnings_that_logging_captures_are_unproven():
    """Their text is made by the warnings module."""
    logging.captureWarnings(True)
    try:
        with finding(name="py.warnings") as finder, warnings.catch_warnings():
            warnings.simplefilter("always")
            logging.captureWarnings(False)
            logging.captureWarnings(True)
            warnings.warn(TEXT, stacklevel=1)
    finally:
        logging.captureWarnings(False)
    assert finder.take() == [None]


def test_threads_find_the_same_without_waiting_for_each_other():
    """What is remembered is shared; a race costs work, never a wrong answer."""
    finder = Finder()
    quiet = logging.getLogger("frames.threads")
    quiet.propagate = False
    quiet.addHandler(finder)
    start = threading.Barrier(4)

    def work():
        start.wait()
        for number in range(50):
            quiet.warning(f"Thread counted {number:d} for {TEXT}")
            quiet.warning("Thread said %s", TEXT)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    quiet.removeHandler(finder)
    expected = ["Thread said %s"] * 200 + [f"Thread counted {number} for {{TEXT}}" for number in range(50)] * 4
    assert sorted(finder.take()) == sorted(expected)  # type: ignore[type-var]
