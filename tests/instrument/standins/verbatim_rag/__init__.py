"""Stands in for verbatim-rag, whose dependencies are gigabytes: the forms of its release 0.2.8, and nothing else."""
