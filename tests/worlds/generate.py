"""Programs that only move texts about: strategies for their source, which holds none of the texts."""

from __future__ import annotations

import re
import textwrap

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.worlds.messages import MESSAGES, SENTENCE, TEXT, extras

HEADER = '''\
"""A generated program."""

import asyncio
import enum
import functools
import json
import logging
import pathlib
import threading
import types
import uuid

from tests.worlds.helpers import *

LOG = logging.getLogger(__name__)
TEMPLATE = "module template about %s"


def tell(message, *args, **fields):
    LOG.info(message, *args, stacklevel=2, extra=fields)


def tell_here(message, *args):
    LOG.warning(message, *args)


def run(t, n, f):
'''

LOGGERS = st.sampled_from(
    [
        "LOG",
        "logging",
        "logging.getLogger('app.worlds')",
        "logging.getLogger('verbatim_core.llm_client')",
        "logging.getLogger('uvicorn.error')",
        "logging.getLogger('rag.content')",
        "logging.getLogger('httpx')",
        "logging.getLogger('app').getChild('of ' + t[3])",
        "logging.getLogger('chat.' + t[0])",
        "logging.getLogger('other')",
        "Adapter(LOG, {'who': t[1]})",
        "logging.LoggerAdapter(LOG, {'who': t[1]})",
    ]
)
METHODS = st.sampled_from(["debug", "info", "warning", "error", "critical", "exception"])


# Ways to get to a log call: M stands for the message, A for the arguments with commas before, T for a text.
WAYS = st.sampled_from(
    [
        "tell(MA)",
        "tell_here(MA)",
        "told_by_another_module(MA)",
        "m = M\nLOG.info(mA)",
        "(lambda *a: LOG.info(*a))(MA)",
        "functools.partial(LOG.warning, MA)()",
        "in_thread(T, lambda: LOG.info(MA))",
        "in_task(T, lambda: LOG.info(MA))",
        "DropLogged(lambda: LOG.info(MA))",
        "LOG.info(*[MA])",
        "LOG.log(*(30, MA))",
        "[LOG.info(MA) for _ in range(2)]",
        "LOG.info(**{'msg': M})\nLOG.info(msg=M, stacklevel=3)",
        "class Service:\n    def ask(self, *a):\n        LOG.info(*a)\nService().ask(MA)",
    ]
)


@st.composite
def keywords(draw: st.DrawFn, in_except: bool) -> str:
    """Draw keyword arguments of a log call."""
    found = f", extra={draw(extras())}" if draw(st.booleans()) else ""
    if draw(st.integers(0, 3)) == 0:
        found += ", stack_info=True"
    if draw(st.integers(0, 5)) == 0:
        found += ", stacklevel=2"
    if in_except and draw(st.booleans()):
        found += f", exc_info={draw(st.sampled_from(['True', 'e', '(type(e), e, None)']))}"
    return found


@st.composite
def calls(draw: st.DrawFn, in_except: bool = False) -> list[str]:
    """Draw the lines of one log call."""
    message, args = draw(MESSAGES)
    arguments = "".join(f", {arg}" for arg in args)
    kind = draw(st.integers(0, 3))
    if kind < 2:
        parts = {"M": message, "A": arguments, "T": draw(SENTENCE)}
        # The capitals of other names stand beside letters.
        return re.sub(r"\b(?:MA?|T)\b|(?<=m)A", lambda one: "".join(parts[x] for x in one[0]), draw(WAYS)).split("\n")
    named = draw(keywords(in_except))
    if kind == 2:
        level = draw(st.sampled_from([5, 15, 25, 33, 50, 99]))
        return [f"LOG.log({level}, {message}{arguments}{named})"]
    return [f"{draw(LOGGERS)}.{draw(METHODS)}({message}{arguments}{named})"]


EXCEPTIONS = st.sampled_from(
    [
        "ValueError({})",
        "KeyError({})",
        "OSError(2, {}, {})",
        "Failure({})",
        # Its attributes are declared: a single word would pass as the name of a parameter.
        "Coded({sentence})",
        "type('Of' + {}.replace('\\0', ''), (LookupError,), {{}})('x')",
        "json.JSONDecodeError('bad', {}, 0)",
        "ExceptionGroup({}, [ValueError({}), Failure({})])",
        "UnicodeDecodeError('utf-8', {}.encode(), 0, 0, {})",
        "SystemExit({})",
        "Spoken({})",
    ]
)


@st.composite
def raising(draw: st.DrawFn, depth: int = 0) -> list[str]:
    """Draw the lines that raise an exception, perhaps out of the handling of another."""
    exc = (
        draw(EXCEPTIONS)
        .replace("{sentence}", draw(SENTENCE))
        .replace("{{", "\0")
        .replace("}}", "\1")
        .replace("{}", draw(TEXT))
    )
    exc = exc.replace("\0", "{").replace("\1", "}")
    if depth >= 2 or draw(st.integers(0, 2)) == 0:
        return [f"raise {exc}"]
    inner = draw(raising(depth + 1))
    lines = ["try:", *(f"    {line}" for line in inner), f"except BaseException as e{depth}:"]
    if draw(st.booleans()):
        lines.append(f"    e{depth}.add_note({draw(TEXT)})")
    if draw(st.integers(0, 5)) == 0:
        lines.append(f"    e{depth}.__cause__ = e{depth}")
    return [*lines, f"    raise {exc}{draw(st.sampled_from(['', f' from e{depth}', ' from None']))}"]


@st.composite
def handling(draw: st.DrawFn) -> list[str]:
    """Draw the lines that raise, handle and log an exception."""
    lines = ["try:", *(f"    {line}" for line in draw(raising())), "except BaseException as e:"]
    for _ in range(draw(st.integers(1, 2))):
        if draw(st.integers(0, 2)) == 0:
            call = draw(
                st.sampled_from(
                    [
                        "LOG.error(e)",
                        "LOG.exception('failed')",
                        "LOG.error('failed: %s', e)",
                        "LOG.error('failed: %r %s', e, e.args)",
                        "LOG.error(f'failed: {e}')",
                        "LOG.error('failed: ' + str(e), exc_info=True)",
                        "LOG.warning('Span extraction failed: %s', e, extra={'error': e})",
                        "LOG.error('failed', exc_info=BaseExceptionGroup(t[0], [e]))",
                    ]
                )
            )
            lines.append(f"    {call}")
        else:
            lines += [f"    {line}" for line in draw(calls(in_except=True))]
    return lines


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Draw the source of a program: a module with `run(t, n, f)`, where `t` are the texts."""
    lines: list[str] = []
    for _ in range(draw(st.integers(2, 6))):
        statement = draw(st.one_of(calls(), calls(), handling()))
        # A call whose own arguments fail (texts as templates) must not end the program.
        lines += ["with unharmed():", *(f"    {line}" for line in statement)]
    return HEADER + textwrap.indent("\n".join(lines), "    ") + "\n"


def generated(count: int, start: int = 0) -> list[str]:
    """Return programs, always the same ones for the same number.

    They are collected first and run together later: a process for each would take minutes.
    """
    found: list[str] = []

    @seed(start)
    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def collect(source: str) -> None:
        found.append(source)

    collect()
    return list(dict.fromkeys(found))
