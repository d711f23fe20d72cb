"""Notes each address that a program connects to or looks up; the tests put it on its path."""

import os
import sys
from pathlib import Path

_FILE = Path(os.environ["AUDIT_FILE"])


def _note(event: str, args: tuple[object, ...]) -> None:
    if event == "socket.connect":
        line = f"connect {args[1]!r}"
    elif event == "socket.getaddrinfo":
        line = f"lookup {args[0]!r}"
    else:
        return
    with _FILE.open("a", encoding="utf-8") as file:
        file.write(line + "\n")


sys.addaudithook(_note)
