"""The trace follows a copied context into threads and tasks, is not made up in a bare thread, and does not mix."""

import asyncio
import concurrent.futures
import contextvars
import logging

from opentelemetry import trace

CASE = {"collectors": ["ok"], "app_records": 10, "one_trace": [0, 2, 3], "no_trace": [1, 5], "own_traces": 5}


def emit() -> None:
    log = logging.getLogger("app")
    tracer = trace.get_tracer("app")
    with tracer.start_as_current_span("case.event"):
        log.info("main", extra={"k": 0})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(log.info, "pool", extra={"k": 1}).result()
            pool.submit(contextvars.copy_context().run, log.info, "copied", extra={"k": 2}).result()

        async def main() -> None:
            await asyncio.to_thread(log.info, "to_thread", extra={"k": 3})

        asyncio.run(main())

    async def request(number: int) -> None:
        with tracer.start_as_current_span("case.event"):
            await asyncio.sleep(0.001 * (5 - number))
            log.info("request", extra={"k": 4, "n": number})

    async def together() -> None:
        await asyncio.gather(*(request(number) for number in range(5)))

    asyncio.run(together())
    log.info("outside", extra={"k": 5})
