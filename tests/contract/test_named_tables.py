"""The names that three systems have published, written out here and looked for in the shipped contracts."""

from __future__ import annotations

import pytest

from discreet.contract.source import load_shipped

INPUT, SETUP, UPSTREAM = "InvalidInputError", "ConfigurationError", "UpstreamError"

# Code, class, and whether another try may help; None where the exception itself says so.
VERBATIM_ERRORS = [
    ("invalid_value", INPUT, None),
    ("missing_field", INPUT, None),
    ("invalid_value", SETUP, None),
    ("missing_dependency", SETUP, None),
    ("model_not_loaded", SETUP, None),
    ("missing_embedder", SETUP, None),
    ("missing_llm_client", SETUP, None),
    ("authentication_failed", SETUP, None),
    ("permission_denied", SETUP, None),
    ("model_not_found", SETUP, None),
    ("quota_exceeded", SETUP, None),
    ("timeout", UPSTREAM, True),
    ("connection_failed", UPSTREAM, True),
    ("rate_limited", UPSTREAM, True),
    ("server_error", UPSTREAM, True),
    ("request_rejected", UPSTREAM, None),
    ("invalid_reply", UPSTREAM, True),
    ("empty_reply", UPSTREAM, None),
    ("client_failed", UPSTREAM, None),
]

# What an error of a class is called that has no code of its own, and what ends a failed stream.
VERBATIM_DEFAULTS = [
    ("verbatim_error", "VerbatimError", None),
    ("internal_error", "VerbatimError", None),
    ("invalid_input", INPUT, None),
    ("configuration_error", SETUP, None),
    ("upstream_error", UPSTREAM, None),
]

VERBATIM_WARNINGS = {
    "quote_not_found": "LLMSpanExtractor",
    "span_text_not_found": "an extractor that has only extract_spans",
    "chunk_truncated": "ModelSpanExtractor, SemanticHighlightExtractor",
    "template_fallback": "contextual templates",
    "reranker_fallback": "VerbatimRAG",
}

# Level, and the attributes beside the codes, which are fields of every record.
VERBATIM_EVENTS = {
    "model_loaded": ("INFO", ("model", "device", "duration_ms")),
    "fallback_used": ("WARNING", ("count",)),
    "item_failed": ("WARNING", ()),
}

GROUNDKIT_CODES = {
    "GroundkitError": "groundkit_error",
    "ConfigurationError": "configuration_error",
    "IngestionError": "ingestion_error",
    "ChunkingError": "chunking_error",
    "EmbeddingError": "embedding_error",
    "ProviderNotConfiguredError": "provider_not_configured",
    "StorageError": "storage_error",
    "IndexIdentityError": "index_identity_mismatch",
    "RetrievalError": "retrieval_error",
    "RerankerNotConfiguredError": "reranker_not_configured",
    "EvalError": "eval_error",
    "ChatError": "chat_error",
    "ChatProviderNotConfiguredError": "chat_provider_not_configured",
    "QueryRewriteError": "query_rewrite_failed",
    "SynthesisError": "synthesis_failed",
    "JudgeError": "judge_failed",
    "RedactionError": "redaction_error",
    "UnknownRedactionTokenError": "unknown_redaction_token",
}

OLOPROOF_VALUES = {
    "decision_state": ("PASS", "FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"),
    "completeness": ("COMPLETE", "PARTIAL"),
    "release_action": ("ALLOW", "WARN", "BLOCK"),
    "stop_reason": ("timed_out", "cancelled", "budget_exhausted", "lease_expired"),
}


def test_verbatim_has_its_nineteen_errors_and_the_codes_of_its_classes():
    """Identity is code and class together: one code stands under two classes."""
    declared = [
        (row.code, (row.exception or "").removeprefix("verbatim_core."), row.retryable)
        for row in load_shipped("verbatim").error_codes
    ]
    assert (len(VERBATIM_ERRORS), declared) == (19, VERBATIM_ERRORS + VERBATIM_DEFAULTS)


def test_verbatim_has_its_five_warnings_with_who_emits_them():
    """A warning's code and its emitter are public names."""
    declared = {row.code: row.emitted_by for row in load_shipped("verbatim").warning_codes}
    assert declared == VERBATIM_WARNINGS


def test_verbatim_has_its_three_events_with_levels_and_attributes():
    """What release 0.3 sends by `extra` is declared for 0.2.8 already."""
    declared = {event.name: (event.level, event.attributes) for event in load_shipped("verbatim").events}
    assert declared == VERBATIM_EVENTS


def test_the_classes_of_verbatim_say_whose_fault_it_is_and_give_what_is_safe():
    """Each class reads the code of the instance, and shows its text from release 0.3 on, when it holds no content."""
    declared = {
        row.class_name.removeprefix("verbatim_core."): (
            row.error_class,
            row.code,
            row.own_code,
            row.safe_message,
            {safe.name: str(safe.type) for safe in row.attributes},
        )
        for row in load_shipped("verbatim").exceptions
    }
    assert declared == {
        "VerbatimError": (None, "verbatim_error", True, ">=0.3", {}),
        INPUT: ("input", "invalid_input", True, ">=0.3", {"param": "param"}),
        SETUP: ("configuration", "configuration_error", True, ">=0.3", {}),
        UPSTREAM: (
            "upstream",
            "upstream_error",
            True,
            ">=0.3",
            {"upstream_service": "enum(values=llm|reranker)", "retryable": "bool", "retry_after": "duration_s"},
        ),
    }


def test_verbatim_has_one_content_logger():
    """Customer text has one place only, under a logger of the library's own."""
    contract = load_shipped("verbatim")
    assert (contract.loggers, contract.content_loggers) == (
        ("verbatim_core", "verbatim_rag"),
        ("verbatim_core.content",),
    )


def test_the_eighteen_classes_of_groundkit_have_their_codes():
    """Its exceptions carry no code, so the class gives one, and each code says what it means."""
    contract = load_shipped("groundkit")
    declared = {row.class_name.removeprefix("groundkit.errors."): row.code for row in contract.exceptions}
    meant = {(row.exception or "").removeprefix("groundkit.errors."): row.code for row in contract.error_codes}
    assert (len(GROUNDKIT_CODES), declared, meant) == (18, GROUNDKIT_CODES, GROUNDKIT_CODES)


def test_a_retrieval_error_of_groundkit_shows_its_verdict():
    """The verdict is one of two words or absent, and never guessed."""
    (row,) = [row for row in load_shipped("groundkit").exceptions if row.class_name.endswith(".RetrievalError")]
    assert {safe.name: str(safe.type) for safe in row.attributes} == {"verdict": "enum(values=drifted|unresolvable)"}


@pytest.mark.parametrize("attribute", OLOPROOF_VALUES)
def test_oloproof_tells_decisions_from_what_became_of_a_run(attribute):
    """A decision and a run's state are attributes of their own, so neither can be shown as the other."""
    kind = load_shipped("oloproof").attributes[attribute]
    assert dict(kind.options)["values"] == OLOPROOF_VALUES[attribute]


def test_no_value_of_oloproof_stands_for_a_decision_and_a_run_state():
    """A failed evaluation and a failed run have no word in common by which they could be counted together."""
    attributes = load_shipped("oloproof").attributes
    values = {name: set(dict(attributes[name].options)["values"]) for name in ("decision_state", "run_status")}
    assert values["decision_state"] & values["run_status"] == set()
    assert {"RUN_ERROR", "CANCELLED"} <= values["run_status"]


@pytest.mark.parametrize("event", ["run_finished", "metric_measured"])
def test_the_measured_of_oloproof_carry_all_four_counts(event):
    """A rate without its missing cases can't be bounded."""
    (declared,) = [one for one in load_shipped("oloproof").events if one.name == event]
    assert {"total", "eligible", "observed", "missing"} <= set(declared.attributes)
