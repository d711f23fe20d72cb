"""A03: a validation error quotes the rejected input, and cuts long values in the middle.

Both ends of a long text survive the cut: a check for the whole string finds nothing while start and
end of what the customer wrote stand in the log.
"""

import logging

from _common import codes

CASE = {
    "id": "A03",
    "group": "A",
    "kind": "leak",
    "source": [
        "pydantic/pydantic#9139",
        "pydantic/pydantic-settings#937",
        "cognizant-ai-lab/neuro-san PR 999",
        "cdelmonte-zg/nanoidp PR 353",
    ],
    "right": ("Exception type (and field locations, if the package keeps them) only; no input_value at either end."),
}
SECRETS = ["fennelwick", "ottershard"]


def _answer(score: str) -> object:
    """Validate with pydantic, or with a look-alike where it is not installed."""
    try:
        import pydantic
    except ImportError:
        cut = score if len(score) <= 50 else score[:25] + "..." + score[-24:]
        raise ValueError(
            "1 validation error for Answer\nscore\n  Input should be a valid integer "
            f"[type=int_parsing, input_value={cut!r}, input_type=str]"
        ) from None
    return pydantic.create_model("Answer", score=(int, ...))(score=score)


def emit() -> None:
    log = logging.getLogger("app.parse")
    text = "fennelwick asked about " + "the tenancy deposit " * 20 + "in ottershard"
    for value in ("fennelwick short", text):
        try:
            _answer(value)
        except ValueError as exc:
            log.error("model output rejected: %s", exc, extra=codes(error=True))
            log.exception("model output rejected", extra=codes(error=True))
