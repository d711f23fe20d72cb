"""The openai client: prompts that hold texts, and every way in which a provider fails."""

from __future__ import annotations

import asyncio

from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)
MODELS = "good 400 401 403 404 409 422 429 500 503 no-json hang-up stream".split()


class Quote(BaseModel):
    """What an answer has to be."""

    quote: str
    page: int


def ask(client: OpenAI, model: str, text: str) -> object:
    """Ask once; a stream is read."""
    messages = [{"role": "system", "content": "Quote."}, {"role": "user", "content": text}]
    if model == "stream":
        parts = client.chat.completions.create(model="fake-stream", messages=messages, stream=True)
        return [part.choices[0].delta.content for part in parts]
    return client.chat.completions.create(model=f"fake-{model}", messages=messages, user=text)


async def ask_many(url: str, texts: list[str]) -> None:
    """Ask in a task for each text, one after the other."""
    async with AsyncOpenAI(base_url=f"{url}/v1", api_key="sk-fake", max_retries=0) as client:
        for text in texts:
            with discreet.customer_text(question=text), failing(log, text):
                messages = [{"role": "user", "content": text}]
                await asyncio.create_task(client.chat.completions.create(model="fake-400", messages=messages))


def run(world: World) -> None:
    """Ask every text in every way."""
    with OpenAI(base_url=f"{world.url}/v1", api_key="sk-fake", max_retries=1, timeout=20) as client:
        for number, text in enumerate(world.texts):
            for model in MODELS if number < 2 else MODELS[:4]:
                with discreet.customer_text(question=text, chunks=world.texts), failing(log, text):
                    answer = ask(client, model, text)
                    log.info("answered %s with %s", text, answer, extra={"answer": answer})
            with discreet.customer_text(question=text), failing(log, text):
                messages = [{"role": "user", "content": text}]
                client.chat.completions.parse(model="fake-object", messages=messages, response_format=Quote)
    with discreet.customer_text(question=world.texts), failing(log, world.texts[0]):
        OpenAI(base_url="http://127.0.0.1:1/" + world.texts[3], api_key=world.texts[3], max_retries=0).models.retrieve(
            world.texts[3]
        )
    asyncio.run(ask_many(world.url, world.texts))
