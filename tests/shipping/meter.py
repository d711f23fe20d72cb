"""A worker that counts calls. Arguments: the Collector's address, how many, and where it says that it has sent them."""

from __future__ import annotations

import sys
from pathlib import Path

import discreet

handle = discreet.configure(json=None, otlp=sys.argv[1], service="answers")
for number in range(int(sys.argv[2])):
    with discreet.observe_call("harbour.find") as call:
        if number % 2:
            call.warn("quote_not_found")
if not handle.flush():
    raise SystemExit("not everything was sent")
Path(sys.argv[3]).touch()
# Until nobody needs it any more.
sys.stdin.read()
