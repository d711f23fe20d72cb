"""C03: warnings go to `py.warnings`: the text, the source line, a class made on the fly."""

import logging
import warnings

CASE = {
    "id": "C03",
    "group": "C",
    "kind": "leak",
    "right": ("Category and place may stay; the text of the warning and the line of source may not."),
    "min_records": 3,
}
SECRETS = ["cobbleweir", "Thornquist"]


def emit() -> None:
    who = "cobbleweir"
    logging.captureWarnings(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("no template for cobbleweir", stacklevel=1)
            warnings.warn(f"{who} was cut", UserWarning, stacklevel=2)
            named = type("ThornquistWarning", (UserWarning,), {})
            warnings.warn_explicit("slow", named, "/chunks/cobbleweir.txt", 7)
            warnings.warn(DeprecationWarning("Thornquist"), stacklevel=1)
    finally:
        logging.captureWarnings(False)
