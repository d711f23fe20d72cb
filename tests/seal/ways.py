"""Ways to call a logger, each in a function of its own. TEXT stands for what a customer wrote.

Neither formatter nor linter may make one way out of two.
"""
# fmt: off
# ruff: noqa: C400, E702, FLY002, PIE804, PLC3002, UP018

from __future__ import annotations

import functools
import logging
from string import Template

log = logging.getLogger("ways")
TEXT = "Is the tenant allowed to keep two goats"
COUNT, SECONDS = 41, 2.71828
OF_MODULE = "The module says that %s was here"
_ = str.upper


class Stamped(logging.LoggerAdapter):
    def process(self, msg, kwargs):
        return f"<{TEXT}> {msg} (end)", kwargs


class Named(logging.Logger):
    def shout(self, msg, *args):
        self.info(msg, *args)


adapter = logging.LoggerAdapter(log, {})
stamped = Stamped(log, {})


class House:
    OF_CLASS = "The class keeps %s for later"

    def constant(self):
        log.info(self.OF_CLASS, TEXT)


class Cottage(House):
    def inherited(self):
        log.info(self.OF_CLASS, TEXT)


def relay(message, *args):
    log.info(message, *args)


def relay_up(message, *args):
    log.info(message, *args, stacklevel=2)


def add_prefix(message):
    log.info("Relayed: " + message, stacklevel=2)


def literal():
    log.info("Nothing to fill in")


def arguments():
    log.info("Kept %s of %d", TEXT, COUNT)


def mapping():
    log.info("Kept %(what)s", {"what": TEXT})


def f_string():
    log.info(f"Kept {TEXT} for {SECONDS:.1f} s")


def f_string_debug():
    log.info(f"Kept {COUNT=} of {TEXT!r:>80}")


def f_string_nested_spec():
    log.info(f"Kept {COUNT:>{COUNT}} of it")


def format_method():
    log.info("Kept {} for {:.2f} s".format(TEXT, SECONDS))


def format_names():
    log.info("Kept {what!r} for {time:.2f} s".format(what=TEXT, time=SECONDS))


def percent_operator():
    log.info("Kept %s for %.2f s" % (TEXT, SECONDS))


def percent_operator_texts_only():
    log.info("Kept %s of %s here" % (TEXT, COUNT))


def plus():
    log.info("Kept " + TEXT + " at home")


def plus_number():
    log.info("Kept " + TEXT + " and " + str(len(TEXT)) + " letters")


def several_lines():
    log.info(
        "Kept over "
        "several lines %s",
        TEXT,
    )


def several_lines_f():
    log.warning(
        f"Kept over {TEXT} "
        "several "
        f"lines {COUNT:d}",
    )


def attribute_on_next_line():
    (
        log
        .info(
            f"Chained {TEXT} along"
        )
    )


def two_on_a_line():
    (log.info(f"Left {TEXT}"), log.info(f"Right {COUNT:d}"))


def semicolon():
    log.info(f"Before {TEXT}"); log.info(f"After {COUNT:d}")


def conditional():
    log.info(f"Found {TEXT}" if COUNT else f"Missed {TEXT}")


def conditional_literal():
    log.info("Found %s" if COUNT > 100 else "Missed %s", TEXT)


def conditional_returned(yes=False):
    return log.info("Found it" if yes else "Missed it")


def alternative():
    log.info(None or "Nothing was said")


def exception():
    try:
        raise ValueError(TEXT)
    except ValueError:
        log.exception(f"Lost {TEXT} on the way")


def with_level():
    log.log(logging.INFO, f"At a level {TEXT}")


def by_keyword():
    log.info(msg=f"By keyword {TEXT}")


def plain_adapter():
    adapter.info(f"Adapted {TEXT} or not")


def plain_adapter_literal():
    adapter.info("Adapted %s literally", TEXT)


def stamping_adapter():
    stamped.info("Stamped on both sides")


def stamping_adapter_f():
    stamped.info(f"Stamped around {TEXT} and {COUNT:d} of both")


def relayed():
    relay("Relayed %s onwards", TEXT)


def relayed_f():
    relay(f"Relayed {TEXT} onwards")


def relayed_up():
    relay_up("Lifted %s upwards", TEXT)


def relayed_up_f():
    relay_up(f"Lifted {TEXT} upwards")


def relayed_with_prefix():
    add_prefix(TEXT)


def decorated():
    def spoken(function):
        @functools.wraps(function)
        def inner(*args):
            log.info(f"Calling {function.__name__} with {args}")
            return function(*args)

        return inner

    @spoken
    def quiet(value):
        return value

    quiet(TEXT)


def comprehension():
    [log.info(f"Each {one}") for one in (TEXT,)]


def generator():
    list(log.info(f"Every {one}") for one in (TEXT,))


def with_await():
    async def reply():
        return TEXT

    async def inner():
        log.info(f"Awaited {await reply()} in {SECONDS:.1f} s")

    try:
        inner().send(None)
    except StopIteration:
        pass


def mapped_literals():
    list(map(log.info, ["Mapped like this"]))


def mapped_texts():
    list(map(log.info, [TEXT]))


def partial():
    functools.partial(log.info, f"Partial {TEXT} here")()


def lambda_parameter():
    (lambda message: log.info(message))("Through a parameter")


def local_template():
    message = "Local %s template"
    log.info(message, TEXT)


def local_f_string():
    message = f"Local {TEXT} text"
    log.info(message)


def module_constant():
    log.info(OF_MODULE, TEXT)


def class_constant():
    House().constant()


def inherited_constant():
    Cottage().inherited()


def named_class_constant():
    log.info(House.OF_CLASS, TEXT)


def text():
    log.info(TEXT)


def text_with_args():
    log.info(TEXT + " %s", COUNT)


def joined():
    log.info(" ".join([TEXT, "x"]))


def root_function():
    logging.info(f"Rooted {TEXT} firmly")


def walrus():
    log.info(message := f"Walrus {TEXT} ashore")
    return message


def starred():
    log.info("Starred %s and %s", *(TEXT, COUNT))


def starred_list():
    log.info(*["Starred %s wholly", TEXT])


def double_starred():
    log.info("Starred %s twice", TEXT, **{"extra": {"a": 1}})


def translated():
    log.info(str("Translated %s well"), TEXT)


def computed():
    log.info(Template("Computed $x").substitute(x=TEXT))


def blank():
    log.info(f"{TEXT} {TEXT}")


def one_letter():
    log.info("x")


def one_letter_text():
    log.info(TEXT[0], "I")
