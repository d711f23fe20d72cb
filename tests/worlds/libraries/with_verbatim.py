"""verbatim-core 0.2.8 over the documents of the demo, with a fake LLM that fails in eight ways."""

from __future__ import annotations

from llm_server import FakeLLM
from questions_step import SCRIPT
from verbatim_core import VerbatimTransform
from verbatim_core.llm_client import LLMClient
from worlds import documents, questions

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)


def run(world: World) -> None:
    """Ask every question of its document."""
    papers = documents(world.spell)
    with FakeLLM(world.spell) as llm:
        world.addresses.append(llm.base_url)
        for number, (question, behaviour) in enumerate(zip(questions(world.spell), SCRIPT, strict=True)):
            document = papers[question.document]
            llm.expect(question, document, behaviour)
            context = [{"content": chunk, "title": document.title} for chunk in document.chunks]
            client = LLMClient(model="fake-llm", api_base=llm.base_url, api_key="sk-fake")
            with discreet.customer_text(question=question.text, chunks=context), failing(log, question.text):
                mode = "exact" if number % 4 else "fuzzy"
                answer = VerbatimTransform(llm_client=client, span_match_mode=mode).transform(question.text, context)
                log.info("answered with %s", answer, extra={"answer": answer.answer})
                log.critical("answered " + answer.answer)
                log.error(answer)
            # The transform logs what a provider's error says and goes on; here it comes out.
            with discreet.customer_text(question=question.text, chunks=context), failing(log, question.text):
                log.critical(client.complete(f"Answer {question.text} from {document.chunks[0]}"))
            client.client.close()
