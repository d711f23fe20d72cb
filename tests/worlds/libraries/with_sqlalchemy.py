"""SQLAlchemy: statements, parameters and rows that hold texts, and errors that print all three."""

from __future__ import annotations

import logging

from sqlalchemy import Column, Integer, MetaData, String, Table, bindparam, create_engine, select, text
from sqlalchemy.pool import StaticPool

import discreet
from tests.worlds.libraries.telling import World, failing, log_of

log = log_of(__name__)


def run(world: World) -> None:
    """Store every text, twice, and search for it in wrong ways."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    logging.getLogger("sqlalchemy").setLevel("DEBUG")
    notes = Table(
        "notes",
        MetaData(),
        Column("id", Integer, primary_key=True),
        Column("body", String, unique=True),
        Column("size", Integer, nullable=False),
    )
    notes.metadata.create_all(engine)
    for body in world.texts:
        for row in ({"body": body, "size": 1}, {"body": body, "size": 1}, {"body": body + "!", "size": None}):
            scope = discreet.customer_text(question=body, chunks=world.texts)
            with scope, failing(log, body), engine.begin() as connection:
                connection.execute(notes.insert(), row)
        with discreet.customer_text(question=body), failing(log, body), engine.begin() as connection:
            connection.execute(notes.insert(), [{"body": body, "size": 1}, {"body": body, "size": object()}])
        with discreet.customer_text(question=body), failing(log, body), engine.connect() as connection:
            found = connection.execute(select(notes).where(notes.c.body == body)).all()
            log.info("found %s", found, extra={"rows": found})
            connection.execute(text(f"SELECT * FROM notes WHERE body = '{body}\" AND"), {"q": body})
        with discreet.customer_text(question=body), failing(log, body), engine.connect() as connection:
            connection.execute(text("SELECT :a, :b"), {"a": body})
        with discreet.customer_text(question=body), failing(log, body), engine.connect() as connection:
            connection.execute(select(notes).where(notes.c.body == bindparam("b", type_=Integer)), {"b": [body]})
        with discreet.customer_text(question=body), failing(log, body):
            create_engine(f"{body}://somewhere")
        with discreet.customer_text(question=body), failing(log, body):
            log.info("column %s", notes.c[body])
    engine.dispose()
