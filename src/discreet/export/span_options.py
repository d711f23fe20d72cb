"""Checks the options of OtelSpanHandler that say where spans go."""

from __future__ import annotations

from discreet.errors import ConfigurationError

__all__ = ["check_places"]


def check_places(tracer_provider: object, service: object, *, owns: bool, all_spans: object) -> None:
    """Check them.

    Args:
        tracer_provider: as given.
        service: as given.
        owns: Whether the handler has a pipeline of its own.
        all_spans: as given.

    Raises:
        ConfigurationError: They contradict each other.

    .. versionadded:: 0.1.0
    """
    if tracer_provider is not None and owns:
        raise ConfigurationError(
            "tracer_provider and exporter exclude each other", place="exporter", remedy="Give one of them."
        )
    if tracer_provider is not None and not callable(getattr(tracer_provider, "get_tracer", None)):
        raise ConfigurationError(
            "is no tracer provider",
            place="tracer_provider",
            remedy="In a dictConfig name an object: ext://package.module.provider.",
        )
    if service is not None and not owns:
        raise ConfigurationError(
            "needs an exporter, since a tracer provider has its own resource",
            place="service",
            remedy="Leave it out, or give an exporter.",
        )
    if type(all_spans) is not bool or (all_spans and not owns):
        what = "needs an exporter for the spans to go to" if all_spans is True else "must be true or false"
        raise ConfigurationError(what, place="all_spans", remedy="Leave it out, or give an exporter.")
