"""What an operator reads when an option of a part of a logging configuration is wrong."""

from __future__ import annotations

import logging.config
from pathlib import Path
from typing import Any

import pytest

import discreet
from discreet.choke import installed

PARTS = {"Filter": "filter", "Limit": "filter", "Guard": "filter", "Formatter": "formatter", "Handler": "handler"}
NO_SUCH = "no contract of this name comes with discreet. Take one of common, discreet, groundkit, oloproof, upstream,"


def load(cls: str, options: dict[str, Any]) -> None:
    part = next(part for end, part in PARTS.items() if cls.endswith(end))
    entry = {"()": f"discreet.{cls}", **options}
    logging.config.dictConfig({"version": 1, "disable_existing_loggers": False, f"{part}s": {"mine": entry}})


WRONG: list[tuple[str, dict[str, Any], str, str]] = [
    ("EventFilter", {"contracts": ["nothing"]}, "nothing", NO_SUCH),
    ("EventFilter", {"contracts": ["nothing.toml"]}, "nothing.toml", "the file can't be read (FileNotFoundError)"),
    ("EventFilter", {"attributes": {"tenant": "text"}}, "attributes[tenant]", "there is no such type; the types are"),
    ("EventFilter", {"attributes": {"a b": "id"}}, "attributes", "an attribute's name is wrong. Use letters"),
    ("EventFilter", {"attributes": {"message": "id"}}, "attributes[message]", "every record has this name itself."),
    ("EventFilter", {"contracts": "verbatim"}, "contracts", "must be a list. Put it in square brackets."),
    ("EventFilter", {"contracts": 7}, "contracts", "must be a list. Put it in square brackets."),
    ("EventFilter", {"attributes": ["tenant"]}, "attributes", "must be a mapping of names to types. Write {"),
    ("EventFilter", {"routes": "/boats"}, "routes", "must be a list. Put it in square brackets."),
    ("EventFilter", {"routes": ["a b"]}, "routes[0]", "a route is a text of 1 to 128 printable ASCII characters"),
    ("EventFilter", {"name": 7}, "name", "must be a text. Leave it out for all loggers."),
    ("ContentGuard", {"contracts": 7}, "contracts", "must be a list. Put it in square brackets."),
    ("ContentGuard", {"attributes": 7}, "attributes", "must be a mapping of names to types. Write {"),
    ("ContentGuard", {"scope": "thread"}, "scope", "must be process or handler. Leave it out for process."),
    ("ContentGuard", {"scope": None}, "scope", "must be process or handler. Leave it out for process."),
    ("ContentGuard", {"scope": ["process"]}, "scope", "must be process or handler. Leave it out for process."),
    ("ContentGuard", {"strict": "yes"}, "strict", "must be true or false. Leave it out for false."),
    ("ContentGuard", {"strict": True, "scope": "handler"}, "strict", "strict guards the whole process. Use it with"),
    ("RateLimit", {"rate": "often"}, "rate", "must be records per time, up to a day. Write, for example, 100/min"),
    ("RateLimit", {"rate": 100}, "rate", "must be records per time, up to a day. Write, for example, 100/min"),
    ("RateLimit", {"rate": None}, "rate", "must be records per time. Write, for example, 100/min."),
    ("JsonFormatter", {"preset": "gelf"}, "preset", "there is no such preset. Use one of ecs, otel, or none."),
    ("JsonFormatter", {"preset": ["ecs"]}, "preset", "there is no such preset. Use one of ecs, otel, or none."),
    ("JsonFormatter", {"prefix": 7}, "prefix", "must be a text. Leave it out for none."),
    ("JsonFormatter", {"attributes": 7}, "attributes", "must be a mapping of names to types. Write {"),
    ("JsonFormatter", {"service": 7}, "service", "must be a text. Give the service's name."),
    ("JsonFormatter", {"rename_fields": 7}, "rename_fields", "must be a mapping of field names. Give a JSON object."),
    ("JsonFormatter", {"rename_fields": {"a": "b c"}}, "rename_fields", "a field name must be 1 to 64 of the"),
    ("JsonFormatter", {"static_fields": {"a": [1]}}, "static_fields", "a value must be a text, a number, true,"),
    ("JsonFormatter", {"max_bytes": "16k"}, "max_bytes", "must be a whole number of bytes, 1024 or more. 16384"),
    ("JsonFormatter", {"max_bytes": True}, "max_bytes", "must be a whole number of bytes, 1024 or more. 16384"),
    ("JsonFormatter", {"fmt": "%(message)s"}, "fmt", "the fields of a line are fixed. Leave fmt, datefmt, style"),
    ("JsonHandler", {"stream": "stdout"}, "stream", 'must be a stream or "-". Give a path as filename.'),
    ("JsonHandler", {"stream": "-", "filename": "x"}, "stream", "filename and stream exclude each other. Give one"),
    ("JsonHandler", {"filename": "no/such/folder"}, "filename", "can't open the file for appending (FileNotFound"),
    ("JsonHandler", {"guard": {"streams": 1}}, "streams", "must be true or false. Leave it out for false."),
    ("JsonHandler", {"guard": {"stream": True}}, "guard", "has an option that the guard of a process hasn't. Give"),
    ("JsonHandler", {"guard": {"scope": "handler"}}, "guard", "has an option that the guard of a process hasn't. Give"),
    ("JsonHandler", {"guard": {7: True}}, "guard", "has an option that the guard of a process hasn't. Give true,"),
    ("JsonHandler", {"guard": "yes"}, "guard", "must be true, false or the guard's options. Leave it out for false."),
    ("JsonHandler", {"contracts": 7}, "contracts", "must be a list. Put it in square brackets."),
    ("OtelSpanHandler", {"exporter": 7}, "exporter", "is neither a path nor a span exporter. In a dictConfig"),
    ("OtelSpanHandler", {"exporter": "no/such/folder"}, "exporter", "can't open the file for appending (FileNotFo"),
    ("OtelSpanHandler", {"tracer_provider": "mine"}, "tracer_provider", "is no tracer provider. In a dictConfig name"),
    ("OtelSpanHandler", {"service": "answers"}, "service", "needs an exporter, since a tracer provider has its"),
    ("OtelSpanHandler", {"exporter": "x", "all_spans": "yes"}, "all_spans", "must be true or false. Leave it out"),
    ("OtelSpanHandler", {"name": 7}, "name", "must be a text. Leave it out for the default."),
    ("OtelSpanHandler", {"contracts": 7}, "contracts", "must be a list. Put it in square brackets."),
    ("OtelSpanHandler", {"all_spans": True}, "all_spans", "needs an exporter for the spans to go to. Leave it out"),
]


@pytest.mark.parametrize(("cls", "options", "place", "message"), WRONG, ids=[f"{w[0]}-{w[1]}" for w in WRONG])
def test_a_wrong_option_is_refused_with_its_place_and_a_remedy(
    cls: str,
    options: dict[str, Any],
    place: str,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """dictConfig names the entry, and the cause of its error is ours: place, sentence, remedy."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"^Unable to configure (filter|formatter|handler) 'mine'$") as caught:
        load(cls, options)
    cause = caught.value.__cause__
    assert isinstance(cause, discreet.ConfigurationError)
    assert (cause.place, str(cause).startswith(f"{place}: {message}")) == (place, True)
    assert cause.remedy
    # Nothing was left half done.
    assert list(tmp_path.iterdir()) == []
    assert not installed()


def test_an_option_that_does_not_exist_is_refused_by_python_with_its_name() -> None:
    """A misspelt option must not be lost in silence."""
    for cls in ("EventFilter", "ContentGuard", "JsonFormatter", "JsonHandler", "OtelSpanHandler", "ConsoleFormatter"):
        with pytest.raises(ValueError, match="Unable to configure") as caught:
            load(cls, {"contract": ["verbatim"]})
        assert isinstance(caught.value.__cause__, TypeError)
        assert "unexpected keyword argument 'contract'" in str(caught.value.__cause__)


def test_the_parts_take_their_options_in_code_as_well() -> None:
    """There the error is not wrapped."""
    with pytest.raises(discreet.ConfigurationError, match=r"^scope: must be process or handler"):
        discreet.ContentGuard(scope="thread")
    with pytest.raises(discreet.ContractError, match=r"^nothing: no contract of this name"):
        discreet.EventFilter(contracts=["nothing"])
