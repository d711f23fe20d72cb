"""Explains a line of JSON: what was withheld from it, why, and which row of a contract would let it out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from discreet.contract import Registry
from discreet.contract.model import RecordRow
from discreet.errors import InvalidInputError
from discreet.export.json import PRESETS

__all__ = ["Explanation", "explain", "read_line"]

_BAND: Final = r"(?:0|1-15|16-63|64-255|256-1023|1024-4095|4096\+)"
_CLASS: Final = r"[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|<locals>))*\+?"
_SLOT: Final = re.compile(
    rf"<(?:(?P<text>str|bytes|bytearray) (?P<band>{_BAND})"
    rf"|(?P<place>[A-Za-z_][\w.\[\]-]{{0,200}}) (?:{_BAND}|int|float)"
    rf"|(?P<number>int|float)|(?P<missing>missing)|(?P<host>host)|(?P<cls>{_CLASS}))>|\{{(?P<code>[^{{}}]{{0,80}})\}}"
)
_ALL_OF_IT: Final = re.compile(rf"<str {_BAND}>|<[A-Za-z_][\w.\[\]-]{{0,200}} {_BAND}>")
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,255}", re.ASCII)
_DOTTED: Final = re.compile(r"[A-Za-z_]\w{0,127}(?:\.[A-Za-z_]\w{0,127}){0,15}")
_NUMBER: Final = re.compile(
    r"(?<![\w.])[-+]?\d{1,7}(?:[.,]\d{1,9})*(?:e[-+]?\d{1,3})?(?![.,]?\d)(?=(?:[nmuµ]?s|[kKMGT]i?B|B|x)?(?!\w))"
)
_LONGEST: Final = 4000
"""Characters of a template in a contract file."""

_TYPES: Final = {
    "text": "id, code, model_id, device, route, origin, host, module, class, phrase, or an enum of its values",
    "number": "int, count, duration_ms, timestamp or float",
    "cls": "class, module or count_of, which shows how many a container holds",
    "code": "int, float, count, id, code, model_id, route, host, or an enum of its values",
    "host": "host; the setting hosts lists those that may be shown",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to say about one line.

    .. versionadded:: 0.1.0
    """

    title: str
    """Level, logger and message."""

    withheld: int
    """How many values the line says were withheld; an exception's text isn't among them."""

    reasons: tuple[str, ...] = ()
    """One sentence each; none when there is nothing to explain."""

    rows: tuple[str, ...] = ()
    """Pieces of a contract file that would let values out, in TOML."""

    key: tuple[str, ...] = field(default=(), compare=False)
    """The same for lines that have the same explanation but for their numbers."""


def read_line(text: str) -> dict[str, Any]:
    """Return the fields of a line under our own names, whichever preset it was written with.

    Args:
        text: the line.

    Raises:
        InvalidInputError: it is no JSON object, or none of ours.

    .. versionadded:: 0.1.0
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        # The parser's own message quotes the line.
        raise InvalidInputError("is no JSON; a whole line is needed", param="LINE") from error
    if type(found) is not dict:
        raise InvalidInputError("is no JSON object; a whole line is needed", param="LINE")
    no_names: dict[str, str] = {}
    for names in (no_names, *PRESETS.values()):
        if all(names.get(name, name) in found for name in ("level", "logger", "message")):
            back = {shown: name for name, shown in names.items()}
            return {back.get(str(name), str(name)): value for name, value in found.items()}
    raise InvalidInputError(
        "has no level, logger and message, neither by our names nor by those of the presets ecs and otel", param="LINE"
    )


def explain(fields: Mapping[str, Any], registry: Registry) -> Explanation:
    """Say what was withheld from a line, and which row would let it out. It says nothing that isn't in the line.

    Args:
        fields: what :func:`read_line` returned.
        registry: the active contracts.

    .. versionadded:: 0.1.0
    """
    return _Explainer(fields, registry).explanation()


class _Explainer:
    def __init__(self, fields: Mapping[str, Any], registry: Registry) -> None:
        self._fields = fields
        self._registry = registry
        self._logger = self._text("logger")
        self._message = self._text("message")
        count = fields.get("withheld")
        self._withheld = count if type(count) is int and count > 0 else 0
        self._slots = list(_SLOT.finditer(self._message)) if self._withheld else []
        self._reasons: list[str] = []
        self._rows: list[str] = []

    def _text(self, name: str) -> str:
        value = self._fields.get(name)
        return value if type(value) is str else ""

    def explanation(self) -> Explanation:
        """Look at all that a line can tell of what isn't in it."""
        if self._message == "<record withheld: the guard failed>":
            self._reasons.append(
                "The guard failed, so all of the record was withheld. See the failures of the ledger, and guard_failed."
            )
        elif self._is_whole():
            self._explain_message()
        else:
            self._explain_slots()
        self._explain_exception()
        self._explain_names()
        title = f"{self._text('level')} {self._logger}: {self._message}"
        return Explanation(title, self._withheld, tuple(self._reasons), tuple(self._rows), self._key())

    def _key(self) -> tuple[str, ...]:
        place = (str(self._fields.get("code_function", "")), str(self._fields.get("code_line", "")))
        return self._logger, re.sub(r"\d+(?:\.\d+)?", "0", self._message), *place, *self._reasons

    def _is_whole(self) -> bool:
        known = "code_function" in self._fields
        return bool(self._withheld) and (known or _ALL_OF_IT.fullmatch(self._message) is not None)

    def _explain_message(self) -> None:
        function, line = self._text("code_function"), self._fields.get("code_line")
        where = f" in {function}, line {line}" if function and type(line) is int else ""
        helper = _DOTTED.fullmatch(function) is not None
        self._reasons.append(
            f"The whole message: no code proves it. It was computed, or handed on by a helper{where}. Write it as a "
            f"literal with arguments in the log call; in a helper, log with stacklevel=2"
            f"{', or declare the helper:' if helper else '.'}"
        )
        if helper:
            self._rows.append(f"[loggers]\nwrappers = [{_quoted(function)}]")
        rest = self._withheld - 1
        if rest > 0:
            self._explain_rest(rest)

    def _explain_slots(self) -> None:
        slots = self._slots
        row = self._declared_row()
        types = self._types(row) if row is not None else {}
        for slot in slots:
            self._reasons.append(f"{slot[0]}: {_what(slot, types.get(slot.span()))}")
        if len(slots) > self._withheld:
            self._reasons.append("Some of these may be the message's own words: fewer values were withheld.")
        if row is None and any(slot["place"] is None for slot in slots):
            self._add_row()
        if len(slots) < self._withheld:
            self._explain_rest(self._withheld - len(slots))

    def _declared_row(self) -> RecordRow | None:
        """Return the row of an active contract that has this message's template."""
        if len(self._message) > _LONGEST:
            return None
        for row in self._registry.templates(self._logger):
            if len(row.literals) > 1 and re.fullmatch(
                ".*?".join(map(re.escape, row.literals)), self._message, re.DOTALL
            ):
                return row
        return None

    def _types(self, row: RecordRow) -> dict[tuple[int, int], str]:
        """Return what a row says of the values, by where they stand in the message."""
        found = re.fullmatch("(.*?)".join(map(re.escape, row.literals)), self._message, re.DOTALL)
        said = {}
        for number, arg in enumerate(row.args, start=1):
            if arg.type is None:
                kind = "has no type"
            elif str(arg.type) == "client_address":
                # Nothing is wrong with the value, and no other type is wanted.
                kind = "is a caller's address. discreet.seal.types.show_client_addresses() shows them"
            else:
                kind = f"is of type {arg.type}, which refused it"
            if found is not None:
                said[found.span(number)] = f"In the contract {row.contract}, value {number} of this template {kind}."
        return said

    def _add_row(self) -> None:
        template, slots = self._template()
        if not _NAME.fullmatch(self._logger) or len(template) > _LONGEST:
            return
        self._reasons.append(
            'This row names the template; write a type in place of each "" that may go out. A number in the message is '
            "taken for a value, and shown without a type; write it into the template if it always stands there."
        )
        types = ", ".join('""' for _ in slots)
        self._rows.append(
            f"[[records]]\nlogger = {_quoted(self._logger)}\ntemplate = {_quoted(template)}\n"
            f"args = [{types}]  # {', '.join(slots)}"
        )

    def _template(self) -> tuple[str, list[str]]:
        """Return the template and what is shown in its slots."""
        parts: list[str] = [""]
        shown: list[str] = []
        end = 0
        slots = [(slot.start(), slot.end()) for slot in self._slots]
        inside = [range(*slot) for slot in slots]
        numbers = [match.span() for match in _NUMBER.finditer(self._message)]
        slots += [one for one in numbers if not any(one[0] in place for place in inside)]
        for start, stop in sorted(slots):
            parts[-1] += self._message[end:start].replace("{", "{{").replace("}", "}}")
            parts.append("")
            shown.append("".join(letter if letter.isprintable() else "?" for letter in self._message[start:stop]))
            end = stop
        parts[-1] += self._message[end:].replace("{", "{{").replace("}", "}}")
        return "{}".join(parts), shown

    def _explain_rest(self, count: int) -> None:
        owner = self._registry.policy(self._logger).contract
        what = f"{count} value{'' if count == 1 else 's'} that the message doesn't show: "
        if self._logger == "uvicorn.error" and count == 1 and self._declared_row() is not None:
            # Its lines of every start, of which no operator should declare anything.
            self._reasons.append(f"{what}uvicorn's color_message, which repeats the message in colours.")
            return
        if owner is not None:
            where = f"that contract, {owner}, or for the whole application with attributes= of configure()"
        else:
            where = "a contract that names the logger, or for the whole application with attributes= of configure()"
        self._reasons.append(
            f"{what}attributes of extra= that no contract declares for this logger, or of another type than declared; "
            f"their names aren't in the line. Declare them in {where}:"
        )
        names = "" if owner is not None or not _NAME.fullmatch(self._logger) else f"names = [{_quoted(self._logger)}]"
        self._rows.append((f"[loggers]\n{names}\n\n" if names else "") + '[attributes]\n# name = "type"')

    def _explain_exception(self) -> None:
        kind = self._text("exception_type")
        if not kind or self._text("exception_message"):
            return
        name = kind.partition("(")[0].removesuffix("+")
        declared = next(
            (one.name for one in self._registry.contracts if any(row.class_name == name for row in one.exceptions)),
            None,
        )
        said = f"The text of {name}: an exception's text never goes out, for it can quote anything. "
        if declared is not None:
            self._reasons.append(f"{said}The contract {declared} says which of its values do.")
        elif _DOTTED.fullmatch(name):
            self._reasons.append(f"{said}Its values can, once they have a type:")
            self._rows.append(f'[[exceptions]]\nclass = {_quoted(name)}\nattributes = {{}}  # name = "type"')
        else:
            self._reasons.append(said.strip())

    def _explain_names(self) -> None:
        for name, table in (("event", "events"), ("warning_code", "warning_codes"), ("error_code", "error_codes")):
            if self._fields.get(name) == "undeclared":
                self._reasons.append(f"{name} undeclared: no active contract has the name; declare it in [[{table}]].")
        if "<" in self._logger and self._logger != "<withheld>":
            self._reasons.append(
                f"The logger {self._logger}: its name was made at run time. Use logging.getLogger(__name__) or a "
                "constant, or list it in names of [loggers]."
            )
        if self._fields.get("truncated") is True:
            self._reasons.append("The line was cut to the sink's limit, see max_bytes.")


def _what(slot: re.Match[str], typed: str | None) -> str:
    """Say what a slot stands for, and which types it may have, or what a contract says of its type."""
    if slot["place"] is not None:
        return "it agrees with this text of the call, or holds a piece of it. Nothing lets it out: it is a customer's."
    if slot["missing"] is not None:
        return "the arguments have no such key: the log call is wrong."
    what, kind = _shown(slot)
    return f"{what}. {typed}" if typed is not None else f"{what}, which nothing types. Types: {_TYPES[kind]}."


def _shown(slot: re.Match[str]) -> tuple[str, str]:
    if slot["text"] is not None:
        kind, unit = ("a text", "characters") if slot["text"] == "str" else (slot["text"], "bytes")
        return f"{kind} of {slot['band']} {unit}", "text"
    if slot["number"] is not None:
        return "a number with more than 7 digits", "number"
    if slot["host"] is not None:
        return "a host that the program isn't known to talk to", "host"
    if slot["cls"] is not None:
        return "an object of this class, of which no method is called", "cls"
    known = slot["code"] not in ("", "…", "prefix", "suffix")
    return f"{'the value of this expression' if known else 'a value'} that the code put there when it ran", "code"


def _quoted(text: str) -> str:
    """Return a basic string of TOML."""
    return f'"{"".join(_letters(text))}"'


def _letters(text: str) -> Iterator[str]:
    for letter in text:
        if letter in '"\\':
            yield f"\\{letter}"
        elif letter.isprintable():
            yield letter
        elif "\ud800" <= letter <= "\udfff":
            # No TOML file can hold it.
            yield "\ufffd"
        else:
            yield f"\\u{ord(letter):04x}" if ord(letter) <= 0xFFFF else f"\\U{ord(letter):08x}"  # noqa: PLR2004
