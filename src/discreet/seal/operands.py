"""What the arguments of a running call are made of, as far as its code's instructions tell."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Final

from discreet.seal.bytecode import Flow
from discreet.seal.pieces import (
    MAX_PIECES,
    NO_NAMES,
    UNKNOWN,
    Call,
    Choice,
    Composed,
    Constant,
    Hole,
    Number,
    Value,
    Variable,
    built_in,
    format_value,
    hole,
    joined,
    number_needs,
    operation,
    percent_value,
)

__all__ = ["call_at"]

_REMAINDER: Final = 6
_LIST_TO_TUPLE: Final = 6
_UNARY_POSITIVE: Final = 5
_MAX_DEPTH: Final = 25


def call_at(flow: Flow, lasti: int) -> Call | None:
    """Return the arguments of the call that a frame is executing, None if it is executing something else.

    Args:
        flow: the instructions of the frame's code.
        lasti: the frame's ``f_lasti``.

    .. versionadded:: 0.1.0
    """
    return _Reader(flow).call(flow.index_of(lasti))


class _Reader:
    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._code = flow.code
        self._depth = 0

    def call(self, index: int) -> Call | None:
        flow = self._flow
        ops = flow.ops
        if index < 0:
            return None
        if ops[index] == "PRECALL":
            # 3.11: calls of C functions run in the instruction before CALL.
            index += 1
        name = ops[index]
        if name == "CALL_FUNCTION_EX":
            return self._spread(index)
        if name not in ("CALL", "CALL_KW"):
            return None
        count = flow.args[index]
        names, first = self._keyword_names(index)
        if names is None or len(names) > count:
            return None
        # Before PRECALL, KW_NAMES or the tuple of names, the last argument is on top of the stack.
        top = flow.before[first]
        if self._is_class_statement(top - count, first - 1):
            return None
        values = [self._value(top - count + 1 + position, first - 1) for position in range(count)]
        split = count - len(names)
        return Call(tuple(values[:split]), dict(zip(names, values[split:], strict=True)))

    def _keyword_names(self, index: int) -> tuple[tuple[str, ...] | None, int]:
        """Return the names of keyword arguments and the first instruction after the last argument."""
        ops, args = self._flow.ops, self._flow.args
        if ops[index] == "CALL_KW":
            names = self._constant(index - 1)
            return (names, index - 1) if type(names) is tuple else (None, index)
        names = ()
        first = index
        if first and ops[first - 1] == "PRECALL":
            first -= 1
        if first and ops[first - 1] == "KW_NAMES":
            first -= 1
            names = self._code.co_consts[args[first]]
        return names, first

    def _is_class_statement(self, height: int, end: int) -> bool:
        return any(
            place >= 0 and self._flow.ops[place] == "LOAD_BUILD_CLASS"
            for place in self._flow.producers(height, end) + self._flow.producers(height - 1, end)
        )

    def _constant(self, index: int) -> object:
        name, arg = self._flow.ops[index], self._flow.args[index]
        if name == "LOAD_CONST":
            return self._code.co_consts[arg]
        return arg if name == "LOAD_SMALL_INT" else None

    def _spread(self, index: int) -> Call | None:
        """Read ``f("literal", *rest, **more)``: what stands before the first star."""
        flow = self._flow
        height = flow.before[index] - _has_mapping(flow.args[index])
        places = flow.producers(height, index - 1)
        if len(places) != 1 or places[0] < 0:
            return None
        place = places[0]
        name, arg = flow.ops[place], flow.args[place]
        constant = self._constant(place)
        if type(constant) is tuple:
            return Call(tuple(Constant(value) for value in constant))
        if name == "BUILD_TUPLE":
            return Call(self._items(place, arg))
        if name == "LIST_TO_TUPLE" or (name == "CALL_INTRINSIC_1" and arg == _LIST_TO_TUPLE):
            while name in ("LIST_TO_TUPLE", "CALL_INTRINSIC_1", "LIST_EXTEND", "LIST_APPEND"):
                places = flow.producers(height, place - 1)
                if len(places) != 1 or places[0] < 0:
                    return None
                place = places[0]
                name, arg = flow.ops[place], flow.args[place]
            if name == "BUILD_LIST":
                return Call(self._items(place, arg))
        return None

    def _items(self, place: int, count: int) -> tuple[Value, ...]:
        first = self._flow.before[place] - count + 1
        return tuple(self._value(first + position, place - 1) for position in range(min(count, MAX_PIECES)))

    def _value(self, height: int, end: int) -> Value:
        if self._depth > _MAX_DEPTH:
            return UNKNOWN
        self._depth += 1
        try:
            found = [self._made(place) for place in self._flow.producers(height, end)]
        finally:
            self._depth -= 1
        return found[0] if len(found) == 1 else Choice(tuple(found))

    def _made(self, place: int) -> Value:
        if place < 0:
            return UNKNOWN
        flow, code = self._flow, self._code
        name, arg, before = flow.ops[place], flow.args[place], flow.before[place]
        if name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            return Constant(self._constant(place))
        if name in ("LOAD_FAST", "LOAD_DEREF"):
            return Variable("local", _local_name(code, arg))
        if name == "LOAD_GLOBAL":
            return Variable("global", code.co_names[arg >> 1])
        if name == "LOAD_NAME":
            return Variable("global", code.co_names[arg])
        if name == "LOAD_ATTR":
            return Variable("attribute", _attribute_name(code, arg), self._value(before, place - 1))
        if name == "BUILD_STRING":
            return joined(self._items(place, arg))
        if name in ("FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC"):
            return Composed((self._formatted(place),))
        if name == "BINARY_OP":
            left, right = self._value(before - 1, place - 1), self._value(before, place - 1)
            return self._remainder(left, right, place) if arg == _REMAINDER else operation(arg, left, right)
        if name in ("UNARY_NEGATIVE", "UNARY_POSITIVE", "UNARY_INVERT") or (
            name == "CALL_INTRINSIC_1" and arg == _UNARY_POSITIVE
        ):
            uses = number_needs(self._value(before, place - 1))
            return Number(uses or NO_NAMES)
        if name in ("CALL", "CALL_KW", "CALL_FUNCTION_EX"):
            return self._called(place)
        return UNKNOWN

    def _formatted(self, place: int) -> Hole:
        flow = self._flow
        name, arg, before = flow.ops[place], flow.args[place], flow.before[place]
        has_spec = name == "FORMAT_WITH_SPEC" or (name == "FORMAT_VALUE" and bool(arg & 4))
        spec: Value = self._value(before, place - 1) if has_spec else Constant("")
        places = flow.producers(before - has_spec, place - 1)
        converted = bool(arg & 3) if name == "FORMAT_VALUE" else any(flow.ops[p] == "CONVERT_VALUE" for p in places)
        if name != "FORMAT_VALUE" and converted and len(places) == 1:
            value = self._value(flow.before[places[0]], places[0] - 1)
        else:
            value = self._value(before - has_spec, place - 1)
        return hole(value, spec.value if isinstance(spec, Constant) else None, converted=converted)

    def _remainder(self, left: Value, right: Value, place: int) -> Value:
        if isinstance(left, Constant) and type(left.value) is str:
            values = self._tuple_items(place)
            return percent_value(left.value, values, None if values is not None else right)
        first, second = number_needs(left), number_needs(right)
        return UNKNOWN if first is None or second is None else Number(first | second)

    def _tuple_items(self, place: int) -> tuple[Value, ...] | None:
        """Return the items if the right side of an operator is a tuple that is written out there."""
        flow = self._flow
        places = flow.producers(flow.before[place], place - 1)
        if len(places) != 1 or places[0] < 0:
            return None
        constant = self._constant(places[0])
        if type(constant) is tuple:
            return tuple(Constant(value) for value in constant)
        return self._items(places[0], flow.args[places[0]]) if flow.ops[places[0]] == "BUILD_TUPLE" else None

    def _called(self, place: int) -> Value:
        flow = self._flow
        if flow.ops[place] == "CALL_FUNCTION_EX":
            # With starred arguments: only what a text's own format() makes of them is of interest.
            call = Call(())
            height = flow.before[place] - _has_mapping(flow.args[place]) - 1
            end = place - 1
        else:
            found = self.call(place)
            if found is None:
                return UNKNOWN
            call = found
            _, first = self._keyword_names(place)
            height = flow.before[first] - flow.args[place]
            end = first - 1
        callee = self._callee(height, end)
        if callee < 0:
            return UNKNOWN
        name, arg = flow.ops[callee], flow.args[callee]
        if name in ("LOAD_METHOD", "LOAD_ATTR"):
            method = self._code.co_names[arg] if name == "LOAD_METHOD" else _attribute_name(self._code, arg)
            owner = self._value(flow.before[callee], callee - 1)
            if method == "format" and isinstance(owner, Constant) and type(owner.value) is str:
                return format_value(owner.value, call)
            return UNKNOWN
        function = self._made(callee)
        if isinstance(function, Variable) and function.kind == "global" and not call.keywords:
            return built_in(function.name, call, self._code)
        return UNKNOWN

    def _callee(self, height: int, end: int) -> int:
        """Return the instruction that put the function of a call on the stack, -1 if it is not one."""
        flow = self._flow
        places = flow.producers(height, end)
        if len(places) == 1 and places[0] >= 0 and flow.ops[places[0]] == "PUSH_NULL":
            # From 3.13 on the null stands above the function.
            places = flow.producers(height - 1, places[0] - 1)
        return places[0] if len(places) == 1 else -1


def _has_mapping(arg: int) -> int:
    # 3.14 has no flag: there always is a mapping or a null.
    return 1 if sys.version_info >= (3, 14) else arg & 1


def _local_name(code: CodeType, arg: int) -> str:
    names = code.co_varnames
    if arg >= len(names):
        names += tuple(cell for cell in code.co_cellvars if cell not in code.co_varnames) + code.co_freevars
    return names[arg]


def _attribute_name(code: CodeType, arg: int) -> str:
    # From 3.12 on the lowest bit says that a method is meant.
    return code.co_names[arg >> 1 if sys.version_info >= (3, 12) else arg]
