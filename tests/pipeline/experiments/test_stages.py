"""Stages: functions of what they read, in an order in which it is there."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import pytest

import schemas
from pipeline.experiments.family_list import FAMILIES, SHARED, STAGES, Family, stages_in
from pipeline.warehouse.runs.experiment_family import load
from pipeline.warehouse.runs.stage import Frame, Made, Rows, Stage
from schemas import Rule

pytestmark = pytest.mark.unit

each_stage = pytest.mark.parametrize("item", STAGES, ids=lambda item: item.name)
each_family = pytest.mark.parametrize("own", FAMILIES, ids=lambda own: own.name)

BEFORE = frozenset({"runs", "baselines"})
"""Tables that a run has or may have when its first stage begins."""


@each_stage
def test_parameters_of_a_stage_are_what_it_reads(item: Stage) -> None:
    parameters = list(inspect.signature(item.run).parameters)
    named = ["work", *(source.name for source in item.reads)]
    assert parameters == named, f"parameters of {item.module}.run must be {named}"


@each_stage
def test_columns_that_are_read_exist(item: Stage) -> None:
    for source in item.reads:
        if isinstance(source, Rows):
            columns = {column.name for column in schemas.TABLES[source.table].columns}
            assert {*source.columns, *source.without} <= columns
            assert not (source.columns and source.without)
        if isinstance(source, Made):
            assert list(inspect.signature(load(source.function)).parameters) == ["spark", "ctx"]


@each_stage
def test_a_stage_on_units_gets_the_rows_of_its_units(item: Stage) -> None:
    """Rows in memory are those of the whole run: the stage chooses by `Work.experiments`."""
    if item.mapped and any(isinstance(source, Rows) for source in item.reads):
        assert "work.experiments" in inspect.getsource(item.run)


def written(own: Family) -> Iterator[tuple[Stage, set[str]]]:
    """Stages of a family, and the tables that are there before each."""
    there = set(BEFORE)
    for item in stages_in(own.name):
        yield item, set(there)
        there |= set(item.writes)


@each_family
def test_stages_read_what_earlier_ones_have_written(own: Family) -> None:
    for item, there in written(own):
        if item not in SHARED:  # `compare` reads the tables of any family
            assert {table for source in item.reads for table in source.tables} <= there


@each_family
def test_rules_read_what_is_there_when_they_are_checked(own: Family) -> None:
    for item, there in written(own):
        for table in item.writes:
            rules = [one for one in schemas.TABLES[table].conditions if isinstance(one, Rule)]
            read = {name for rule in rules for name in rule.tables}
            if item not in SHARED and table != "published_figures":
                assert read <= there | set(item.writes), table


@each_family
def test_results_are_of_tables_of_the_family(own: Family) -> None:
    for source in own.results:
        assert not isinstance(source, Frame)
        assert set(source.tables) <= set(own.tables)
        if isinstance(source, Rows):
            columns = {column.name for column in schemas.TABLES[source.table].columns}
            assert {*source.columns, *source.without} <= columns
        else:
            assert list(inspect.signature(load(source.function)).parameters) == ["spark", "ctx"]
