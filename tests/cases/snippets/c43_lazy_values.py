"""C43: values that make their text when they are asked: prompts, templates, partials, dates, paths."""

import datetime as dt
import decimal
import functools
import logging
import pathlib
import string
import urllib.parse
import uuid

from _common import codes

CASE = {
    "id": "C43",
    "group": "C",
    "kind": "leak",
    "right": "An object is its class; a date, a path, a hash of a text are text.",
    "min_records": 6,
}
SECRETS = ["garganeyte", "1984-03-09", "9 March 1984", str(uuid.uuid5(uuid.NAMESPACE_URL, "garganey"))]


class Prompt:
    def __str__(self) -> str:
        return "You answer garganeyte"

    def __format__(self, spec: str) -> str:
        return "You answer garganeyte"

    def __html__(self) -> str:
        return "garganeyte"


def emit() -> None:
    log = logging.getLogger("app.lazy")
    born = dt.date(1984, 3, 9)
    key = uuid.uuid5(uuid.NAMESPACE_URL, "garganey")
    log.info("prompt %s and %r", Prompt(), functools.partial(str, "garganeyte"), extra=codes())
    log.info(f"prompt {Prompt()} of {born} by {key}, {born:%-d %B %Y}", extra=codes(model=Prompt()))
    log.info("born %s, key %s", born, key, extra=codes(born=born, tenant=str(key)))
    log.info("file %s", pathlib.PurePath("/chunks/garganeyte.txt"), extra=codes(n=born))
    log.info("url %s", urllib.parse.urlsplit("https://x.example/garganeyte?q=1"))
    log.info("share %s", decimal.Decimal("19840309.5"), extra=codes(share=(1984, 3, 9)))
    log.info(string.Template("about $who").substitute(who="garganeyte"))
    log.info("chunks %s", (text for text in ("garganeyte",)), extra=codes())
