"""Django's own default logging under the guard, with text scopes: errors, mail to the admins, templates, SQL."""

from __future__ import annotations

import json
import re
import socket
from collections import Counter
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any
from urllib.parse import quote

import pytest

from tests.ways_in.customer import SENTENCES, found_in
from tests.ways_in.running import Program, ask

pytestmark = [pytest.mark.integration, pytest.mark.long]

ASKED = SENTENCES[1]
SETTINGS = """
import logging
import discreet
discreet.install(match=["scoped.matched"])
logging.getLogger().addHandler(discreet.JsonHandler(filename="log.jsonl"))
logging.getLogger().setLevel("DEBUG")
ROOT_URLCONF = "scoped_site"
ALLOWED_HOSTS = ["127.0.0.1"]
SECRET_KEY = "only a test's"
DEBUG = {debug}
ADMINS = [("Ops", "ops@operator.example")]
EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
EMAIL_FILE_PATH = "mails"
DATABASES = {{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}}
TEMPLATES = [{{"BACKEND": "django.template.backends.django.DjangoTemplates"}}]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
"""
WAYS = {
    "query": 200,
    "template": 200,
    "stream": 200,
    "wrong-query": 500,
    "wrong-template": 500,
    "broken-template": 500,
    "forbidden": 403,
    "suspicious": 400,
    "broken": 500,
}


@dataclass(frozen=True)
class Served:
    """What one run of the development server left."""

    lines: list[dict[str, Any]]
    mails: list[EmailMessage]


@pytest.fixture(scope="module", params=[True, False], ids=["debug", "production"])
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[bool, Served]:
    """A request of each kind, the text in its path, query and body; no text is anywhere in what was written."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "settings.py").write_text(SETTINGS.format(debug=request.param), encoding="ascii")
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
    command = ["-m", "django", "runserver", "--noreload", "--nothreading", f"127.0.0.1:{port}"]
    with Program(folder, *command, DJANGO_SETTINGS_MODULE="settings") as program:
        program.wait_for("Quit the server")
        text = quote(ASKED)
        statuses = {way: ask(port, "POST", f"/{way}/{text}?q={text}", ASKED) for way in WAYS}
        missing = ask(port, "POST", f"/a/b/{text}?q={text}", ASKED)
        host = ask(port, "POST", "/query", ASKED, Host="lavender.example")
        program.wait_for(rf'(?s)(HTTP/1\.1" \d+ .*){{{len(WAYS) + 2}}}')
        program.stop()
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text("utf-8").splitlines()]
    # Two mails of one second may be in one file, with a line between.
    written = [file.read_bytes() for file in sorted((folder / "mails").glob("*"))]
    parts = [part for one in written for part in one.split(b"\n" + b"-" * 79 + b"\n") if part]
    mails = [message_from_bytes(part, policy=default) for part in parts]
    assert (statuses, missing, host) == (WAYS, 404, 400)
    # The mails list Django's settings, of which some are about directories.
    told = [re.sub("(?i)directory", "", f"{mail['subject']}\n{mail.get_content()}") for mail in mails]
    assert found_in(program.stdout, program.stderr, *told, *map(str, lines)) == []
    return request.param, Served(lines, mails)


def test_views_know_their_texts(served: tuple[bool, Served]) -> None:
    """While they run, and while the answer streams; after that nothing is let through."""
    found = Counter(line["message"] for line in served[1].lines if line["logger"] == "scoped")

    ways = {f"At {way}: <question 1-15>": 1 for way in WAYS if way not in ("query", "stream")}
    assert found == ways | {
        "At query: <question 1-15>": 1,
        "At stream: <question 1-15>": 1,
        "At stream: <text 1-15>": 2,
        "At end: <str 1-15>": 1,
    }


def test_errors_have_type_status_and_place(served: tuple[bool, Served]) -> None:
    """Those of django.request and django.security; a path of no listed route is none of ours."""
    errors = Counter(
        (line["logger"], line["message"], line.get("exception_type"))
        for line in served[1].lines
        if line["logger"].startswith(("django.request", "django.security"))
    )
    failed = "Internal Server Error: /…"
    core, security = "django.core.exceptions", "django.security"
    assert errors == dict.fromkeys(
        [
            ("django.request", failed, "django.db.utils.OperationalError"),
            ("django.request", failed, "django.template.exceptions.TemplateSyntaxError"),
            ("django.request", failed, "LookupError"),
            ("django.request", failed, "ValueError"),
            ("django.request", "Forbidden (Permission denied): /…", f"{core}.PermissionDenied"),
            ("django.request", "Not Found: /…", None),
            # What Django logs there is the exception's text alone.
            (f"{security}.SuspiciousOperation", "<str 64-255>", f"{core}.SuspiciousOperation"),
            (f"{security}.DisallowedHost", "<str 64-255>", f"{core}.DisallowedHost"),
        ],
        1,
    )


def test_templates_and_statements_are_told_without_values(served: tuple[bool, Served]) -> None:
    """At DEBUG: variables that a template doesn't find, and, where DEBUG is on, statements with parameters."""
    debug, found = served
    statements = [line for line in found.lines if line["logger"] == "django.db.backends"]
    template = [line["message"] for line in found.lines if line["logger"] == "django.template"]

    assert {line["message"].partition(") ")[2] for line in statements} == (
        {"SELECT; args=<list>; alias=default"} if debug else set()
    )
    assert {message.partition("'")[0] for message in template} == {"Exception while resolving variable "}


def test_the_admins_get_mail_without_texts(served: tuple[bool, Served]) -> None:
    """In production only: the report of the exception has neither request nor variables."""
    debug, found = served
    subjects = Counter(mail["subject"] for mail in found.mails)
    types = {re.search(r"^Exception Type: (\w+)", mail.get_content(), re.MULTILINE)[1] for mail in found.mails}

    assert dict(subjects) == (
        {} if debug else {"[Django] ERROR: Internal Server Error: /…": 4, "[Django] ERROR: <str 64-255>": 2}
    )
    kinds = {"DisallowedHost", "LookupError", "OperationalError", "SuspiciousOperation", "TemplateSyntaxError"}
    assert types == (set() if debug else kinds | {"ValueError"})
