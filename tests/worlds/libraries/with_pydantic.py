"""pydantic: models that customers' texts do not fit, and errors that quote them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

import discreet
from tests.worlds.libraries.telling import World, failing, log_of, tell

log = log_of(__name__)


def refuse(value: str) -> str:
    """Refuse, and say what."""
    raise ValueError(f"{value} is not for us")


class Chunk(BaseModel):
    """A part of a document."""

    model_config = ConfigDict(extra="forbid")

    page: int
    kind: Literal["letter", "bill"]
    text: Annotated[str, Field(max_length=3), AfterValidator(refuse)]


class Answer(BaseModel):
    """Parts by name."""

    chunks: dict[str, Chunk]


def run(world: World) -> None:
    """Give every text to every field."""
    for text in world.texts:
        wrong: list[Any] = [
            {"chunks": {text: {"page": text, "kind": text, "text": text, text: text}}},
            {"chunks": {"a": {"page": 1, "kind": "bill", "text": text[:2]}}},
            text,
            [text],
        ]
        for value in wrong:
            with discreet.customer_text(question=text, chunks=world.texts), failing(log, text):
                try:
                    Answer.model_validate(value)
                except ValidationError as error:
                    log.warning("%d errors: %s", error.error_count(), error.errors())
                    log.warning(error.json())
                    log.warning("first: %(msg)s at %(loc)s", error.errors()[0])
                    raise RuntimeError(f"no answer in {value}") from error
        with discreet.customer_text(question=text), failing(log, text):
            Answer.model_validate_json(text)
        with discreet.customer_text(question=text), failing(log, text):
            TypeAdapter(dict[int, bytes]).validate_python({text: object()})
        with discreet.customer_text(question=text), failing(log, text):
            # A model whose name and field are a customer's.
            made = create_model("Of " + text, **{f"f_{''.join(filter(str.isalnum, text))}": (int, ...)})
            try:
                made.model_validate({})
            except ValidationError as error:
                tell(log, error, text)
            log.info("made %s", made)
