"""A stand-in for verbatim 0.3, which is not released: its public surface, small, with no model.

It shows the attributes that verbatim 0.3 will attach to its records itself. Its loggers carry its
own name, so no line of it can be taken for one of verbatim-core 0.2.8, which runs beside it.
"""

from verbatim_standin.errors import (
    ConfigurationError,
    InvalidInputError,
    UpstreamError,
    VerbatimError,
)
from verbatim_standin.extractor import Extraction, ModelSpanExtractor, ResultWarning

__all__ = [
    "ConfigurationError",
    "Extraction",
    "InvalidInputError",
    "ModelSpanExtractor",
    "ResultWarning",
    "UpstreamError",
    "VerbatimError",
]
