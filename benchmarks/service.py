"""Measure what a service costs more with all of discreet, against the same service with python-json-logger.

    python benchmarks/service.py [--rounds 20] [--requests 8] [--delay 0.3]

The service answers questions with verbatim-core; a local LLM answers each of the two requests that this takes after a
delay. Every candidate is a server process of its own, they take turns within each round, in another order each time,
and a ratio is the median over the rounds of (candidate / plain) in the same round. Latency is what the client waits.
CPU time is that of the whole server process, measured with an LLM that answers at once. Then the middlewares alone,
around applications that read a body and answer. Nothing here fails: the aims stand beside the figures for a person.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import io
import json
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.service.llm import FakeLLM
from tests.service.running import Service
from tests.service.scenarios import Scenario, scenarios
from tests.service.words import texts_of

BASE = "python-json-logger"
CANDIDATES: dict[str, dict[str, str]] = {
    BASE: {"DESK_LOGGING": "json"},
    "discreet": {"DESK_SPANS": "no"},
    "discreet, spans and metrics": {"DESK_SPANS": "yes"},
}
LATENCY_AIM = 1.03
RATE = 20.0
"""Requests a second."""
SERVERS = {"asgi": "FastAPI under uvicorn", "wsgi": "Flask under gunicorn, 8 threads"}
GOOD: Scenario = scenarios(cancels=True)[0]
_numbers = count()


async def ask(client: httpx.AsyncClient, llm: FakeLLM, after: float = 0.0) -> float:
    """Return the seconds that one request takes, which is sent after a while."""
    await asyncio.sleep(after)
    texts = texts_of(next(_numbers), seed=7, sentences=12)
    llm.expect(texts, GOOD)
    body = {"question": texts.question, "documents": texts.documents}
    begun = time.perf_counter()
    answer = await client.post("/ask", json=body)
    took = time.perf_counter() - begun
    del llm.asked[texts.question]
    assert answer.status_code == 200
    return took


async def cpu_seconds(client: httpx.AsyncClient) -> float:
    """Return the CPU time that a server has taken so far."""
    return float((await client.get("/cpu")).text)


async def latency(client: httpx.AsyncClient, llm: FakeLLM, requests: int) -> float:
    """Return the median of so many requests, at a steady rate."""
    asking = [ask(client, llm, number / RATE) for number in range(requests)]
    return statistics.median(await asyncio.gather(*asking))


async def cpu_time(client: httpx.AsyncClient, llm: FakeLLM, requests: int) -> float:
    """Return the seconds of CPU time of a request, of so many one after the other."""
    begun = await cpu_seconds(client)
    for _ in range(requests):
        await ask(client, llm)
    return (await cpu_seconds(client) - begun) / requests


async def service(server: str, rounds: int, requests: int, delay: float) -> None:
    """Measure one kind of server, and print."""
    found: dict[str, dict[str, list[float]]] = {kind: {name: [] for name in CANDIDATES} for kind in ("latency", "CPU")}
    with ExitStack() as stack:
        async with FakeLLM(cancels=True) as llm:
            clients: dict[str, httpx.AsyncClient] = {}
            for name, settings in CANDIDATES.items():
                folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
                running = stack.enter_context(Service(folder, server, llm.url, workers=1, threads=8, **settings))
                url = await asyncio.to_thread(running.url)
                clients[name] = httpx.AsyncClient(
                    base_url=url, timeout=None, limits=httpx.Limits(max_keepalive_connections=0)
                )
            for name in [*CANDIDATES] * 3:
                await latency(clients[name], llm, requests)
            order = [*CANDIDATES]
            for _ in range(rounds):
                random.shuffle(order)
                for kind, measure, wait in (("latency", latency, delay), ("CPU", cpu_time, 0.0)):
                    llm.delay = wait
                    for name in order:
                        found[kind][name].append(await measure(clients[name], llm, requests))
            for client in clients.values():
                await client.aclose()
    for kind, rows in found.items():
        aim = f"aim {LATENCY_AIM:.2f}" if kind == "latency" else "no aim"
        what = f"latency with an LLM that takes {delay:g} s twice" if kind == "latency" else "CPU time of the process"
        print(f"\n{SERVERS[server]}: {what}, per request  ({aim})")
        for name, values in rows.items():
            ratio = statistics.median(one / base for one, base in zip(values, rows[BASE], strict=True))
            print(f"  {name:30} {statistics.median(values) * 1000:>9,.2f} ms   x {ratio:.3f}")


BODY = json.dumps({"question": texts_of(1, seed=7).question, "documents": texts_of(1, seed=7).documents}).encode()


def bare_asgi() -> dict[str, Callable[[int], None]]:
    from discreet.instrument.asgi import ContentMiddleware

    message = {"type": "http.request", "body": BODY, "more_body": False}
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())]
    scope = {"type": "http", "method": "POST", "path": "/ask", "root_path": "", "query_string": b"", "headers": headers}

    async def app(_: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"ok"})

    async def receive() -> Any:
        return message

    async def send(_: Any) -> None:
        return None

    def driven(wrapped: Any) -> Callable[[int], None]:
        def run(requests: int) -> None:
            for _ in range(requests):
                # Nothing in it waits, so it needs no loop.
                for _ in wrapped(dict(scope), receive, send).__await__():
                    raise AssertionError

        return run

    return {"bare": driven(app), "middleware": driven(ContentMiddleware(app))}


def bare_wsgi() -> dict[str, Callable[[int], None]]:
    from discreet.instrument.wsgi import ContentMiddleware

    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": "/ask",
        "QUERY_STRING": "",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(BODY)),
    }

    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        start_response("200 OK", [])
        return iter([b"ok"])

    def driven(wrapped: Any) -> Callable[[int], None]:
        def run(requests: int) -> None:
            for _ in range(requests):
                answer = wrapped({**environ, "wsgi.input": io.BytesIO(BODY)}, lambda *_: None)
                for _ in answer:
                    pass
                getattr(answer, "close", lambda: None)()

        return run

    return {"bare": driven(app), "middleware": driven(ContentMiddleware(app))}


def middlewares(rounds: int, requests: int = 2000) -> None:
    """Measure the middlewares alone, by the CPU time of this thread, and print."""
    for kind, candidates in (("ASGI", bare_asgi()), ("WSGI", bare_wsgi())):
        found: dict[str, list[float]] = {name: [] for name in candidates}
        for run in candidates.values():
            run(200)
        for _ in range(rounds):
            for name, run in candidates.items():
                gc.collect()
                begun = time.thread_time_ns()
                run(requests)
                found[name].append((time.thread_time_ns() - begun) / requests / 1000)
        ratio = statistics.median(a / b for a, b in zip(found["middleware"], found["bare"], strict=True))
        bare, whole = (statistics.median(values) for values in found.values())
        print(f"\nbare {kind} application, a body of {len(BODY):,} bytes that no record needs, per request")
        print(f"  without {bare:.2f} µs, with the middleware {whole:.2f} µs: {whole - bare:.2f} µs more, x {ratio:.1f}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--requests", type=int, default=8, help="of each candidate in each round")
    parser.add_argument("--delay", type=float, default=0.3, help="seconds until the LLM answers")
    options = parser.parse_args()
    print(f"CPython {platform.python_version()}, {options.rounds} rounds of {options.requests} requests; medians")
    for server in SERVERS:
        asyncio.run(service(server, options.rounds, options.requests, options.delay))
    middlewares(options.rounds)


if __name__ == "__main__":
    main()
