"""Contract of `scores`: what each algorithm costs on each stream."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules


def _gap(name: str, end: str, what: str, unit: str) -> Column:
    return Column(
        name,
        "double",
        f"{end} end of the interval of {what}.",
        unit,
        nullable=True,
        null_means="Not compared with bounds, or a bound is missing at some iteration.",
        minimum=None if unit == "ratio" else 0,
        exclusive_minimum=-1 if unit == "ratio" else None,
    )


_EXCESS = (
    "the mean, over the iterations in bounds, of (n_consumers - z) / z, where z is the minimum "
    "number of consumers for the iteration. Both ends are equal if all bounds are proved. "
    "Independent of the other algorithms of the run"
)
_DISTANCE = (
    "the mean, over the iterations in bounds for this algorithm, of its Rscore minus the "
    "minimum Rscore possible from its own previous assignment with the same number of consumers"
)
_GAPS = (
    _gap("cbs_optimum_low", "Lower", _EXCESS, "ratio"),
    _gap("cbs_optimum_high", "Upper", _EXCESS, "ratio"),
    _gap("rscore_gap_low", "Lower", _DISTANCE, "consumer capacities per iteration"),
    _gap("rscore_gap_high", "Upper", _DISTANCE, "consumer capacities per iteration"),
)
GAPS = tuple(column.name for column in _GAPS)
"""Columns with distances from proved bounds."""

_OLDER = "Written by a version that did not compute it."

TABLE = Table(
    name="scores",
    meaning="Cost of an algorithm on a stream in consumers and rebalancing. See pareto for "
    "averages over replicates.",
    grain="stream and algorithm",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.STREAM_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        shared_columns.INITIAL_RATE,
        shared_columns.REPLICATE,
        shared_columns.ALGORITHM,
        shared_columns.REFERENCE,
        shared_columns.N_ITERATIONS,
        shared_columns.MEAN_CONSUMERS,
        Column(
            "cbs",
            "double",
            "Cardinal bin score: the mean over all iterations of (n_consumers - min_consumers) "
            "/ min_consumers. 0.1 means 10 % more consumers than the best of the paper's twelve "
            "algorithms; only other algorithms can be below 0.",
            "ratio",
            exclusive_minimum=-1,
        ),
        Column(
            "cbs_common",
            "double",
            "CBS relative to the minimum of the paper's twelve algorithms and the run's other "
            "algorithms that keep consumers within capacity. It depends on the algorithms of "
            "the run, and only kd_n and range_n can be below 0.",
            "ratio",
            nullable=True,
            null_means=_OLDER,
            exclusive_minimum=-1,
        ),
        Column(
            "mean_rscore",
            "double",
            "Mean of assignments.rscore over all iterations: write speed of migrated partitions "
            "per iteration, divided by capacity.",
            "consumer capacities per iteration",
            minimum=0,
        ),
        Column(
            "mean_migrations",
            "double",
            "Mean of assignments.n_migrations over all iterations.",
            "partitions per iteration",
            minimum=0,
        ),
        Column(
            "peak_consumers",
            "int",
            "Largest number of consumers in use at any iteration.",
            "consumers",
            nullable=True,
            null_means=_OLDER,
            minimum=0,
        ),
        Column(
            "moving_share",
            "double",
            "Share of the iterations at which at least one partition changes its consumer.",
            "ratio",
            nullable=True,
            null_means=_OLDER,
            minimum=0,
            maximum=1,
        ),
        Column(
            "rebalances_per_day",
            "double",
            "Iterations per day at which at least one partition changes its consumer: moving_share "
            "times 86,400 s, divided by the length of an iteration.",
            "rebalances per day",
            nullable=True,
            null_means=_OLDER,
            minimum=0,
        ),
        *_GAPS,
    ),
    key=("run_id", "stream_id", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "reference_cbs",
            "An algorithm of the reference set never has a CBS below 0.",
            "NOT reference OR cbs >= 0",
        ),
        Check(
            "gaps_ordered",
            "Gaps to the bounds have both ends or none, in order, and no algorithm of the "
            "reference set beats the optimum.",
            "(cbs_optimum_low IS NULL) = (cbs_optimum_high IS NULL) "
            "AND (rscore_gap_low IS NULL OR rscore_gap_high IS NOT NULL) "
            "AND coalesce(cbs_optimum_low <= cbs_optimum_high, true) "
            "AND coalesce(rscore_gap_low <= rscore_gap_high, true) "
            "AND (NOT reference OR coalesce(cbs_optimum_low >= 0, true))",
        ),
        Check(
            "common_minimum",
            "The common minimum is at most that of the paper's twelve.",
            "cbs_common IS NULL OR cbs_common >= cbs",
        ),
    ),
    rules=(
        assignment_rules.every_stream_and_algorithm(
            "experiment", "delta", "initial_rate", "replicate", "n_iterations"
        ),
    ),
)
