"""Instructions of a code object, how high the stack stands after each, and which of them made a value on it.

Expressions are compiled so that each value stays where it is on the stack while the next one is computed above it.
So the value at a given height is made by the last instruction that left the stack exactly that high, apart from
instructions that only take something away from above it. Jumps into what follows that instruction (of a conditional,
of ``or``) are other ways on which the same value is made.

Nothing here runs any of the code. Checked on CPython 3.11 to 3.13; the names that 3.14 renames or adds are known.
https://docs.python.org/3/library/dis.html
"""

from __future__ import annotations

import dis
from types import CodeType
from typing import Final

__all__ = ["Flow", "flow"]

_JUMPS: Final = frozenset(dis.hasjrel) | frozenset(dis.hasjabs)
_WITH_ARG: Final = frozenset(getattr(dis, "hasarg", ())) or frozenset(range(dis.HAVE_ARGUMENT, 256))
_CACHE: Final = dis.opmap["CACHE"]
_EXTENDED_ARG: Final = dis.opmap["EXTENDED_ARG"]
_NAMES: Final = tuple(dis.opname)
_BACKWARD: Final = frozenset(op for op in _JUMPS if "BACKWARD" in _NAMES[op])
_ENDS: Final = frozenset(
    {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE", "JUMP_FORWARD", "JUMP_BACKWARD"}
) | {"JUMP_BACKWARD_NO_INTERRUPT"}
_PASSIVE_NAMES: Final = frozenset({"NOP", "RESUME", "NOT_TAKEN", "PRECALL", "KW_NAMES"})
_PASSIVE_PREFIXES: Final = ("POP_", "JUMP_", "STORE_", "DELETE_")
_PAIRS: Final = {
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
    "LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
}
"""Instructions of 3.13 and later that are two in one, with one argument of four bits for each."""

_SAME: Final = {"LOAD_FAST_BORROW": "LOAD_FAST", "LOAD_FAST_CHECK": "LOAD_FAST"}
_HANDLER_HEIGHT: Final = 1000
"""Where an exception handler's code begins; only differences of heights matter, within one expression."""

_MAX_BYTES: Final = 100_000
"""Code of more bytes than this is not looked at: it would make one log call wait for too long."""


class Flow:
    """The instructions of one code object with the heights of the stack.

    Attributes:
        code: the code object.
        ops: the instructions' names, those of 3.13 that are two in one taken apart.
        args: their arguments.
        before: the stack's height before each instruction.
        after: its height after each, when it does not jump.

    .. versionadded:: 0.1.0
    """

    __slots__ = ("_ends", "_jumps", "_passive", "_units", "after", "args", "before", "code", "ops")

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.ops: list[str] = []
        self.args: list[int] = []
        self.before: list[int] = []
        self.after: list[int] = []
        self._units: list[int] = []
        self._jumps: dict[int, list[tuple[int, int]]] = {}
        self._passive: list[bool] = []
        self._ends: list[bool] = []
        self._measure(self._decode())

    def _decode(self) -> list[tuple[int, int]]:
        """Fill names and arguments; return each instruction's opcode and the unit at which the next one begins."""
        raw = self.code.co_code
        found: list[tuple[int, int]] = []
        extended = 0
        started = False
        for unit in range(len(raw) // 2):
            op, arg = raw[2 * unit], raw[2 * unit + 1]
            if op == _CACHE and not started and found:
                self._units.append(len(self.ops) - 1)
                for back in range(len(found) - 1, -1, -1):
                    if found[back][1] != unit:
                        break
                    found[back] = (found[back][0], unit + 1)
                continue
            if op == _EXTENDED_ARG:
                self._units.append(len(self.ops))
                extended = (extended | arg) << 8
                started = True
                continue
            self._units.append(len(self.ops))
            arg |= extended
            extended = 0
            started = False
            name = _NAMES[op]
            pair = _PAIRS.get(name)
            if pair is None:
                self.ops.append(_SAME.get(name, name))
                self.args.append(arg)
                found.append((op, unit + 1))
            else:
                self.ops += pair
                self.args += (arg >> 4, arg & 15)
                found += [(-1, unit + 1)] * 2
        return found

    def _measure(self, found: list[tuple[int, int]]) -> None:
        height: int | None = 0
        labels: dict[int, int] = {}
        for index, (op, next_unit) in enumerate(found):
            name, arg = self.ops[index], self.args[index]
            if height is None:
                height = labels.get(index, _HANDLER_HEIGHT)
            self.before.append(height)
            if op in _JUMPS:
                distance = -arg if op in _BACKWARD else arg
                if 0 <= next_unit + distance < len(self._units):
                    target = self._units[next_unit + distance]
                    landing = height + dis.stack_effect(op, arg, jump=True)
                    self._jumps.setdefault(target, []).append((index, landing))
                    if target > index:
                        labels.setdefault(target, landing)
            if op < 0:
                effect = 1 if name == "LOAD_FAST" else -1
            else:
                effect = dis.stack_effect(op, arg if op in _WITH_ARG else None, jump=False)
            self.after.append(height + effect)
            self._ends.append(name in _ENDS)
            self._passive.append(name in _PASSIVE_NAMES or name.startswith(_PASSIVE_PREFIXES))
            height = None if name in _ENDS else height + effect

    def index_of(self, lasti: int) -> int:
        """Return the instruction that is executing when a frame's ``f_lasti`` has this value, -1 if there is none.

        A running call's ``f_lasti`` may point at the call or at its inline cache, depending on the version.
        """
        unit = lasti // 2
        return self._units[unit] if 0 <= unit < len(self._units) else -1

    def producers(self, height: int, end: int) -> list[int]:
        """Return the instructions that can have made the value at a height, looking back from an instruction.

        Args:
            height: the value's place on the stack, counted from 1.
            end: the last instruction that ran before the value is used; the value may have been made long before it.

        Returns:
            One instruction, or one for each branch; -1 stands for a way that is not understood.
        """
        found: list[int] = []
        seen = {end}
        todo = [end]
        while todo:
            place, sources = self._producer(height, todo.pop())
            if place is not None and place not in found:
                found.append(place)
            for source in sources:
                if source - 1 not in seen:
                    seen.add(source - 1)
                    todo.append(source - 1)
        return found

    def _producer(self, height: int, end: int) -> tuple[int | None, list[int]]:
        """Return the instruction on the straight way back, None if there is no such way, and jumps that lead here."""
        after, passive, ends = self.after, self._passive, self._ends
        place: int | None = -1
        index = end
        while index >= 0:
            if ends[index]:
                # Nothing falls through to what follows: only jumps lead there.
                place = None
                break
            if not passive[index]:
                if after[index] == height:
                    place = index
                    break
                if after[index] < height:
                    return -1, []
            index -= 1
        sources: list[int] = []
        for target in range(index + 1, end + 2):
            for source, landing in self._jumps.get(target, ()):
                if source > index:
                    continue
                if landing < height or (landing == height and self.ops[source] == "SEND"):
                    return -1, []
                sources.append(source)
        return (place, sources) if sources or place is not None else (-1, [])


_flows: dict[int, Flow] = {}
_MAX_FLOWS: Final = 64


def flow(code: CodeType) -> Flow | None:
    """Return the instructions of a code object, kept for a while because a function often has several log calls.

    Returns:
        None if there are too many of them, or if they are not understood.

    .. versionadded:: 0.1.0
    """
    known = _flows.get(id(code))
    # The entry holds the code object, so its id can't have been given to another one.
    if known is not None and known.code is code:
        return known
    if len(code.co_code) > _MAX_BYTES:
        return None
    try:
        made = Flow(code)
    except (IndexError, ValueError):
        # Opcodes of an unknown version, or code that was put together by hand: nothing can be proven with it.
        return None
    if len(_flows) >= _MAX_FLOWS:
        _flows.clear()
    _flows[id(code)] = made
    return made
