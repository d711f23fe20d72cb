"""Papers to index, a collection of them, and everything of groundkit that works without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from groundkit.index.dense import InMemoryVectorStore
from groundkit.index.metadata import SQLiteMetadataStore
from groundkit.indexer import Indexer
from groundkit.ingestion.loaders import FileLoader
from groundkit.providers.embeddings import InMemoryEmbedder
from groundkit.retrieval.search import Retriever

QUESTION = "Where did Ottilie Brandvold moor the green dinghy?"
PAPER = "Ottilie Brandvold moored the green dinghy below the rope walk on a Thursday."
ANSWER = "She moored it below the rope walk, says Ingeborg's ledger [1]."
REWRITTEN = "mooring of Ottilie Brandvold's green dinghy"
REPLY = "Ingeborg's ledger doesn't say so at all."
TITLE = "Ottilie Brandvold's letter.txt"
CANARIES = ("Ottilie", "Brandvold", "dinghy", "moored", "rope walk", "Ingeborg", "Thursday")


class Shelf:
    """A folder of papers and the collection that was made of them."""

    def __init__(self, folder: Path, store: Any) -> None:
        self.papers = folder / "papers"
        self.papers.mkdir()
        self.paper = self.papers / TITLE
        self.paper.write_text(PAPER, encoding="utf-8")
        self.store = store
        self.vectors = InMemoryVectorStore()

    def indexer(self, **options: Any) -> Indexer:
        return Indexer(self.store, FileLoader(allowed_base_dir=self.papers), collection="letters", **options)

    def dense_indexer(self, dimensions: int = 8, embedder: Any = None) -> Indexer:
        return self.indexer(embedder=embedder or InMemoryEmbedder(dimensions), vector_store=self.vectors)

    async def retriever(self, **options: Any) -> Retriever:
        await self.indexer().index_directory(str(self.papers))
        return await Retriever.open(self.store, collection="letters", **options)


@asynccontextmanager
async def shelf(folder: Path) -> AsyncIterator[Shelf]:
    store = await SQLiteMetadataStore.open(folder / "index", "letters")
    try:
        yield Shelf(folder, store)
    finally:
        await store.close()


class Chat:
    """A chat provider that answers with one text, or fails."""

    provider = "mine"
    model_name = "mine-1"

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer

    async def complete(self, prompt: str, *, system: str | None = None) -> str:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer
