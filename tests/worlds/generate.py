"""Programs that only move texts about: strategies for their source, which holds none of the texts."""

from __future__ import annotations

import textwrap

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tests.worlds.texts import SENTENCES, TEXTS

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

WORDS = st.sampled_from(
    ["chunk", "question of", "is", "answered in", "ms", "100%% of", "it's", "[", "]", ":", "= ", "user", "-"]
)
TEXT = st.sampled_from([f"t[{index}]" for index in range(len(TEXTS))])
SENTENCE = st.sampled_from([f"t[{index}]" for index in SENTENCES])
NUMBER = st.sampled_from(["n", "f", "7", "0.25", "True", "None", "n * 2", "-n"])
_OF_ONE = (
    "{}",
    "{}.upper()",
    "{}[:7]",
    "{}[2:3]",
    "({} + '')",
    "{}.encode()",
    "bytearray({}, 'utf-8')",
    "[{}]",
    "({}, n)",
    '{{"key": {}}}',
    "{{{}: n}}",
    "Plain({})",
    "Text({})",
    "Number({})",
    "ValueError({})",
    "Failure({})",
    "pathlib.PurePath({})",
    "int.from_bytes(b'longer than seven ' + {}.encode(), 'big')",
    "uuid.uuid5(uuid.NAMESPACE_URL, {})",
    "enum.Enum('Label', {{'of ' + {}: 1}})(1)",
    "type('Of' + {}, (), {{}})",
    "types.SimpleNamespace(text={})",
    "(x for x in [{}])",
    "functools.partial(str, {})",
    "len({})",
    "repr({})",
)


@st.composite
def values(draw: st.DrawFn) -> str:
    """Draw an expression: a text, something that holds one, or a number."""
    if draw(st.integers(0, 3)) == 0:
        return draw(NUMBER)
    form = draw(st.sampled_from(_OF_ONE))
    return form.replace("{{", "\0").replace("}}", "\1").replace("{}", draw(TEXT)).replace("\0", "{").replace("\1", "}")


@st.composite
def simple_values(draw: st.DrawFn) -> str:
    """Draw an expression that can stand within an f-string."""
    return draw(st.one_of(TEXT, NUMBER, st.sampled_from(["len(t[0])", "Plain(t[1])", "Number(t[4])"])))


@st.composite
def percent_messages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a %-template and its arguments."""
    parts, args = [], []
    for _ in range(draw(st.integers(1, 4))):
        parts.append(draw(WORDS))
        if draw(st.booleans()):
            conversion, value = draw(
                st.one_of(
                    st.tuples(st.sampled_from(["%s", "%r", "%a", "%-9.4s", "%.3r", "%20s"]), values()),
                    st.tuples(st.sampled_from(["%d", "%.1f", "%5i", "%x", "%s"]), st.sampled_from(["n", "7"])),
                    # One that does not fit.
                    st.tuples(st.sampled_from(["%d", "%c", "%.2f"]), values()),
                )
            )
            parts.append(conversion)
            args.append(value)
    if draw(st.integers(0, 9)) == 4:
        args.append(draw(values()))
    return repr(" ".join(parts)), args


@st.composite
def keyed_messages(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a %-template with names, and its mapping."""
    mapping = f'{{"a": {draw(values())}, "b": {draw(values())}, {draw(TEXT)}: 1}}'
    return draw(st.sampled_from(["'%(a)s and %(b)r'", "'%(a).5s'", "'%(b)s of %(missing)s'", "'%s'"])), [mapping]


@st.composite
def f_strings(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw an f-string of literals, texts and numbers, in any order and without anything between."""
    parts = []
    for _ in range(draw(st.integers(1, 5))):
        kind = draw(st.integers(0, 3))
        if kind == 0:
            parts.append(draw(WORDS).replace("%%", "%") + draw(st.sampled_from(["", " "])))
        elif kind == 1:
            spec = draw(st.sampled_from(["", "!r", "!s", "!a", ":>40", ":.5", "!r:.9", "!s:5"]))
            parts.append(f"{{{draw(TEXT)}{spec}}}")
        elif kind == 2:
            number, spec = draw(
                st.sampled_from(
                    [("n", ":d"), ("n", ""), ("f", ":.1f"), ("f", ":.2%"), ("n", ":,"), ("n + 1", ""), ("n", "=")]
                )
            )
            parts.append(f"{{{number}{spec}}}")
        else:
            parts.append(f"{{{draw(simple_values())}}}")
    quote = '"""'
    return f"f{quote}{''.join(parts)} {quote}", []


@st.composite
def composed(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Draw a message that is made by an operator, a method or a call."""
    a, b = draw(TEXT), draw(TEXT)
    forms = [
        f"'about ' + {a}",
        f"{a} + ' of ' + str(n)",
        f"'about %s' % {a}",
        f"'about %s in %d ms' % ({a}, n)",
        f"'about %(q)s' % {{'q': {a}}}",
        f"'about {{}} in {{:.1f}} ms'.format({a}, f)",
        f"'about {{q!r}} and {{w}}'.format(q={a}, w={b})",
        f"'about {{0}}{{0}}'.format({a})",
        f"', '.join([{a}, {b}])",
        f"{a} if n else 'nothing'",
        f"'nothing' if n < 0 else {a}",
        f"{a} or {b}",
        f"(m := {a})",
        f"str({a})",
        f"{a} * 2",
        f"same({a})",
        f"Text({a})",
        f"Plain({a})",
        f"[{a}]",
        f"ValueError({a})",
        f"{{'event': {a}}}",
        f"{a}.encode()",
        "None",
        "n",
        "'plain ' 'literal'",
        "'one' if n else 'two'",
        "TEMPLATE",
    ]
    args = draw(st.sampled_from([[], [], [], [b], ["n"]]))
    return draw(st.sampled_from(forms)), list(args)


MESSAGES = st.one_of(percent_messages(), keyed_messages(), f_strings(), composed())


@st.composite
def extras(draw: st.DrawFn) -> str:
    """Draw a value for `extra`: declared names, undeclared ones, names made of text."""
    fields = []
    if draw(st.booleans()):
        fields.append(f"'event': {draw(st.sampled_from(['EVENT', draw(TEXT)]))}")
    if draw(st.booleans()):
        fields.append(f"'warning_code': {draw(st.sampled_from(['W_CODE', draw(TEXT)]))}")
    if draw(st.booleans()):
        fields.append(f"'error_code': {draw(st.sampled_from(['E_CODE', draw(TEXT)]))}")
    for name in draw(
        st.lists(st.sampled_from(["n", "model", "tenant", "duration_ms", "status"]), max_size=2, unique=True)
    ):
        fields.append(f"{name!r}: {draw(st.one_of(SENTENCE, NUMBER))}")
    if draw(st.booleans()):
        fields.append(f"'prompt': {draw(values())}")
    if draw(st.booleans()):
        fields.append(f"'of ' + {draw(TEXT)}: {draw(values())}")
    return "{" + ", ".join(fields) + "}"


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


@st.composite
def calls(draw: st.DrawFn, in_except: bool = False) -> list[str]:
    """Draw the lines of one log call."""
    message, args = draw(MESSAGES)
    arguments = "".join(f", {arg}" for arg in args)
    kind = draw(st.integers(0, 11))
    if kind == 0:
        return [f"{draw(st.sampled_from(['tell', 'tell_here', 'told_by_another_module']))}({message}{arguments})"]
    if kind == 1:
        return [f"m = {message}", f"LOG.info(m{arguments})"]
    if kind == 2:
        return [f"(lambda *a: LOG.info(*a))({message}{arguments})"]
    if kind == 3:
        return [f"functools.partial(LOG.warning, {message})({arguments.removeprefix(', ')})"]
    if kind == 4:
        return [f"in_thread(t[{draw(st.sampled_from(SENTENCES))}], lambda: LOG.info({message}{arguments}))"]
    if kind == 5:
        return [f"in_task(t[{draw(st.sampled_from(SENTENCES))}], lambda: LOG.info({message}{arguments}))"]
    if kind == 6:
        return [f"DropLogged(lambda: LOG.info({message}{arguments}))"]
    keywords = ""
    if draw(st.booleans()):
        keywords += f", extra={draw(extras())}"
    if draw(st.integers(0, 3)) == 0:
        keywords += ", stack_info=True"
    if draw(st.integers(0, 5)) == 0:
        keywords += ", stacklevel=2"
    if in_except and draw(st.booleans()):
        keywords += f", exc_info={draw(st.sampled_from(['True', 'e', '(type(e), e, None)']))}"
    if kind == 7:
        return [
            f"LOG.log({draw(st.sampled_from(['5', '15', '25', '33', '50', '99']))}, {message}{arguments}{keywords})"
        ]
    return [f"{draw(LOGGERS)}.{draw(METHODS)}({message}{arguments}{keywords})"]


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
