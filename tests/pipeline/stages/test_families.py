"""Families of experiments: every stage and table is found, contracted and documented."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

import schemas
from pipeline.config.load import resolve
from pipeline.orchestration import assets
from pipeline.runs.experiment_family import Stage, load
from pipeline.runs.run_results import TableState
from pipeline.stages import FAMILIES, STAGES, Family, family_of, family_with, stages_of
from pipeline.storage import tables
from tests.pipeline.assignment import report_cases

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[3] / "docs"
each_family = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
each_stage = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)


@each_family
def test_what_a_family_names_is_there(family: Family) -> None:
    references = (family.audit, family.results, family.report, family.shown, family.tracked)
    assert all(callable(load(reference)) for reference in references)
    assert {family_with(table) for table in family.tables} == {family}


@each_stage
def test_a_stage_runs_is_documented_and_writes_what_it_says(stage: Stage) -> None:
    assert callable(import_module(stage.module).run)
    assert stage.run is import_module(stage.module).run
    assert stage.name in (DOCS / "architecture.md").read_text(encoding="utf-8")
    for table in stage.writes:
        assert stage.name in schemas.TABLES[table].written_by
        assert f"\n## {table}\n" in (DOCS / "data-dictionary.md").read_text(encoding="utf-8")
        assert table in assets.TABLES


@each_family
def test_report_and_mlflow_have_every_table(family: Family) -> None:
    states = [TableState(name, f"/w/{name}", 3, 7) for name in tables.DATA]
    assert set(family.tables) <= set(tables.DATA)
    results = replace(report_cases.small(), states=states)
    page, run = load(family.report)(results), load(family.tracked)(results, "").parent
    for table in family.tables:
        assert f'<th scope="row">{table}</th><td>7</td><td>3</td>' in page
        assert run.params[f"rows.{table}"] == "7"
        assert run.tags[f"table_version.{table}"] == "3"


def test_every_table_is_written_by_a_stage_or_by_a_run_itself() -> None:
    written = {table for stage in STAGES for table in stage.writes}
    assert set(schemas.TABLES) - written == {"runs", "baselines", "validations"}


def test_names_of_stages_are_unique() -> None:
    assert len({stage.name for stage in STAGES}) == len(STAGES)


@pytest.mark.parametrize("preset", ["paper", "nightly", "frontier", "smoke"])
def test_a_configuration_has_one_family_and_streams_from_one_stage(preset: str) -> None:
    config = resolve(preset, None, [], [])
    assert family_of(config).name == "assignment"
    there = [stage.name for stage in stages_of(config)]
    assert ("bounds" in there) == (preset == "frontier")
    assert there[0] == "generate_streams"
    assert "import_traces" not in there
