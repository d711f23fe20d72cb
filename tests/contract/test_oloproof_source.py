"""What the contract of oloproof says, against the source of the installed release."""

from __future__ import annotations

import ast
import builtins

import pytest

from discreet.contract.source import load_shipped
from tests.contract.library_sources import installed
from tests.contract.log_calls import calls, modules

pytestmark = [pytest.mark.integration, pytest.mark.long]

PACKAGES = ("oloproof", "oloproof_core", "oloproof_cli")

# No error: a judgment that doesn't apply, a warning of pytest, and what a scaffolded example raises.
NO_ERRORS = {
    "oloproof_core.evaluators.base.NotApplicableError",
    "oloproof_core.reports.assert_gate.GateWarning",
    "oloproof_cli.examples.conversation.assistant.HandoffRequested",
}

ENUMS = {
    "DecisionState": "decision_state",
    "RunStatus": "run_status",
    "Completeness": "completeness",
    "ReleaseAction": "release_action",
    "MetricType": "metric_type",
    "ExecutionStatus": "execution_status",
    "JudgmentStatus": "judgment_status",
}


def _classes() -> dict[str, list[str]]:
    """Return the classes of oloproof: the qualified name, and the bare names of the bases."""
    found: dict[str, list[str]] = {}
    for package in PACKAGES:
        for module, tree in modules(installed(package), package):
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    bases = [ast.unparse(base).rpartition(".")[2] for base in node.bases]
                    found[f"{module}.{node.name}"] = bases
    return found


def test_every_exception_class_has_a_code_or_is_known_to_be_no_error():
    """A class that is added or renamed in another release shows here."""
    raised = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    classes = _classes()
    found: set[str] = set()
    while fresh := {name for name, bases in classes.items() if name not in found and raised & set(bases)}:
        found |= fresh
        raised |= {name.rpartition(".")[2] for name in fresh}
    public = {name for name in found if not name.rpartition(".")[2].startswith("_")}
    assert public == {row.class_name for row in load_shipped("oloproof").exceptions} | NO_ERRORS


def test_the_values_of_its_enums_are_those_of_the_attributes():
    """A value that a release adds would be withheld until the contract has it."""
    declared = load_shipped("oloproof").attributes
    (tree,) = [
        tree for name, tree in modules(installed("oloproof_core"), "oloproof_core") if name.endswith("models.enums")
    ]
    found = {
        node.name: tuple(
            ast.literal_eval(entry.value)
            for entry in node.body
            if isinstance(entry, ast.Assign) and isinstance(entry.value, ast.Constant)
        )
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name in ENUMS
    }
    assert found == {name: dict(declared[attribute].options)["values"] for name, attribute in ENUMS.items()}


def test_it_logs_nothing():
    """Its records are made for it; one of its own would have to be mapped."""
    found = [str(call) for package in PACKAGES for call in calls(installed(package), package) if call.source == "log"]
    assert found == []
