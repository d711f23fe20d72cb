"""Strategies for what a program logs: expressions for values, messages with their arguments, extras."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.worlds.texts import SENTENCES, TEXTS

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
        f"{a} + f'{{n:d}}'",
        f"f'{{n:d}}' + {a}",
        f"str(n) + {a} + str(n)",
        f"'%d' % n + {a} + '%.1f' % f",
        f"f'{{n:d}}' f'{{{a}}}' f'{{f:.1f}}'",
        f"f'of {{n:d}}'.join([{a}, {b}])",
        f"f'of {{{a} + str(n)}} in {{n:d}}'",
        f"f'of {{n:d}} in {{str(n) + {a}}}'",
        f"f'{{{a}:{{n}}}} in {{n:>{{n}}}}'",
        f"'{{:>{{w}}}} in {{n:d}}'.format({a}, w=n, n=n)",
        f"'{{0!r:.3}} of {{1}}'.format({a}, n)",
        f"'of %s' % {a} if n else 'of %d' % n",
        f"f'of {{n:d}}' if {a} else f'of {{{a}}}'",
        f"'of %s in %%d' % {a}",
        f"'of %s' + {a}",
        f"('of %s', {a})[1]",
        f"f'{{{a}}}' 'of %s'",
        f"{a}.join('of')",
        f"{a}.replace('e', 'o')",
        f"'of {{}}'.replace('{{}}', {a})",
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
