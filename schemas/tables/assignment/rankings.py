"""Contract of `rankings`: mean ranks of the algorithms, and whether they differ."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment.comparisons import METRICS

_GROUP = "experiment, delta, metric"
_UNTESTED = "No test was possible; see note."

TABLE = Table(
    name="rankings",
    meaning="Mean rank of each algorithm over the replicates, with Friedman's test and Nemenyi's "
    "critical difference per experiment and delta: the data of a critical-difference diagram. "
    "Covers the algorithms of comparisons.",
    grain="experiment, delta, metric and algorithm",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        Column("metric", "string", "Column of scores to rank.", allowed=METRICS),
        shared_columns.ALGORITHM,
        shared_columns.REFERENCE,
        shared_columns.REPLICATES,
        Column("algorithms", "int", "Ranked algorithms.", "algorithms", minimum=1),
        Column(
            "mean_rank",
            "double",
            "Mean over replicates of the algorithm's rank. Rank 1 is the lowest value, which is "
            "best; ties share the mean of their ranks.",
            "rank",
            minimum=1,
        ),
        Column(
            "statistic",
            "double",
            "Friedman's chi-square over all algorithms, corrected for ties.",
            "chi-square",
            nullable=True,
            null_means=_UNTESTED,
            minimum=0,
        ),
        Column(
            "p",
            "double",
            "p-value of the statistic if all algorithms are alike.",
            "probability",
            nullable=True,
            null_means=_UNTESTED,
            minimum=0,
            maximum=1,
        ),
        Column(
            "critical_difference",
            "double",
            "Mean ranks at least this far apart differ, by Nemenyi's test at 5 %.",
            "rank",
            nullable=True,
            null_means="Fewer than 2 replicates or algorithms.",
            exclusive_minimum=0,
        ),
        Column(
            "groups",
            "array<int>",
            "Numbers (from 1, by rank) of the groups that contain the algorithm. A group is a "
            "maximal set of algorithms without significant differences. Empty if the algorithm "
            "differs from all others.",
            "index",
            minimum=1,
        ),
        shared_columns.NOTE,
    ),
    key=("run_id", "experiment", "delta", "metric", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "rank_within_algorithms",
            "No mean rank exceeds the number of algorithms.",
            "mean_rank <= algorithms",
        ),
        Check(
            "tested_or_noted",
            "Either a test or a note is present.",
            "CASE WHEN note IS NULL THEN statistic IS NOT NULL AND p IS NOT NULL "
            "ELSE statistic IS NULL AND p IS NULL END",
        ),
    ),
    rules=(
        Rule(
            "ranks_complete",
            "Each experiment, delta and metric has one row per ranked algorithm, and the ranks "
            "have the right sum.",
            f"SELECT {_GROUP} FROM {{batch}} GROUP BY {_GROUP} "
            "HAVING count(*) <> max(algorithms) OR min(algorithms) <> max(algorithms) "
            "OR abs(sum(mean_rank) - max(algorithms) * (max(algorithms) + 1) / 2) > 1e-6",
        ),
    ),
)
