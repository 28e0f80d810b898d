"""Contract of `pareto`: mean scores and non-dominated algorithms."""

from dataclasses import replace

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, flag, integer
from schemas.metric import Metric
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment.scores import METRICS
from schemas.tables.assignment.scores import TABLE as SCORES

_LISTED = tuple(
    metric for metric in METRICS if metric.averaging == "mean" and (metric.gated or metric.interval)
)
AVERAGED = tuple(metric.column for metric in _LISTED)
"""Columns of `scores` that are averaged over the streams of an experiment and volatility."""

ESTIMATED = tuple(metric.column for metric in _LISTED if metric.interval)
"""Those of them whose means have an interval."""

_CBS = "ratio"
_MEANINGS = {
    "cbs": "Mean of scores.cbs over these streams: consumers above the minimum of the paper's "
    "twelve algorithms. Lower is better; only other algorithms can be below 0.",
    "mean_consumers": shared_columns.MEAN_CONSUMERS.meaning,
}


_FEW = "Fewer than 2 streams."


def _mean(metric: Metric) -> tuple[Column, ...]:
    """Columns of a mean, and of the ends of its interval if it has one."""
    name, stored = metric.column, SCORES.column(metric.column)
    plain = f"Mean of scores.{name} over these streams. {metric.better.capitalize()} is better."
    meaning = _MEANINGS.get(name, plain)
    mean = replace(stored, type="double", meaning=meaning, maximum=None)
    interval = f"the 95 % bootstrap interval of {name} over streams"
    return (mean, *ends(name, stored.unit, interval, null=_FEW)) if metric.interval else (mean,)


MEANS = tuple(column for metric in _LISTED for column in _mean(metric))
"""Columns with the means and their intervals."""


def _interval(value: str) -> Check:
    # A mean and the ends of its interval are summed in different orders, hence the tolerance.
    return Check(
        f"{value}_interval",
        f"An interval exists if and only if there are at least 2 streams, and it contains {value}.",
        f"CASE WHEN replicates < 2 THEN {value}_low IS NULL AND {value}_high IS NULL "
        f"ELSE {value}_low <= {value} + 1e-9 AND {value} <= {value}_high + 1e-9 END",
    )


def _dominated(candidates: str, cost: str = "cbs") -> str:
    """State that one of the ``candidates``, a condition on ``p``, dominates the row."""
    return (
        f"exists(points, p -> {candidates} AND p.{cost} <= {cost} "
        f"AND p.mean_rscore <= mean_rscore "
        f"AND (p.{cost} < {cost} OR p.mean_rscore < mean_rscore))"
    )


def _off_average(value: str) -> str:
    """State that a row's value is not the mean of the scores, beyond the rounding of sums."""
    own = f"max({value}) FILTER (WHERE replicates IS NOT NULL)"
    mean = f"avg({value}) FILTER (WHERE replicates IS NULL)"
    return f"abs({own} - {mean}) > 1e-9 * (1 + abs({mean}))"


_COMMON = (
    double(
        "cbs_common",
        _CBS,
        "Mean of scores.cbs_common over these streams: consumers above the minimum of all "
        "algorithms of the run. Lower is better.",
        above=-1,
    ),
    *ends(
        "cbs_common",
        _CBS,
        "the 95 % bootstrap interval of cbs_common over streams",
        null=_FEW,
    ),
)

_AVERAGED = ", ".join(("experiment", "delta", "algorithm", *AVERAGED))

_COLUMNS = (
    shared_columns.RUN_ID,
    shared_columns.EXPERIMENT,
    shared_columns.DELTA,
    shared_columns.ALGORITHM,
    shared_columns.REFERENCE,
    integer("replicates", "streams", "Streams averaged.", 1),
    *MEANS,
    *_COMMON,
    flag(
        "eligible",
        "Whether it can be chosen: it keeps consumers within capacity, or no data waits with it. "
        "A static assignment that falls behind is not eligible, however few consumers it has.",
    ),
    flag(
        "on_front",
        "Whether the algorithm is eligible and non-dominated: no other eligible one of the same "
        "experiment and delta is at least as good in both cbs and mean_rscore and better in one. "
        "On recorded traces, which have no delta, mean_consumers takes the place of cbs.",
    ),
    flag("on_reference_front", "The same within the paper's twelve algorithms; false for others."),
)

_RULES = (
    Rule(
        "on_front_consistent",
        "A row is on the front if and only if it is eligible and no other eligible one of its "
        "experiment and delta dominates it. It is on the reference front if and only if it "
        "belongs to the reference set and none of that set dominates it.",
        "SELECT experiment, delta, algorithm, on_front, on_reference_front "
        "FROM (SELECT *, collect_list(struct(cbs, cost, mean_rscore, reference, eligible)) "
        "OVER (PARTITION BY experiment, delta) AS points FROM (SELECT *, "
        "CASE WHEN delta IS NULL THEN mean_consumers ELSE cbs END AS cost FROM {batch})) "
        f"WHERE on_front <> (eligible AND NOT {_dominated('p.eligible', 'cost')}) "
        f"OR on_reference_front <> (reference AND NOT {_dominated('p.reference')})",
    ),
    Rule(
        "averages_scores",
        "Each experiment, delta and algorithm in scores has exactly one row, with the means of "
        "its scores.",
        "SELECT experiment, delta, algorithm FROM ("
        f"SELECT {_AVERAGED}, replicates FROM {{batch}} UNION ALL "
        f"SELECT {_AVERAGED}, NULL AS replicates FROM {{scores}}) "
        "GROUP BY experiment, delta, algorithm "
        # A row of the table has replicates; what is averaged has none.
        "HAVING count(replicates) <> 1 OR max(replicates) <> count(*) - 1 OR "
        + " OR ".join(map(_off_average, AVERAGED)),
    ),
)

TABLE = Table(
    name="pareto",
    meaning="Cost of each algorithm at each volatility, averaged over the streams of an "
    "experiment, and whether it is non-dominated in consumers and rebalancing.",
    grain="experiment, delta and algorithm",
    columns=_COLUMNS,
    key=("run_id", "experiment", "delta", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "reference_cbs",
            "An algorithm of the reference set never has a CBS below 0.",
            "NOT reference OR cbs >= 0",
        ),
        Check(
            "reference_front_members",
            "Only algorithms of the reference set are on its front.",
            "reference OR NOT on_reference_front",
        ),
        *map(_interval, (*ESTIMATED, "cbs_common")),
    ),
    rules=_RULES,
)
