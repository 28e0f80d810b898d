"""Contract of `scores`: what each algorithm costs on each stream."""

from schemas import shared
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import rules


def _gap(name: str, end: str, what: str, unit: str) -> Column:
    return Column(
        name,
        "double",
        f"{end} end of the interval of {what}.",
        unit,
        nullable=True,
        null_means="Not compared with bounds, or no bound is known at some iteration.",
        minimum=None if unit == "ratio" else 0,
        exclusive_minimum=-1 if unit == "ratio" else None,
    )


_EXCESS = (
    "the mean, over the iterations that are in bounds, of (n_consumers - z) / z, where z is the "
    "fewest consumers that the iteration needs. It is one number where all bounds are proved, and "
    "never depends on which other algorithms were run"
)
_DISTANCE = (
    "the mean, over the iterations that are in bounds for this algorithm, of its Rscore less the "
    "least one that is possible from its own assignment before, with the consumers that it uses"
)
_GAPS = (
    _gap("cbs_optimum_low", "Lower", _EXCESS, "ratio"),
    _gap("cbs_optimum_high", "Upper", _EXCESS, "ratio"),
    _gap("rscore_gap_low", "Lower", _DISTANCE, "consumer capacities per iteration"),
    _gap("rscore_gap_high", "Upper", _DISTANCE, "consumer capacities per iteration"),
)
GAPS = tuple(column.name for column in _GAPS)
"""Columns with distances from proved bounds."""


TABLE = Table(
    name="scores",
    meaning="What an algorithm costs on a stream in consumers and in rebalancing. Averages over "
    "the replicates are in pareto.",
    grain="stream and algorithm",
    columns=(
        shared.RUN_ID,
        shared.STREAM_ID,
        shared.EXPERIMENT,
        shared.DELTA,
        shared.INITIAL_RATE,
        shared.REPLICATE,
        shared.ALGORITHM,
        shared.REFERENCE,
        shared.N_ITERATIONS,
        shared.MEAN_CONSUMERS,
        Column(
            "cbs",
            "double",
            "Cardinal bin score: the mean over all iterations of (n_consumers - min_consumers) / "
            "min_consumers. 0.1 is 10 % more consumers than the best of the paper's twelve "
            "algorithms; only an algorithm outside of them can be below 0.",
            "ratio",
            exclusive_minimum=-1,
        ),
        Column(
            "cbs_common",
            "double",
            "The same, with the fewest consumers that any of the paper's twelve algorithms or of "
            "the run's other algorithms that keep consumers within capacity needs at the "
            "iteration. It depends on which algorithms were run, and only kd_n can be below 0.",
            "ratio",
            nullable=True,
            null_means="Written by a version that did not compute it.",
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
            "Gaps to the bounds have both ends or none, the lower one first, and an algorithm of "
            "the reference set never does better than any can.",
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
        rules.every_stream_and_algorithm(
            "experiment", "delta", "initial_rate", "replicate", "n_iterations"
        ),
    ),
    written_by=("score",),
    reads=("streams", "assignments", "bounds"),
)
