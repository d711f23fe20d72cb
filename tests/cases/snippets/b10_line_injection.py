"""B10: control characters: forged lines, terminal escapes, NUL, Unicode line separators, bidi."""

import logging

from _common import codes

CASE = {
    "id": "B10",
    "group": "B",
    "kind": "robust",
    "source": [
        "NVIDIA/garak PR 2037",
        "apache/airflow PR 67500",
        "worldbank/data360-mcp PR 140",
        "djust-org/djust#2947",
        "ossf/wg-best-practices-os-developers PR 996",
    ],
    "right": (
        "Exactly one physical line per record (splitlines() too, so also U+2028, U+0085, VT, "
        "FF, FS..US); no ESC/C0/C1 bytes; holds for message, extras, codes and logger name."
    ),
    "one_line": True,
    "min_records": 4,
}
SECRETS: list[str] = []
FORGED = '{"level": "ERROR", "event": "forged"}'
BREAKS = ("\n", "\r\n", "\r", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c")


def emit() -> None:
    log = logging.getLogger("app")
    for br in BREAKS:
        log.info(f"ok{br}{FORGED}", extra=codes(model=f"m{br}{FORGED}"))
    log.info(
        "\x1b[2J\x1b]0;owned\x07 \x9b31m \x00 \x08 \u202e",
        extra=codes(model="\x1b[31m"),
    )
    logging.getLogger("app\n" + FORGED).info("x", extra=codes())
    log.info("x", extra={"event": "a\n" + FORGED, "error_code": "E\r\n" + FORGED})
