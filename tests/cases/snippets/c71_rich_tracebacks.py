"""C71: rich renders messages as markup and tracebacks with the variables of every frame."""

import io
import logging

from _common import OUT, codes

CASE = {
    "id": "C71",
    "group": "C",
    "kind": "both",
    "requires": ["rich"],
    "right": "rich gets the sealed record and a stand-in without locals or lines.",
    "min_records": 2,
}
SECRETS = ["dunnockley", "wrenthorpe"]


def _divide(question: str) -> float:
    return len(question) / (len(question) - len(question))


def emit() -> None:
    from rich.console import Console
    from rich.logging import RichHandler

    out = io.StringIO()
    console = Console(file=out, width=200)
    handler = RichHandler(console=console, rich_tracebacks=True, tracebacks_show_locals=True, markup=True)
    log = logging.getLogger("app.rich")
    log.addHandler(handler)
    log.info("about [bold]%s[/bold]", "dunnockley", extra=codes(markup="wrenthorpe"))
    try:
        _divide("wrenthorpe")
    except ZeroDivisionError:
        log.exception("failed", extra=codes(error=True))
    log.removeHandler(handler)
    (OUT / "rich.txt").write_text(out.getvalue(), encoding="utf-8")
    assert "ZeroDivisionError" in out.getvalue()
