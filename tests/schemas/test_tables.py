"""The contracts hold what is promised to users of the tables."""

from __future__ import annotations

import pytest

from schemas import TABLES, Table
from schemas.column import NUMBERS
from schemas.tables.autoscaling.simulations import LATENCIES
from tests.schemas import bounds_rows

COUNTED = {
    "measurements": "wrong_length invalid_rates",
    "assignments": "unassigned misplaced consumers_out_of_range consumers_mismatch"
    " migrations_mismatch rscore_mismatch rscore_above_total below_minimum",
    "trajectories": "late_beyond_served",
}

each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
each_contract = pytest.mark.parametrize(
    "table", bounds_rows.contracts().values(), ids=bounds_rows.contracts()
)


@each_table
def test_rows_are_replaced_run_by_run(table: Table) -> None:
    assert table.partition_by[0] == "run_id"
    assert table.column("run_id").nullable is False


@pytest.mark.parametrize("name", ["measurements", "assignments", "latency"])
def test_stages_split_into_units_write_their_own_partitions(name: str) -> None:
    assert TABLES[name].partition_by == ("run_id", "experiment", "delta")


@pytest.mark.parametrize(
    "name",
    [
        *("simulations", "trajectories", "actions"),
        *("live_runs", "live_plans", "live_events", "live_lag"),
        *("live_latency", "live_integrity", "live_agreement"),
    ],
)
def test_a_unit_of_autoscaling_or_of_live_runs_is_an_experiment(name: str) -> None:
    assert TABLES[name].partition_by == ("run_id", "experiment")


@pytest.mark.parametrize("name", COUNTED)
def test_nothing_wrong_may_be_counted(name: str) -> None:
    audit = TABLES[name].audit
    assert audit is not None
    limits = {column.name: (column.minimum, column.maximum) for column in audit.columns}
    for column in COUNTED[name].split():
        assert limits[column] == (0, 0)


@each_contract
def test_numbers_have_units_and_nulls_a_meaning(table: Table) -> None:
    for column in table.columns:
        assert len(column.meaning.split()) >= 2, column.name
        assert bool(column.unit) == (column.element_type in NUMBERS), column.name
        assert bool(column.null_means) == (column.nullable or column.element_nullable)


@each_contract
def test_a_key_column_is_never_null_but_where_there_is_nothing_to_name(table: Table) -> None:
    """Traces have no delta, and the fewest consumers depend on no algorithm."""
    known = {"delta", "algorithm"} if table.name == "bounds" else {"delta"}
    assert {name for name in table.key if table.column(name).nullable} <= known


@each_contract
def test_counts_and_speeds_are_not_negative(table: Table) -> None:
    signed = {"cbs", "cbs_low", "cbs_high", "mean_rscore_low", "mean_rscore_high"}
    signed |= {"cbs_optimum_low", "cbs_optimum_high"}
    signed |= {"cbs_common", "cbs_common_low", "cbs_common_high", "cbs_25", "cbs_50", "cbs_75"}
    signed |= {"hypervolume_low", "hypervolume_high", "epsilon", "epsilon_low", "epsilon_high"}
    ends = ("", "_low", "_high")
    signed |= {f"{name}_difference{end}" for name in ("cbs", "rscore") for end in ends}
    signed |= {"mean_difference", "error_a", "error_b", "time_s"}
    # Rewards are at most 0, and scores below 0 where random actions are better.
    signed |= {"total_reward", "greedy_reward", "score", "score_low", "score_high"}
    signed |= {"worst", "best"}
    # A plan that carries lag can cost less than the clairvoyant one, which does not.
    signed |= {"regret", "regret_low", "regret_high"}
    # A saving can be negative.
    signed |= {"our_value"}
    # Any metric, CBS among them.
    signed |= {"value", "baseline_value", "low", "high"}
    for column in table.columns:
        if column.element_type in NUMBERS and column.name not in signed:
            lowest = column.minimum if column.minimum is not None else column.exclusive_minimum
            assert lowest is not None, column.name
            assert lowest >= 0, column.name


def test_only_latency_and_what_is_said_of_it_may_be_infinite() -> None:
    infinite = {
        f"{table.name}.{column.name}"
        for table in TABLES.values()
        for column in table.columns
        if column.infinity_allowed
    }
    latency = {f"latency.{name}" for name in ("p50", "p90", "p99", "max")}
    compared = {f"differences.{name}" for name in ("value", "baseline_value", "low", "high")}
    simulated = {f"{t}.{name}" for t in ("simulations", "group_evaluations") for name in LATENCIES}
    predicted = {f"live_agreement.{name}" for name in ("predicted_a", "predicted_b")}
    assert infinite == latency | simulated | compared | predicted


def test_a_column_means_the_same_in_every_table() -> None:
    shared = "run_id experiment delta stream_id replicate initial_rate iteration algorithm strategy"
    shared += " setting workload"
    for name in shared.split():
        columns = {
            column
            for table in bounds_rows.contracts().values()
            for column in table.columns
            # In a table that outlives runs, a run is what a row is about, not what wrote it.
            if column.name == name and not table.lasting
            # Only part of the bounds is about an algorithm, and differences can be of a strategy.
            if name != "algorithm" or table.name not in ("bounds", "differences")
        }
        assert len(columns) == 1, name


def test_only_promotions_outlive_their_run() -> None:
    from pipeline.warehouse.storage import tables

    assert {name for name, table in TABLES.items() if table.lasting} == {"baselines"}
    assert set(tables.DATA) == TABLES.keys() - {"runs", "baselines"}


def test_large_tables_are_audited_in_frames_that_are_not_stored() -> None:
    assert {name for name, table in TABLES.items() if table.audit} == set(COUNTED)
    assert all(table.audit.transient for table in TABLES.values() if table.audit)
    assert not any(table.transient for table in TABLES.values())
