"""Contract of `comparisons`: how every two algorithms differ on the same streams."""

from schemas import shared_columns
from schemas.column_kinds import double, ends, text
from schemas.rule import Check, Rule
from schemas.table import Table

METRICS = ("cbs_common", "mean_rscore")

_UNIT = "as the metric's"
_FEW = "Fewer than 2 replicates."
_UNTESTED = "No test was possible; see note."


_GROUP = "experiment, delta, metric"
_PAIRED = (
    "SELECT experiment, delta, algorithm, avg(cbs_common) AS cbs_common, "
    "avg(mean_rscore) AS mean_rscore FROM {scores} GROUP BY experiment, delta, algorithm"
)

TABLE = Table(
    name="comparisons",
    meaning="Pairwise differences of algorithms over the replicates that both ran on. Includes "
    "algorithms that keep consumers within capacity (so not kd_n or range_n), at most the first "
    "40 of an experiment in display order.",
    grain="experiment, delta, metric and pair of algorithms",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        text("metric", "Column of scores to compare.", METRICS),
        shared_columns.ALGORITHM,
        text("other", "Algorithm to compare with, later in display order."),
        shared_columns.REPLICATES,
        double(
            "mean_difference",
            _UNIT,
            "Mean over replicates of the algorithm's metric minus the other's. Negative values "
            "favour the algorithm.",
            None,
        ),
        *ends("", _UNIT, "the paired 95 % bootstrap interval", null=_FEW),
        double(
            "statistic",
            "ranks",
            "Wilcoxon signed-rank statistic: the smaller sum of ranks.",
            null=_UNTESTED,
        ),
        double("p", "probability", "Two-sided p-value of the test.", 0, 1, null=_UNTESTED),
        double(
            "p_holm",
            "probability",
            "p after Holm's correction for all pairs of the experiment, delta and metric.",
            0,
            1,
            null=_UNTESTED,
        ),
        shared_columns.NOTE,
    ),
    key=("run_id", "experiment", "delta", "metric", "algorithm", "other"),
    partition_by=("run_id",),
    checks=(
        Check("two_algorithms", "An algorithm is not compared with itself.", "algorithm <> other"),
        Check(
            "difference_interval",
            "An interval exists if and only if there are at least 2 replicates, and it contains "
            "the difference.",
            "CASE WHEN replicates < 2 THEN low IS NULL AND high IS NULL "
            "ELSE low <= mean_difference AND mean_difference <= high END",
        ),
        Check(
            "tested_or_noted",
            "Either a test or a note is present, and Holm's correction never lowers p.",
            "CASE WHEN note IS NULL THEN statistic IS NOT NULL AND p <= p_holm "
            "ELSE statistic IS NULL AND p IS NULL AND p_holm IS NULL END",
        ),
    ),
    rules=(
        Rule(
            "differences_of_means",
            "The mean difference is the difference of the two means in scores.",
            f"SELECT {_GROUP}, algorithm, other FROM (SELECT b.*, "
            "if(metric = 'cbs_common', one.cbs_common - two.cbs_common, "
            "one.mean_rscore - two.mean_rscore) AS expected FROM {batch} b "
            f"LEFT JOIN ({_PAIRED}) one ON one.experiment = b.experiment "
            "AND one.delta <=> b.delta AND one.algorithm = b.algorithm "
            f"LEFT JOIN ({_PAIRED}) two ON two.experiment = b.experiment "
            "AND two.delta <=> b.delta AND two.algorithm = b.other) "
            "WHERE expected IS NULL "
            "OR abs(mean_difference - expected) > 1e-9 * (1 + abs(expected))",
        ),
    ),
)
