"""What sends: the few attributes of the resource that logs and spans share."""

from __future__ import annotations

import os
from typing import Final

from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, Resource

from discreet.contract import active
from discreet.errors import ConfigurationError

__all__ = ["log_resource", "service_resource"]

_OF_A_PROCESS: Final = ("process.pid", "process.parent_pid")
"""Wrong in a forked child, and another stream for each process in stores that make streams of resources."""


def service_resource(service: str | None) -> Resource:
    """Return the resource of a service: its name, and what ``OTEL_RESOURCE_ATTRIBUTES`` says.

    Nothing in it differs between the processes of a service. Newer SDKs make up an instance id for each; it stays
    only if the operator has set it.

    Args:
        service: ``service.name``; None for what the SDK finds in the environment.

    Raises:
        ConfigurationError: the name is no text.

    .. versionadded:: 0.1.0
    """
    if service is not None and (type(service) is not str or not service):
        raise ConfigurationError("must be a text", place="service", remedy="Give the service's name.")
    made = Resource.create({SERVICE_NAME: service} if service is not None else {})
    given = os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "")
    gone = {*_OF_A_PROCESS, *(() if SERVICE_INSTANCE_ID in given else (SERVICE_INSTANCE_ID,))}
    return Resource({key: value for key, value in made.attributes.items() if key not in gone}, made.schema_url)


def log_resource(service: str | None) -> Resource:
    """Return the resource of log records: only keys of the allow-list, and none about the SDK.

    Loki takes every attribute of it for one more piece of metadata of each record.

    Args:
        service: as for :func:`service_resource`.

    Raises:
        ConfigurationError: the name is no text.

    .. versionadded:: 0.1.0
    """
    from discreet.export.foreign_guard import ForeignGuard
    from discreet.export.span_rules import span_rules

    made = service_resource(service)
    own = {key: value for key, value in made.attributes.items() if not key.startswith("telemetry.")}
    return ForeignGuard(span_rules(), active(), "resource").resource(Resource(own, made.schema_url))
