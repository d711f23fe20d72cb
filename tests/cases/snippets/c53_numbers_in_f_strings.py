"""C53: numbers in an f-string stand next to texts that hold digits themselves."""

import logging

from _common import codes

CASE = {
    "id": "C53",
    "group": "C",
    "kind": "leak",
    "right": "A number is read from the message only where no text can stand in its place.",
    "min_records": 8,
}
SECRETS = ["471158", "901253", "88 ms", "hobbyfalc"]


class Speaking(float):
    def __format__(self, spec: str) -> str:
        return "hobbyfalc"

    def __len__(self) -> int:
        return 901253


def emit() -> None:
    log = logging.getLogger("app.slots")
    n, text, took = 7, "room 471158 took 88 ms", 12.5
    digits, area = "471158", "901253"
    log.info(f"{text} in {took:.1f} ms", extra=codes())
    log.info(f"took {took:.1f} ms for {text}", extra=codes())
    log.info(f"{digits}{n:d} items and {n:d}{digits}", extra=codes())
    log.info(f"{digits} {n:d} {digits}", extra=codes())
    log.info(f"{n:d} of {digits} in {took:.2f} of {digits} in {n:d}")
    log.info(f"{len(text)} letters{digits}{len(digits)}{area}")
    log.info("{} in {:.1f} ms".format(text, took))
    log.info("%s in %.1f ms" % (text, took))
    log.info("hits: " + digits + " of " + str(n))
    log.info(f"{Speaking(1):.1f} and {Speaking(1):d}")
