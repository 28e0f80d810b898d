"""Contract of `rankings`: mean ranks of the algorithms, and whether they differ."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, text
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
        text("metric", "Column of scores to rank.", METRICS),
        shared_columns.ALGORITHM,
        shared_columns.REFERENCE,
        shared_columns.REPLICATES,
        integer("algorithms", "algorithms", "Ranked algorithms.", 1),
        double(
            "mean_rank",
            "rank",
            "Mean over replicates of the algorithm's rank. Rank 1 is the lowest value, which is "
            "best; ties share the mean of their ranks.",
            1,
        ),
        double(
            "statistic",
            "chi-square",
            "Friedman's chi-square over all algorithms, corrected for ties.",
            null=_UNTESTED,
        ),
        double("p", "probability", "p-value if all algorithms are alike.", 0, 1, null=_UNTESTED),
        double(
            "critical_difference",
            "rank",
            "Mean ranks at least this far apart differ, by Nemenyi's test at 5 %.",
            above=0,
            null="Fewer than 2 replicates or algorithms.",
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
