"""Contract of `scores`: what each algorithm costs on each stream."""

from functools import partial

from schemas import shared_columns
from schemas.column_kinds import double, ends, integer
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

_EXCESS = (
    "the mean, over the iterations in bounds, of (n_consumers - z) / z, where z is the minimum "
    "number of consumers for the iteration. Both ends are equal if all bounds are proved. "
    "Independent of the other algorithms of the run"
)
_DISTANCE = (
    "the mean, over the iterations in bounds for this algorithm, of its Rscore minus the "
    "minimum Rscore possible from its own previous assignment with the same number of consumers"
)
_UNBOUNDED = "Not compared with bounds, or a bound is missing at some iteration."
_RSCORE = "consumer capacities per iteration"
_GAPS = (
    *ends("cbs_optimum", "ratio", f"the interval of {_EXCESS}", above=-1, null=_UNBOUNDED),
    *ends("rscore_gap", _RSCORE, f"the interval of {_DISTANCE}", 0, null=_UNBOUNDED),
)
GAPS = tuple(column.name for column in _GAPS)
"""Columns with distances from proved bounds."""

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
        double(
            "cbs",
            "ratio",
            "Cardinal bin score: the mean over all iterations of (n_consumers - min_consumers) / "
            "min_consumers. 0.1 means 10 % more consumers than the best of the paper's twelve "
            "algorithms; only other algorithms can be below 0.",
            above=-1,
        ),
        double(
            "cbs_common",
            "ratio",
            "CBS relative to the minimum of the paper's twelve algorithms and the run's other "
            "algorithms that keep consumers within capacity. It depends on the algorithms of the "
            "run, and only kd_n and range_n can be below 0.",
            above=-1,
        ),
        double(
            "mean_rscore",
            _RSCORE,
            "Mean of assignments.rscore over all iterations: write speed of migrated partitions "
            "per iteration, divided by capacity.",
        ),
        double(
            "mean_migrations",
            "partitions per iteration",
            "Mean of assignments.n_migrations over all iterations.",
        ),
        integer("peak_consumers", "consumers", "Most consumers at an iteration."),
        double(
            "moving_share",
            "ratio",
            "Share of the iterations at which at least one partition changes its consumer.",
            0,
            1,
        ),
        double(
            "rebalances_per_day",
            "rebalances per day",
            "Iterations per day at which at least one partition changes its consumer: "
            "moving_share times 86,400 s, divided by the length of an iteration.",
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
            "cbs_common >= cbs",
        ),
    ),
    rules=(
        assignment_rules.every_stream_and_algorithm(
            "experiment", "delta", "initial_rate", "replicate", "n_iterations"
        ),
    ),
)

_metric = partial(metric_of, TABLE)

METRICS = (
    _metric("cbs", "CBS: consumers above the minimum", "CBS", 2, interval=True, gated=True),
    _metric(
        "mean_rscore",
        "mean Rscore: data moved per iteration, in capacities",
        "Rscore",
        2,
        unit="C",
        interval=True,
        gated=True,
    ),
    _metric("mean_consumers", "mean consumers", "consumers", 1, gated=True),
    _metric("mean_migrations", "mean migrations per iteration", "migrations", 1),
    _metric("peak_consumers", "peak consumers", "peak", 0, followed=False),
    _metric(
        "rebalances_per_day",
        "rebalances per day",
        "rebalances/day",
        1,
        unit="per day",
        followed=False,
    ),
    _metric("moving_share", "iterations at which a partition moves", "moving", 1, followed=False),
)
