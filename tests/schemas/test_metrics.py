"""The list of metrics: every one is stored, documented, shown, tracked and, if gated, compared."""

from __future__ import annotations

import html
from pathlib import Path

import pytest

import schemas
from pipeline.assignment import report, summary_tables
from pipeline.assignment.tracking.algorithm_metrics import cells
from pipeline.regression import compared_results
from schemas import metrics
from schemas.contract_errors import ContractError
from schemas.tables.common import differences
from schemas.views.history import VIEW as HISTORY
from schemas.views.results import VIEW as RESULTS
from tests.pipeline.assignment import report_cases

pytestmark = pytest.mark.unit

DICTIONARY = Path(__file__).parents[2] / "docs" / "data-dictionary.md"
DERIVED = ("share",)
"""Columns that are computed from two stored ones."""


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_in_its_table_and_in_the_view(metric: metrics.Metric) -> None:
    stored = {column.name for column in schemas.TABLES[metric.table].columns}
    assert metric.column in stored or metric.column in DERIVED
    assert RESULTS.column(metric.name).meaning
    assert bool(metric.unit) == (
        RESULTS.column(metric.name).unit not in ("", "consumers")
        and (metric.name != "mean_migrations")
    )
    fronts = {column.name for column in schemas.TABLES["pareto"].columns}
    assert metric.interval == (f"{metric.name}_low" in fronts)


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_a_metric_is_followed_gated_and_tracked(metric: metrics.Metric) -> None:
    followed = HISTORY.column("metric").allowed
    assert metric.followed == (metric.name in followed)
    assert metric.gated == (metric.name in differences.METRICS)
    compared = (*compared_results.MEANS, *compared_results.TIMES)
    assert metric.gated == (metric.name in compared)
    assert all(metric.tracked in cell.metrics for cell in cells(report_cases.small()))


def test_the_terminal_shows_every_metric_that_is_gated_or_a_latency() -> None:
    """Only the report has the others: their columns would not fit 80 characters."""
    shown = {item.name for item in (*summary_tables.SCORES, *summary_tables.LATENCY)}
    left = [item for item in metrics.METRICS if item.name not in shown]
    assert [item.name for item in left if item.gated or item.table == "latency"] == []


@pytest.mark.parametrize("metric", metrics.METRICS, ids=lambda metric: metric.name)
def test_the_report_shows_and_the_dictionary_explains_a_metric(metric: metrics.Metric) -> None:
    assert metric.head in html.unescape(report.build(report_cases.small()))
    assert f"| `{metric.name}` |" in DICTIONARY.read_text(encoding="utf-8")


def test_names_and_tracked_names_are_unique() -> None:
    assert len({item.name for item in metrics.METRICS}) == len(metrics.METRICS)
    assert len({item.tracked for item in metrics.METRICS}) == len(metrics.METRICS)


def test_an_unknown_metric_names_the_known_ones() -> None:
    with pytest.raises(ContractError, match="must be one of cbs, mean_rscore"):
        metrics.metric("speed")
