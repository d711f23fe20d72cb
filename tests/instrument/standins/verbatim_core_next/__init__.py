"""Stands in for release 0.3 of verbatim-core, which isn't there yet: what it said it will raise and warn of."""

from verbatim_core.errors import ConfigurationError, InvalidInputError, UpstreamError, VerbatimError
from verbatim_core.results import Extraction, ResultWarning
from verbatim_core.transform import Transformer

__all__ = [
    "ConfigurationError",
    "Extraction",
    "InvalidInputError",
    "ResultWarning",
    "Transformer",
    "UpstreamError",
    "VerbatimError",
]
