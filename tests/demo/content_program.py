"""Logs one text at DEBUG and one at INFO on a content logger, with DEBUG set where it is told.

Arguments: the file for the JSON lines, the content logger, the logger on which to set DEBUG.
"""

import logging
import sys
from pathlib import Path

import discreet

DEMO = Path(__file__).parents[2] / "docs" / "examples" / "demo"
DETAIL = "The ferryman's widow asked whether the inheritance includes his boat."
SUMMARY = "Her cousin, a locksmith in Tarvisio, disputes the will."


def main(file: str, content: str, opened: str) -> None:
    handle = discreet.configure(contracts=[DEMO / "verbatim_standin" / "contract.toml"], level="INFO", json=file)
    logger = logging.getLogger(content)
    # configure() closes content loggers. Without a level of its own it would inherit one.
    logger.setLevel(logging.NOTSET)
    logging.getLogger(opened).setLevel(logging.DEBUG)
    logger.debug("asked: %s", DETAIL)
    logger.info("asked: %s", SUMMARY)
    logger.debug(f"asked at once: {DETAIL}")
    handle.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
