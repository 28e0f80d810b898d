"""Where the contracts state what the science or the stages decide, they state the same."""

from __future__ import annotations

import math

import pytest

from algorithms.assignment import registry
from algorithms.bounds import result
from algorithms.scores import assignment_scores, latency_model
from pipeline.reporting.regression import comparison_text, gate_rule
from pipeline.settings import field_checks
from pipeline.settings.assignment_experiment import Experiment
from pipeline.settings.run_config import RunConfig
from schemas import TABLES
from schemas.tables.assignment.latency import HISTOGRAM_BINS
from schemas.tables.common import differences


def test_histogram_has_the_bins_that_its_column_describes() -> None:
    upper = latency_model.HISTOGRAM_EDGES[1:]
    assert len(upper) == HISTOGRAM_BINS
    assert upper[:-1].tolist() == pytest.approx([10 ** (-3 + i / 10) for i in range(81)])
    assert upper[-1] == math.inf
    meaning = TABLES["latency"].column("histogram").meaning
    assert f"{HISTOGRAM_BINS} bins whose upper ends are 10^(-3 + i/10) s for i from 0 to 80" in (
        meaning
    )


def test_bounds_have_the_methods_of_the_science() -> None:
    methods = (result.L2, result.PATTERNS, result.RETENTION, result.INFEASIBLE)
    assert TABLES["bounds"].column("method").allowed == methods


def test_audit_counts_what_the_kernel_counts() -> None:
    audit = TABLES["assignments"].audit
    assert audit is not None
    assert set(assignment_scores.Audit._fields) <= {column.name for column in audit.columns}


def test_only_static_assignments_are_excused_from_capacity() -> None:
    for name in ("kd_3", "range_3"):
        assert registry.get(name).family == registry.STATIC
        assert not registry.get(name).keeps_capacity
    assert not any(name.startswith(("kd_", "range_")) for name in registry.names())


def test_differences_are_of_the_metrics_that_are_compared() -> None:
    assert differences.METRICS == gate_rule.METRICS
    assert set(comparison_text.ORDER) == set(differences.VERDICTS)


def test_rules_read_what_the_configuration_has() -> None:
    plan = {"name", "deltas", "replicates", "initial_rates", "algorithms"}
    plan |= {"bound_iterations", "bound_algorithms"}
    assert plan <= set(Experiment.model_fields)
    assert {"experiments", "traces"} <= set(RunConfig.model_fields)


def test_start_conditions_are_those_of_the_configuration() -> None:
    assert TABLES["streams"].column("initial_rate").allowed == field_checks.STARTS
