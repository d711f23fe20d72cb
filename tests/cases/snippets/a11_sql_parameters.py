"""A11: a database error lists the bound parameters, and those are the stored chunk."""

import logging

from _common import codes

CASE = {
    "id": "A11",
    "group": "A",
    "kind": "leak",
    "source": [
        "oceanbase/powercontext#1318",
        "sqlalchemy/sqlalchemy#4815",
        "sqlalchemy/sqlalchemy#7768",
        "ethyca/fides PR 3081",
    ],
    "right": (
        "Type name only. With hide_parameters=True str() is clean but exc.params still holds "
        "the text: attributes must not be serialised either."
    ),
}
SECRETS = ["moorland77", "cinderbrook"]


class IntegrityError(Exception):
    def __init__(self, statement: str, params: object) -> None:
        super().__init__(statement, params)
        self.statement = statement
        self.params = params

    def __str__(self) -> str:
        return f"UNIQUE constraint failed\n[SQL: {self.statement}]\n[parameters: {self.params!r}]"


def emit() -> None:
    parameters = (1, "moorland77 was diagnosed in cinderbrook")
    try:
        raise IntegrityError("INSERT INTO chunk VALUES (?, ?)", parameters)
    except IntegrityError as exc:
        logging.getLogger("app.store").exception("insert failed", extra=codes(error=True, params=exc.params))
        logging.getLogger("sqlalchemy.engine.Engine").info("[generated in 0.1s] %r", exc.params)
