"""What is missing: the library, or the extra."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from opentelemetry.instrumentation import dependencies

from discreet.call_counts import CALLS
from discreet.export.ledger import LEDGER
from discreet.instrument.base import LibraryInstrumentor
from discreet.instrument.groundkit import GroundkitInstrumentor
from discreet.instrument.oloproof import OloproofInstrumentor
from tests.calls.seen import Seen
from tests.forking import environment

BOTH = [GroundkitInstrumentor, OloproofInstrumentor]

WITHOUT_THE_EXTRA = """
import sys
sys.modules["opentelemetry.instrumentation"] = None
import discreet
assert not [name for name in sys.modules if name.startswith("discreet.instrument")]
try:
    import discreet.instrument.groundkit
except discreet.ConfigurationError as error:
    print(error)
"""


@pytest.mark.parametrize("skip_dep_check", [True, False])
@pytest.mark.parametrize("kind", BOTH, ids=lambda kind: kind.package)
def test_a_library_that_is_missing_is_left_out(
    kind: type[LibraryInstrumentor], skip_dep_check: bool, sinks: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also as `opentelemetry-instrument` asks for it, which skips the look for the library's release."""

    def no_distribution(name: str) -> Any:
        # Its own name for it: with older releases it isn't the standard library's.
        raise dependencies.PackageNotFoundError(name)

    monkeypatch.setattr("opentelemetry.instrumentation.dependencies.version", no_distribution)
    monkeypatch.setitem(sys.modules, kind.package, None)
    kind().instrument(skip_dep_check=skip_dep_check)
    assert kind().is_instrumented_by_opentelemetry == skip_dep_check
    if skip_dep_check:
        kind().uninstrument()
    assert (CALLS.as_dict(), LEDGER.failures) == ({}, {})


def test_without_the_extra_it_says_what_to_install() -> None:
    """And `import discreet` doesn't ask for it."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_EXTRA], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout == (
        "discreet.instrument: the package opentelemetry-instrumentation is missing. "
        'Install it with: pip install "discreet[instrument]"\n'
    )
