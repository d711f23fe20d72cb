"""Stands in for release 0.3 of verbatim-rag, whose dependencies are gigabytes: queries, streams and a reranker."""
