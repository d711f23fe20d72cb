"""What logs are made of and no customer wrote: messages of exceptions, ids, paths, times, numbers and routes."""

from __future__ import annotations

import ast
import random
import sysconfig
import uuid
from pathlib import Path

_FOLDERS = {name: Path(sysconfig.get_paths()[name]) for name in ("stdlib", "purelib")}
_SLOTS = ("x7f", "12", "'utf-8'", "0", "None")
_NOT_READ = {"site-packages", "test", "tests", "idlelib", "lib2to3"}


def raised_messages(count: int, seed: int = 5) -> list[str]:
    """Return messages of the `raise` statements of the running interpreter's standard library, each once.

    What is filled in when they are raised is made up.
    """
    chance = random.Random(seed)
    paths = [path for path in sorted(_FOLDERS["stdlib"].rglob("*.py")) if not _NOT_READ & set(path.parts)]
    chance.shuffle(paths)
    found: dict[str, None] = {}
    for path in paths:
        source = path.read_bytes()
        if b"raise " not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
                found |= dict.fromkeys(filter(None, [_message(node.exc.args[0], chance)]))
        if len(found) >= count:
            break
    return list(found)[:count]


def _message(node: ast.expr, chance: random.Random) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = [str(it.value) if isinstance(it, ast.Constant) else chance.choice(_SLOTS) for it in node.values]
        return "".join(parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return "".join(_message(it, chance) or chance.choice(_SLOTS) for it in (node.left, node.right))
    if isinstance(node, ast.BinOp):
        template = _message(node.left, chance)
        for directive in ("%s", "%r", "%d"):
            template = template.replace(directive, chance.choice(_SLOTS))
        return template
    return ""


def ids_and_paths(count: int, seed: int = 6) -> list[str]:
    """Return so many lines: a quarter are paths of this interpreter's files, the others are of a dozen shapes."""
    chance = random.Random(seed)
    files = sorted(path for folder in _FOLDERS.values() for path in folder.glob("*/*/*"))
    paths = [str(path) for path in chance.sample(files, min(count // 4, len(files)))]
    return paths + [chance.choice(_SHAPES)(chance) for _ in range(count - len(paths))]


def _time(chance: random.Random) -> str:
    date = f"20{chance.randrange(10, 40)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
    return f"{date}T{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.random() * 60:09.6f}Z"


def _route(chance: random.Random) -> str:
    parts = ("users", "documents", "v1", "search", "health", "collections", "invoices", "api", "files", "orders")
    names = chance.choices(parts, k=chance.randrange(1, 5))
    return "/" + "/".join(part for name in names for part in (name, str(chance.randrange(10**5))))


def _address(chance: random.Random) -> str:
    return ".".join(str(chance.randrange(256)) for _ in range(4)) + f":{chance.randrange(1024, 65536)}"


_SHAPES = (
    lambda chance: str(uuid.UUID(int=chance.getrandbits(128), version=4)),
    lambda chance: f"{chance.getrandbits(160):040x}",
    lambda chance: f"0x{chance.getrandbits(48):x}",
    lambda chance: str(chance.randrange(10 ** chance.randrange(1, 19))),
    lambda chance: f"{chance.random() * 10 ** chance.randrange(-3, 7):.4g}",
    _time,
    _route,
    _address,
    lambda chance: f"GET {_route(chance)}?limit={chance.randrange(100)} {chance.choice((200, 204, 404, 500))}",
    lambda chance: f"https://api.example.org{_route(chance)}",
    lambda chance: (
        f"chatcmpl-{''.join(chance.choices('abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789', k=29))}"
    ),
    lambda chance: f"arn:aws:s3:::bucket-{chance.randrange(10**6)}/{chance.getrandbits(64):016x}.parquet",
    lambda chance: f"model-{chance.randrange(3, 9)}.{chance.randrange(10)}-{_time(chance)[:10]}",
    lambda chance: f"{chance.getrandbits(32):08x} {chance.randrange(5000)} {chance.random():.3f} {_time(chance)}",
)
