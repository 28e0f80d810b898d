"""The contracts hold what is promised to users of the tables."""

from __future__ import annotations

import pytest

from pipeline.experiments.family_list import STAGES
from schemas import TABLES, Column, Table, shared_columns
from schemas.column import NUMBERS
from schemas.tables.autoscaling import scaling_columns
from tests.schemas import bounds_rows

SEQUENCE = {"n_rows", "n_distinct_iterations", "first_iteration", "last_iteration"}
"""Columns of an audit frame that count rows, not what is wrong with them."""

AUDITS = [table.audit for table in TABLES.values() if table.audit is not None]
MAPPED = sorted({table for stage in STAGES if stage.mapped for table in stage.writes})
UNIT = ("run_id", "experiment", "delta")

each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
each_contract = pytest.mark.parametrize(
    "table", bounds_rows.contracts().values(), ids=bounds_rows.contracts()
)


@each_table
def test_rows_are_replaced_run_by_run(table: Table) -> None:
    assert table.partition_by[0] == "run_id"
    assert table.column("run_id").nullable is False


@pytest.mark.parametrize("name", MAPPED)
def test_stages_split_into_units_write_their_own_partitions(name: str) -> None:
    """A unit is an experiment, and a delta where rows have one."""
    columns = {column.name for column in TABLES[name].columns}
    assert TABLES[name].partition_by == tuple(part for part in UNIT if part in columns)


@pytest.mark.parametrize("audit", AUDITS, ids=lambda audit: audit.name)
def test_nothing_wrong_may_be_counted(audit: Table) -> None:
    """Each count must be 0, or a check says when it need not be."""
    counts = [column for column in audit.columns if column.name not in {*audit.key, *SEQUENCE}]
    checked = " ".join(check.sql for check in audit.checks)
    for column in counts:
        assert (column.minimum, column.maximum) == (0, 0) or column.name in checked, column.name


@each_contract
def test_numbers_have_units_and_nulls_a_meaning(table: Table) -> None:
    for column in table.columns:
        assert len(column.meaning.split()) >= 2, column.name
        assert bool(column.unit) == (column.element_type in NUMBERS), column.name
        assert bool(column.null_means) == (column.nullable or column.element_nullable)


@each_contract
def test_a_key_column_is_never_null_but_where_there_is_nothing_to_name(table: Table) -> None:
    """Traces have no delta, and the fewest consumers depend on no algorithm."""
    nullable = {"delta", "algorithm"} if table.name == "bounds" else {"delta"}
    assert {name for name in table.key if table.column(name).nullable} <= nullable


@each_contract
def test_only_times_and_what_is_said_of_them_may_be_infinite(table: Table) -> None:
    units = {column.unit for column in table.columns if column.infinity_allowed}
    assert {unit for unit in units if not unit.startswith("as ")} <= {"s"}


KEYS = {
    column.name: column
    for module in (shared_columns, scaling_columns)
    for column in vars(module).values()
    if isinstance(column, Column) and any(column.name in table.key for table in TABLES.values())
}
"""Columns that rows of several tables are joined by."""


@each_contract
def test_a_key_means_the_same_in_every_table(table: Table) -> None:
    # Only part of the bounds is about an algorithm, and differences can be of a strategy.
    own = {"bounds": {"algorithm"}, "differences": {"algorithm"}}.get(table.name, set())
    for column in table.columns:
        # In a table that outlives runs, a run is what a row is about, not what wrote it.
        if column.name in KEYS.keys() - own and not table.lasting:
            assert column == KEYS[column.name], column.name


def test_only_promotions_outlive_their_run() -> None:
    from pipeline.warehouse.storage import tables

    assert {name for name, table in TABLES.items() if table.lasting} == {"baselines"}
    assert set(tables.DATA) == TABLES.keys() - {"runs", "baselines"}


def test_audit_frames_are_not_stored() -> None:
    assert all(audit.transient for audit in AUDITS)
    assert not any(table.transient for table in TABLES.values())
