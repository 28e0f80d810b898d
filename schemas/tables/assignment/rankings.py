"""Contract of `rankings`: mean ranks of the algorithms, and whether they differ."""

from schemas import shared
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment.comparisons import METRICS

_GROUP = "experiment, delta, metric"
_UNTESTED = "There is no test; note says why."

TABLE = Table(
    name="rankings",
    meaning="The place of each algorithm on the replicates, by Friedman's test for all of an "
    "experiment and delta together, and Nemenyi's critical difference. What a critical-difference "
    "diagram draws. The algorithms are those of comparisons.",
    grain="experiment, delta, metric and algorithm",
    columns=(
        shared.RUN_ID,
        shared.EXPERIMENT,
        shared.DELTA,
        Column("metric", "string", "Column of scores that is ranked.", allowed=METRICS),
        shared.ALGORITHM,
        shared.REFERENCE,
        shared.REPLICATES,
        Column("algorithms", "int", "Algorithms that are ranked.", "algorithms", minimum=1),
        Column(
            "mean_rank",
            "double",
            "Mean over replicates of the algorithm's rank: 1 is the smallest value, the best. "
            "Equal values share the mean of their ranks.",
            "rank",
            minimum=1,
        ),
        Column(
            "statistic",
            "double",
            "Friedman's chi-square of all algorithms, corrected for ties.",
            "chi-square",
            nullable=True,
            null_means=_UNTESTED,
            minimum=0,
        ),
        Column(
            "p",
            "double",
            "Its probability where all algorithms are alike.",
            "probability",
            nullable=True,
            null_means=_UNTESTED,
            minimum=0,
            maximum=1,
        ),
        Column(
            "critical_difference",
            "double",
            "Mean ranks that are at least this far apart differ, by Nemenyi's test at 5 %.",
            "rank",
            nullable=True,
            null_means="Fewer than 2 replicates or algorithms.",
            exclusive_minimum=0,
        ),
        Column(
            "groups",
            "array<int>",
            "Numbers, from 1 by rank, of the groups that the algorithm is in: largest sets of "
            "algorithms of which no two differ. None for one that differs from all others.",
            "index",
            minimum=1,
        ),
        shared.NOTE,
    ),
    key=("run_id", "experiment", "delta", "metric", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "rank_within_algorithms",
            "No mean rank is above the number of algorithms.",
            "mean_rank <= algorithms",
        ),
        Check(
            "tested_or_noted",
            "There is a test, or a note why there is none.",
            "CASE WHEN note IS NULL THEN statistic IS NOT NULL AND p IS NOT NULL "
            "ELSE statistic IS NULL AND p IS NULL END",
        ),
    ),
    rules=(
        Rule(
            "ranks_complete",
            "Each experiment, delta and metric has as many rows as algorithms, and their ranks "
            "sum up as ranks do.",
            f"SELECT {_GROUP} FROM {{batch}} GROUP BY {_GROUP} "
            "HAVING count(*) <> max(algorithms) OR min(algorithms) <> max(algorithms) "
            "OR abs(sum(mean_rank) - max(algorithms) * (max(algorithms) + 1) / 2) > 1e-6",
        ),
    ),
    written_by=("statistics",),
    reads=("scores",),
)
