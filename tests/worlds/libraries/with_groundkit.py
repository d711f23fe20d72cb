"""groundkit 0.2.1: papers that are indexed and searched, files that it refuses, a document that is gone."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from groundkit.index.metadata import SQLiteMetadataStore
from groundkit.indexer import Indexer
from groundkit.ingestion.loaders import FileLoader
from groundkit.retrieval.search import Retriever
from worlds import Spelling, documents, questions

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)


def run(world: World) -> None:
    """Index, search, delete and search again."""
    with tempfile.TemporaryDirectory() as directory:
        asyncio.run(_search(world.spell, Path(directory)))


async def _search(spell: Spelling, directory: Path) -> None:
    papers = directory / "papers"
    papers.mkdir()
    found = list(documents(spell).values())
    for document in found:
        (papers / f"{document.title}.txt").write_text("\n\n".join(document.chunks), encoding="utf-8")
    (papers / f"{found[0].title} again.pdf").write_bytes(found[0].chunks[0].encode())
    (papers / f"{found[1].title} again.txt").write_bytes(found[1].chunks[0].encode("utf-16"))
    chunks = [[document.title, *document.chunks] for document in found]
    store = await SQLiteMetadataStore.open(directory / "index", "papers")
    try:
        loader = FileLoader(allowed_base_dir=papers)
        with discreet.customer_text(chunks=chunks), failing(log, found[0].title):
            report = await Indexer(store, loader, collection="papers").index_directory(str(papers))
            log.info("indexed %d: %s", report.documents_indexed, report)
        names = [f"{found[0].title} again.pdf", f"{found[1].title} again.txt", found[2].title, f"../{found[2].title}"]
        for name in names:
            with discreet.customer_text(chunks=chunks), failing(log, found[0].title):
                await Indexer(store, loader, collection="papers").index_directory(str(papers / name))
        retriever = await Retriever.open(store, collection="papers")
        for question in questions(spell)[9:]:
            with discreet.customer_text(question=question.text, chunks=chunks), failing(log, question.text):
                results = (await retriever.search(question.text)).results
                log.info("found %s", results)
                await store.delete_document(results[0].document_id)
                await retriever.search(question.text)
    finally:
        await store.close()
