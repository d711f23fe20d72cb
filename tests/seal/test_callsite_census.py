"""Every log call in the source of installed packages: code and source must tell the same about its message."""

from __future__ import annotations

import ast
import dis
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import CodeType

import pytest

from discreet.seal.bytecode import flow
from discreet.seal.operands import call_at
from discreet.seal.pieces import Choice, Composed, Constant, Hole, Value

pytestmark = pytest.mark.long

PACKAGES = (
    *("asyncio", "concurrent", "http", "logging", "multiprocessing", "unittest", "urllib", "venv"),
    *("anyio", "celery", "charset_normalizer", "django", "fastapi", "groundkit", "gunicorn", "httpcore", "httpx"),
    *("kombu", "mcp", "openai", "oloproof_core", "opentelemetry.sdk", "requests", "sqlalchemy", "starlette"),
    *("urllib3", "uvicorn", "verbatim_core"),
)
METHODS = {"debug", "info", "warning", "warn", "error", "critical", "fatal", "exception", "log"}
CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}
NUMBERS = {"len", "int", "float", "round"}
Shape = list["str | bool"]


def installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def files(name: str) -> Iterator[Path]:
    spec = find_spec(name)
    assert spec is not None
    for folder in spec.submodule_search_locations or ():
        yield from (path for path in sorted(Path(folder).rglob("*.py")) if "tests" not in path.parts)


def is_log_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in METHODS:
        return False
    return "log" in ast.unparse(node.func.value).rpartition(".")[2].lower()


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def branches(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.IfExp):
        yield from branches(node.body)
        yield from branches(node.orelse)
    else:
        yield node


def leaves(value: Value | None) -> Iterator[Value]:
    if isinstance(value, Choice):
        for option in value.options:
            yield from leaves(option)
    elif value is not None:
        yield value


def number(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in NUMBERS and not node.keywords
    if isinstance(node, ast.BinOp):
        one, other = number(node.left), number(node.right)
        if isinstance(node.op, ast.Sub | ast.FloorDiv | ast.Pow):
            return True
        return (one or other) if isinstance(node.op, ast.Add | ast.Div) else one and other
    return isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not)


def numeric(slot: ast.FormattedValue) -> bool:
    if slot.format_spec is None:
        return number(slot.value)
    texts = [part.value for part in slot.format_spec.values if isinstance(part, ast.Constant)]  # type: ignore[attr-defined]
    if len(texts) != len(slot.format_spec.values) or slot.conversion != -1:  # type: ignore[attr-defined]
        return False
    spec = "".join(texts)
    return spec[-1:] in tuple("deEfFgGn%,_") or (number(slot.value) and not spec[-1:].isalpha())


def of_source(node: ast.expr) -> Shape | None:
    """Return texts and, for each slot of an f-string, whether only a number can stand there."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    if not isinstance(node, ast.JoinedStr):
        return None
    return joined(numeric(v) if isinstance(v, ast.FormattedValue) else v.value for v in node.values)  # type: ignore[attr-defined]


def of_code(value: Value) -> Shape | None:
    if isinstance(value, Constant):
        return [value.value] if isinstance(value.value, str) else None
    if isinstance(value, Composed):
        return joined(piece.uses is not None if isinstance(piece, Hole) else piece for piece in value.pieces)
    return None


def joined(pieces) -> Shape:
    shape: Shape = []
    for piece in pieces:
        if isinstance(piece, str) and shape and isinstance(shape[-1], str):
            shape[-1] += piece
        elif piece != "":
            shape.append(piece)
    return shape


def message(call: ast.Call) -> tuple[int, ast.expr | None]:
    assert isinstance(call.func, ast.Attribute)
    position = 1 if call.func.attr == "log" else 0
    if position < len(call.args) and not any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
        return position, call.args[position]
    return position, next((keyword.value for keyword in call.keywords if keyword.arg == "msg"), None)


def compare(path: Path) -> Counter[str]:
    """Compare what code and source say about each log call of a file; a difference fails."""
    source = path.read_bytes()
    tree = ast.parse(source)
    # A call over several lines begins where its function's name stands, so it is known by its end.
    wanted = {(node.end_lineno, node.end_col_offset): node for node in ast.walk(tree) if is_log_call(node)}
    outcome: Counter[str] = Counter()
    found: dict[tuple[int | None, ...], list[Value]] = {}
    for code in codes(compile(source, str(path), "exec", dont_inherit=True)) if wanted else ():
        instructions = flow(code)
        assert instructions is not None
        for instruction in dis.get_instructions(code):
            where = instruction.positions
            assert where is not None
            key = (where.end_lineno, where.end_col_offset)
            node = wanted.get(key) if instruction.opname in CALLS else None
            if node is None or (where.lineno or 0) < node.lineno:
                continue
            call = call_at(instructions, instruction.offset)
            position, _ = message(node)
            if call is not None:
                value = call.positional[position] if position < len(call.positional) else call.keywords.get("msg")
                # Where the end of a function is compiled twice there are two calls.
                found.setdefault(key, []).extend(leaves(value))
    for key, node in wanted.items():
        _, argument = message(node)
        for branch in branches(argument) if argument is not None else ():
            shape = of_source(branch)
            if shape is None:
                outcome["other"] += 1
                continue
            assert shape in [of_code(value) for value in found[key]], (path.name, node.lineno, ast.unparse(node))
            outcome["literal" if len(shape) == 1 and isinstance(shape[0], str) else "f-string"] += 1
    return outcome


@pytest.mark.parametrize("package", [name for name in PACKAGES if installed(name)])
def test_code_and_source_agree_about_every_log_call(package):
    """Literals, pieces of f-strings and numeric slots that the code gives are those of the source."""
    total: Counter[str] = Counter()
    for path in files(package):
        if b"log" in path.read_bytes():
            total += compare(path)
    assert set(total) <= {"literal", "f-string", "other"}


@pytest.mark.integration
def test_the_packages_have_log_calls_to_compare():
    """The test above is not vacuous; needs verbatim-core."""
    total: Counter[str] = Counter()
    for package in ("asyncio", "verbatim_core"):
        for path in files(package):
            total += compare(path)
    assert total["literal"] >= 100
    assert total["f-string"] >= 50
