"""The list of metrics: every one is stored, documented, shown, tracked and, if gated, compared."""

from __future__ import annotations

import html
import io
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

import schemas
from pipeline.experiments.assignment.sections import score_tables
from pipeline.experiments.assignment.tracking.algorithm_metrics import cells
from pipeline.experiments.family_list import family
from pipeline.reporting.regression import compared_results
from pipeline.reporting.sections import section_terminal
from pipeline.warehouse.runs.experiment_family import load
from schemas import metrics, tables
from schemas.contract_errors import ContractError
from schemas.metric import Metric
from schemas.metrics import ALL, FRONTS, METRICS, SCALING
from schemas.module_constants import module_constants
from schemas.tables.common import differences
from schemas.views.history import VIEW as HISTORY
from tests.pipeline.family_cases import CASES

pytestmark = pytest.mark.unit

PAGES = Path(__file__).parents[2] / "docs" / "tables"
DERIVED = ("share",)
"""Columns that are computed from two stored ones."""

each_metric = pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)


def family_of(metric: Metric) -> str:
    return next(name for name, case in CASES.items() if metric in case.metrics)


@cache
def page(name: str) -> str:
    """The report of small results of a family."""
    return html.unescape(load(family(name).report)(CASES[name].small()))


@cache
def tracked(name: str) -> list[Mapping[str, float]]:
    """What MLflow gets of each algorithm, or strategy with parameters, of small results."""
    if name == "assignment":
        return [cell.metrics for cell in cells(CASES[name].small())]
    run = load(family(name).tracked)(CASES[name].small(), "")
    return [child.metrics for child in run.children("parent")]


def test_every_family_has_metrics() -> None:
    assert sum((case.metrics for case in CASES.values()), ()) == ALL


def test_no_table_has_metrics_that_are_not_listed() -> None:
    listed = module_constants(tables.__path__, tables.__name__, "METRICS")
    declared = {item for entries in listed for item in entries if isinstance(item, Metric)}
    assert declared == set(ALL)


@each_metric
def test_a_metric_is_in_its_table_and_in_the_view(metric: Metric) -> None:
    stored = {column.name for column in schemas.TABLES[metric.table].columns}
    assert metric.column in stored or metric.column in DERIVED
    shown = CASES[family_of(metric)].view.column(metric.name)
    assert shown.meaning
    assert shown.unit
    columns = {c.name for name in FRONTS.values() for c in schemas.TABLES[name].columns}
    assert metric.interval == (f"{metric.name}_low" in columns)
    assert not metric.interval or schemas.TABLES[FRONTS[metric.table]].column(f"{metric.name}_low")


@each_metric
def test_a_metric_is_followed_gated_and_tracked(metric: Metric) -> None:
    followed = HISTORY.column("metric").allowed
    assert metric.followed == (metric.name in followed)
    assert metric.gated == (metric.name in differences.METRICS)
    compared = (*compared_results.MEANS, *compared_results.TIMES)
    assert metric.gated == (metric.name in compared)
    tracked_names = tracked(family_of(metric))
    assert tracked_names
    assert all(metric.tracked in each for each in tracked_names)


def test_the_terminal_shows_every_metric_that_is_gated_or_a_latency() -> None:
    """Only the report has the others: their columns would not fit 80 characters."""
    shown = {item.name for item in (*score_tables.SCORES, *score_tables.LATENCIES)}
    left = [item for item in METRICS if item.name not in shown]
    assert [item.name for item in left if item.gated or item.table == "latency"] == []


def test_the_terminal_shows_the_means_of_autoscaling() -> None:
    """Next to names of strategies with parameters, latencies would not fit 80 characters."""
    console = Console(file=io.StringIO(), width=80, record=True)
    written = load(family("autoscaling").sections)(CASES["autoscaling"].small())
    console.print(section_terminal.shown(written, 80))
    text = console.export_text()
    assert [item.head for item in SCALING if item.head in text] == [
        item.head for item in SCALING if item.averaging == "mean"
    ]


@each_metric
def test_the_report_shows_and_the_dictionary_explains_a_metric(metric: Metric) -> None:
    assert metric.head in page(family_of(metric))
    assert any(f"| `{metric.name}` |" in page.read_text("utf-8") for page in PAGES.iterdir())


def test_names_and_tracked_names_are_unique() -> None:
    assert len({item.name for item in ALL}) == len(ALL)
    assert len({item.tracked for item in ALL}) == len(ALL)


def test_an_unknown_metric_names_the_known_ones() -> None:
    every = ", ".join(item.name for item in ALL)
    with pytest.raises(ContractError, match=f"must be one of {every}$"):
        metrics.metric("speed")
