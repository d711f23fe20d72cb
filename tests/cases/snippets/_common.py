"""What the snippets share. The names come from the environment: a harness can set its own."""

import logging
import os
import pathlib

EVENT = os.environ.get("CASE_EVENT", "case.event")
ERROR_CODE = os.environ.get("CASE_ERROR_CODE", "E_CASE")
WARNING_CODE = os.environ.get("CASE_WARNING_CODE", "W_CASE")
CONTENT_LOGGER = os.environ.get("CASE_CONTENT_LOGGER", "rag.content")
OUT = pathlib.Path(os.environ.get("CASE_OUT", "."))
"""Where a snippet writes the files of its own handlers: what is in them counts as output."""


def codes(error: bool = False, warning: bool = False, **more: object) -> dict[str, object]:
    """Return an `extra` dict with the fields of the contract and whatever the snippet adds."""
    fields: dict[str, object] = {"event": EVENT}
    if error:
        fields["error_code"] = ERROR_CODE
    if warning:
        fields["warning_code"] = WARNING_CODE
    fields.update(more)
    return fields


def file_handler(name: str, formatter: logging.Formatter | None = None) -> logging.FileHandler:
    """Return a handler of the standard library, as an operator's own, that writes `OUT / name`."""
    handler = logging.FileHandler(OUT / name, encoding="utf-8", errors="backslashreplace")
    handler.setFormatter(formatter)
    return handler


def written(name: str) -> str:
    """Return what stands in `OUT / name`."""
    return (OUT / name).read_text(encoding="utf-8", errors="backslashreplace")
