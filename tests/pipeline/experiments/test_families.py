"""Families of experiments: every stage and table is found, contracted and documented."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from rich.console import Console

import schemas
from pipeline.experiments.family_list import (
    FAMILIES,
    STAGES,
    Family,
    family,
    family_of,
    stage,
    stages_in,
    stages_of,
)
from pipeline.reporting.sections import section_json, section_terminal, stored_sections
from pipeline.reporting.sections.section import Written
from pipeline.reporting.tracking.runs_page import Scores
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.runs.run_results import TableState
from pipeline.warehouse.runs.stage import Made, Stage
from pipeline.warehouse.storage import tables
from tests.pipeline.family_cases import CASES

pytestmark = pytest.mark.unit

DOCS = Path(__file__).parents[3] / "docs"
SHARED = ("compare", "track", "report")
each_family = pytest.mark.parametrize("own", FAMILIES, ids=lambda own: own.name)
each_stage = pytest.mark.parametrize("item", STAGES, ids=lambda item: item.name)


def test_every_family_has_cases() -> None:
    assert set(CASES) == {own.name for own in FAMILIES}


@each_family
def test_what_a_family_names_is_there(own: Family) -> None:
    references = (own.report, own.sections, own.tracked)
    references += tuple(item.function for item in own.results if isinstance(item, Made))
    optional = (own.audit, own.admitted, own.noted, own.timed, own.attached)
    assert all(callable(load(reference)) for reference in (*references, *filter(None, optional)))
    assert callable(import_module(own.kernels).load)
    assert family(own.name) is own


@each_family
def test_what_a_family_writes_is_json_too(own: Family) -> None:
    results = CASES[own.name].small()
    content = json.loads(section_json.text(load(own.sections)(results)))
    assert content["answer"]
    assert [one["name"] for one in content["experiments"]] == [*results.experiments]
    assert all(any(s["tables"] for s in one["sections"]) for one in content["experiments"])


@each_family
@pytest.mark.parametrize("width", [80, 160])
def test_what_a_family_writes_is_printed_the_same_from_a_file(own: Family, width: int) -> None:
    written = load(own.sections)(CASES[own.name].small())
    stored = stored_sections.read(stored_sections.text(written))
    assert printed(written, width) == printed(stored, width)


def printed(written: Written, width: int) -> str:
    """A terminal's text with its styles."""
    console = Console(file=io.StringIO(), width=width, record=True)
    console.print(section_terminal.shown(written, width))
    return console.export_text(styles=True)


@each_family
def test_a_run_ends_with_two_sentences(own: Family) -> None:
    sentences = section_terminal.ending(load(own.sections)(CASES[own.name].small()))
    assert len(sentences) == 2
    assert all(re.search(r"\d", sentence) and sentence.endswith(".") for sentence in sentences)


@each_family
def test_stages_of_a_family_are_its_own_and_the_shared_ones(own: Family) -> None:
    names = tuple(item.name for item in stages_in(own.name))
    assert names == (*(item.name for item in own.stages), *SHARED)
    assert [stage(name).name for name in names] == list(names)


@each_stage
def test_a_stage_runs_and_its_tables_have_pages(item: Stage) -> None:
    assert callable(import_module(item.module).run)
    assert item.run is import_module(item.module).run
    for table in item.writes:
        assert (DOCS / "tables" / f"{table}.md").is_file(), f"{table} has no page; run: make docs"


@pytest.mark.slow
@each_family
def test_a_published_run_announces_the_tables_of_its_family_alone(own: Family) -> None:
    """The first one imports Airflow."""
    from pipeline.orchestration import assets

    announced = assets.filled(own.name)
    assert set(announced) == {*own.tables, "differences", "validations", "runs"}
    assert len(set(announced)) == len(announced)
    assert [asset.name for asset in assets.outlets(own.name)] == [
        f"groupscale_{table}" for table in announced
    ]


@each_family
def test_mlflow_has_every_table(own: Family) -> None:
    states = [TableState(name, f"/w/{name}", 3, 7) for name in tables.DATA]
    assert set(own.tables) <= set(tables.DATA)
    run = load(own.tracked)(replace(CASES[own.name].small(), states=states), "").parent
    for table in own.tables:
        assert run.params[f"rows.{table}"] == "7"
        assert run.tags[f"table_version.{table}"] == "3"


@each_family
def test_mlflow_has_a_verdict_of_the_gate_if_runs_are_compared(own: Family) -> None:
    parent = load(own.tracked)(CASES[own.name].small(), "").parent
    assert ("regression" in parent.tags) == own.gated
    assert ("differences.moved" in parent.metrics) == own.gated
    for _, _, view in Scores(parent).views():
        assert ("tags.`regression`" in view["selectedColumns"]) == own.gated


@pytest.mark.slow
@each_family
def test_the_report_has_every_table(own: Family) -> None:
    states = [TableState(name, f"/w/{name}", 3, 7) for name in tables.DATA]
    page = load(own.report)(replace(CASES[own.name].small(), states=states))
    for table in own.tables:
        assert f'<th scope="row">{table}</th><td>7</td><td>3</td>' in page


def test_every_table_is_written_by_a_stage_or_by_a_run_itself() -> None:
    written = {table for item in STAGES for table in item.writes}
    assert set(schemas.TABLES) - written == {"runs", "baselines", "validations"}


def test_names_of_stages_are_unique() -> None:
    assert len({item.name for item in STAGES}) == len(STAGES)


@pytest.mark.parametrize("preset", [p for p in PRESETS if p != "autoscaling-papers"])
def test_a_configuration_has_one_family_and_streams_from_one_stage(preset: str) -> None:
    """Preset autoscaling-papers needs files; see `tests.pipeline.settings`."""
    config = resolve(preset, None, [], [])
    own = family_of(config)
    assert own.name == PRESETS[preset].family
    assert [name for name, listed in config.by_family.items() if listed] == [own.name]
    names = [item.name for item in stages_of(config)]
    assert set(names) <= {item.name for item in stages_in(own.name)}
    assert names[0] == CASES[own.name].first
    assert [name for name in names if "streams" in stage(name).writes] == (
        names[:1] if "streams" in own.tables else []
    )
    assert names[-3:] == list(SHARED)
    assert ("bounds" in names) == config.has_bounds


def test_an_unknown_family_or_stage_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        family("planning")
    with pytest.raises(KeyError):
        stage("sort")
