"""A WSGI application that registers what its customers write, and breaks in the ways in which workers break."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from scoped import note, plain

import discreet
from discreet.scope import carry

if os.environ.get("FAIL_AT") == "import":
    raise ValueError(f"no application for {os.environ['QUESTION']}")


def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request, or break as its path says."""
    text = environ["wsgi.input"].read().decode()
    way = environ["PATH_INFO"]
    with discreet.customer_text(question=text):
        note("handler", text)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(carry(note), "executor", text).result()
            pool.submit(plain, "bare executor", text).result()
        if way == "/raise":
            raise ValueError(f"no answer for {text}")
        if way == "/leave":
            sys.exit(f"no answer for {text}")
        if way == "/thread":
            thread = threading.Thread(target=int, args=(text,), name=text)
            thread.start()
            thread.join()
        if way == "/print":
            print(f"asked {text}", file=sys.stderr)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return letters(text)


@discreet.customer_text("text")
def letters(text: str) -> Iterator[bytes]:
    """Answer letter by letter."""
    for letter in text[:2]:
        note("body", text)
        yield letter.encode()
