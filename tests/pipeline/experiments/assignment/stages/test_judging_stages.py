"""Stages that judge algorithms are functions of tables in memory."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

import schemas
from pipeline.experiments.assignment.stages import compute_statistics, judge_figures
from tests.pipeline.experiments.assignment import report_cases

pytestmark = pytest.mark.slow


def columns(table: str) -> set[str]:
    """Columns that rows of a stage have."""
    return {column.name for column in schemas.TABLES[table].columns} - {"run_id"}


def test_statistics_fill_four_tables_from_scores() -> None:
    work: Any = SimpleNamespace(config=SimpleNamespace(experiments=(), seed=7))
    tables = compute_statistics.run(work, report_cases.small()["scores"])
    assert set(tables) == {"comparisons", "rankings", "indicators", "dominance"}
    for table, rows in tables.items():
        assert rows
        assert all(set(row) == columns(table) for row in rows)


def test_figures_of_the_paper_have_a_verdict_each() -> None:
    results = report_cases.small()
    config = SimpleNamespace(to_json=lambda private: results.run["config"])
    work: Any = SimpleNamespace(config=config)
    tables = (results[name] for name in ("streams", "scores", "latency", "pareto"))
    rows = list(judge_figures.run(work, *tables))
    assert rows
    assert all(set(row) == columns("published_figures") for row in rows)
