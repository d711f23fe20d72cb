"""A help desk: questions are stored, searched and ranked. Its logging is set up by whoever starts it."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import ForeignKey, StaticPool, create_engine, func, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

log = logging.getLogger(__name__)
# As echo=True would, without a handler of SQLAlchemy's own.
logging.getLogger("sqlalchemy.engine").setLevel(logging.INFO)
engine = create_engine("sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False})
ASKED_BY = "SELECT count(*) FROM questions JOIN people ON people.id = person_id WHERE name = :name"


class Base(DeclarativeBase):
    """Base of the tables."""


class Person(Base):
    """Somebody who asks."""

    __tablename__ = "people"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class Question(Base):
    """What somebody asked."""

    __tablename__ = "questions"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(unique=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))


class NewQuestion(BaseModel):
    """The body of a new question."""

    text: str
    person: str
    urgency: int = 0


class DeskError(Exception):
    """A question can't be answered."""


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    """Make the tables and the client."""
    Base.metadata.create_all(engine)
    async with httpx.AsyncClient(timeout=5) as client:
        app.state.client = client
        log.info("Desk is open with %d tables", len(Base.metadata.tables))
        yield
    log.info("Desk is closed")


app = FastAPI(lifespan=lifespan)


@app.post("/questions", status_code=201)
def ask(new: NewQuestion) -> dict[str, int]:
    """Store a question."""
    started = time.perf_counter()
    with Session(engine) as session:
        person = session.scalar(select(Person).where(Person.name == new.person)) or Person(name=new.person)
        session.add(person)
        session.flush()
        question = Question(text=new.text, person_id=person.id)
        session.add(question)
        try:
            session.commit()
        except IntegrityError as error:
            log.warning("Refused a question of %s: %s", new.person, error)
            raise HTTPException(409, detail=f"{new.text} was asked before") from error
        taken = (time.perf_counter() - started) * 1000
        log.info(f"Stored question {question.id:d} of {new.person} in {taken:.1f} ms")
        return {"id": question.id}


@app.get("/questions/{question_id}")
def read(question_id: str) -> dict[str, str]:
    """Read a question by its id, or by its text."""
    with Session(engine) as session:
        wanted = Question.id == int(question_id) if question_id.isdigit() else Question.text == question_id
        found = session.scalar(select(Question).where(wanted))
        if found is None:
            log.info("No question %s", question_id)
            raise HTTPException(404, detail=f"no question {question_id}")
        return {"text": found.text}


@app.get("/search")
async def search(q: str, request: Request) -> dict[str, list[int]]:
    """Find questions that hold some text, best first."""
    with Session(engine) as session:
        found = list(session.scalars(select(Question).where(Question.text.contains(q))))
    log.info("Searching for %r found %d", q, len(found))
    texts = [one.text for one in found]
    answer = await app.state.client.post(f"{request.base_url}rank", params={"q": q}, json=texts)
    try:
        answer.raise_for_status()
    except httpx.HTTPStatusError as error:
        log.exception(f"Ranking of {len(found)} questions for {q} failed")
        # As much code does: a message that nobody wrote down.
        log.error(str(error))
        raise HTTPException(502, detail=str(error)) from error
    return {"ids": [found[place].id for place in answer.json()]}


@app.post("/rank")
def rank(q: str, texts: list[str]) -> list[int]:
    """Order texts by their length; the second service that the first one asks."""
    if q.endswith("!"):
        raise HTTPException(503, detail=f"no rank for {q}")
    log.debug("Ranking %s", texts)
    return sorted(range(len(texts)), key=lambda place: len(texts[place]))


@app.get("/answers/{topic}")
def answer(topic: str, person: str = "nobody") -> dict[str, str]:
    """Answer nothing: the failure that nobody catches."""
    try:
        raise KeyError(topic)
    except KeyError as error:
        log.error("No answer about " + topic)
        raise DeskError(f"{person} asked about {topic}") from error


@app.delete("/people/{name}")
def forget(name: str) -> dict[str, int]:
    """Forget a person, in SQL of one's own; those who asked something stay."""
    with engine.begin() as connection:
        asked = connection.execute(text(ASKED_BY), {"name": name}).scalar_one()
        log.info("{} questions of {}".format(asked, name))
        if not asked:
            connection.execute(text("DELETE FROM people WHERE name = :name"), {"name": name})
    return {"questions": asked}


@app.get("/count")
def count() -> dict[str, int]:
    """Say how many there are."""
    with Session(engine) as session:
        people = session.scalar(select(func.count()).select_from(Person)) or 0
        questions = session.scalar(select(func.count()).select_from(Question)) or 0
    log.info(f"{people:d} people, {questions:d} questions, {questions / max(people, 1):.2f} each")
    return {"people": people, "questions": questions}


@app.exception_handler(HTTPException)
async def refused(request: Request, error: HTTPException) -> JSONResponse:
    """Answer a refusal, and say so."""
    log.info("Answering %s with %d", request.url, error.status_code)
    return JSONResponse({"detail": error.detail}, error.status_code)
