"""Finds passages in a folder of notes and answers with them, word for word."""

import logging

from pilotbook.book import Book
from pilotbook.errors import ConfigurationError, InternalError, InvalidInputError, PilotbookError, UpstreamError
from pilotbook.results import Answer, Quote, ResultWarning
from pilotbook.thesaurus import Thesaurus

__all__ = [
    "Answer",
    "Book",
    "ConfigurationError",
    "InternalError",
    "InvalidInputError",
    "PilotbookError",
    "Quote",
    "ResultWarning",
    "Thesaurus",
    "UpstreamError",
]

# The one handler that a library may have: a program that never set logging up is told nothing.
logging.getLogger("pilotbook").addHandler(logging.NullHandler())
