"""Verdicts of the paper on assignment as rows of `published_figures`, and read back."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from rich.console import Console

from pipeline.experiments.assignment import sections
from pipeline.experiments.assignment.paper import paper_runs
from pipeline.experiments.assignment.paper.paper_setting import RECORDED_DIGEST
from pipeline.experiments.assignment.sections.assignment_sections import written
from pipeline.experiments.assignment.stages import judge_figures
from pipeline.experiments.assignment.tracking.mlflow_content import tracked
from pipeline.experiments.family_list import stage
from pipeline.reporting.sections import published_section, section_terminal
from pipeline.warehouse.runs.run_results import Results
from pipeline.warehouse.spark import arrow
from schemas import TABLES
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tests.pipeline.experiments.assignment import report_cases

pytestmark = [pytest.mark.unit, pytest.mark.slow]

Run = Callable[[], Results]

RUNS = (report_cases.paper, report_cases.small, report_cases.trace)


@pytest.mark.parametrize("run", RUNS)
def test_rows_have_the_columns_and_types_of_the_table(run: Run) -> None:
    rows = list(judge_figures.rows(run()))
    columns = {column.name for column in TABLES["published_figures"].columns} - {"run_id"}
    assert {frozenset(row) for row in rows} == {frozenset(columns)}
    assert all(row["location"] and row["its_workload"] and row["its_strategy"] for row in rows)
    table = pa.Table.from_pylist(rows, arrow.contract("published_figures", ("run_id",)))
    assert table.num_rows == len(rows)
    keys = [row["figure_key"] for row in rows]
    assert len(set(keys)) == len(keys)


def test_exact_figures_are_printed_alike() -> None:
    rows = list(judge_figures.rows(report_cases.trace()))
    signs = {row["difference"] for row in rows if row["verdict"] == EXACT}
    assert signs == {"="}
    assert {row["difference"] for row in rows if row["verdict"] != EXACT} == {None}


def with_verdict(results: Results, key: str, verdict: str) -> Results:
    """The run with another stored verdict on one figure."""
    rows = results["published_figures"].copy()
    rows.loc[rows["figure_key"] == key, ["verdict", "ours"]] = verdict, "as stored"
    return results.with_tables(published_figures=rows)


def test_terminal_report_and_mlflow_show_the_stored_rows() -> None:
    """None of them judges again: they say what the table says, even where that is odd."""
    results = with_verdict(report_cases.paper(), "cbs_mwf_d5", NOT_REPRODUCED)
    console = Console(width=160, color_system=None)
    with console.capture() as captured:
        console.print(section_terminal.shown(written(results), console.width))
    assert "as stored" in captured.get()
    assert "as stored" in sections.build(results)
    assert tracked(results).parent.tags["verdict.cbs_mwf_d5"] == NOT_REPRODUCED
    verdicts = {one.figure: one.verdict for one in published_section.of_run(results).comparable}
    assert verdicts["CBS of MWF at δ = 5"] == NOT_REPRODUCED


def test_a_run_without_stored_verdicts_shows_none() -> None:
    results = report_cases.without(report_cases.paper(), "published_figures")
    assert not paper_runs.applies(results)
    assert published_section.of_run(results) == ([], [])
    assert not any(name.startswith("verdict") for name in tracked(results).parent.tags)


def test_somebodys_own_trace_has_no_figures() -> None:
    """A recording is judged only if it is the paper's."""
    when = stage("judge_figures").when
    assert not when(_config(digests=["0" * 64]))
    assert when(_config(digests=["0" * 64, RECORDED_DIGEST]))
    assert when(_config(digests=[]))
    other = report_cases.trace(consumer_capacity=150.0)
    assert set(other["published_figures"]["verdict"]) == {NOT_COMPARABLE}
    assert not paper_runs.applies(other)


def _config(digests: list[str]) -> Any:
    traces = tuple(SimpleNamespace(digest=digest) for digest in digests)
    return SimpleNamespace(experiments=("trace",), traces=traces)
