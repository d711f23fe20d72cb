"""groundkit 0.2.1 indexes the documents and searches them twice; the second search fails.

Between the two a document is deleted under the open retriever, as another process might do it.
groundkit then refuses to answer rather than cite what it can't verify.
"""

from __future__ import annotations

import asyncio
import logging
import tempfile
from pathlib import Path

from groundkit.errors import GroundkitError
from groundkit.index.metadata import SQLiteMetadataStore
from groundkit.indexer import Indexer
from groundkit.ingestion.loaders import FileLoader
from groundkit.retrieval.search import Retriever
from worlds import Spelling, documents, questions

from discreet import observe_call

logger = logging.getLogger("demo.groundkit")

COLLECTION = "papers"


def run_groundkit(spell: Spelling) -> int:
    """Run both searches and say how many results the first one had."""
    with tempfile.TemporaryDirectory() as directory:
        return asyncio.run(_search_twice(spell, Path(directory)))


async def _search_twice(spell: Spelling, directory: Path) -> int:
    papers = directory / "papers"
    papers.mkdir()
    for document in documents(spell).values():
        # The title is the customer's, so the name of the file is customer text too.
        text = "\n\n".join(document.chunks)
        (papers / f"{document.title}.txt").write_text(text, encoding="utf-8")
    question = questions(spell)[9].text
    store = await SQLiteMetadataStore.open(directory / "index", COLLECTION)
    try:
        indexer = Indexer(store, FileLoader(allowed_base_dir=papers), collection=COLLECTION)
        report = await indexer.index_directory(str(papers))
        logger.info("%d documents indexed", report.documents_indexed)
        retriever = await Retriever.open(store, collection=COLLECTION)
        with observe_call("groundkit.search", question=question) as call:
            found = await retriever.search(question)
            call.result(found, items=found.total_results)
        await store.delete_document(found.results[0].document_id)
        try:
            with observe_call("groundkit.search", question=question):
                await retriever.search(question)
        except GroundkitError:
            logger.exception("the search failed")
        return found.total_results
    finally:
        await store.close()
