"""Contract of `dominance`: the algorithm that dominates each of the paper's."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table

_CBS = "ratio"
_RSCORE = "consumer capacities per iteration"
_NOBODY = "No algorithm of the run dominates it."
_FEW = "No algorithm of the run dominates it, or there are fewer than 2 replicates."


def _difference(name: str, of: str, unit: str) -> tuple[Column, ...]:
    return (
        double(
            name,
            unit,
            f"{of} of dominated_by minus that of the algorithm, mean over replicates. Negative "
            "values favour dominated_by.",
            None,
            0,
            null=_NOBODY,
        ),
        *ends(name, unit, f"the paired 95 % bootstrap interval of {name}", null=_FEW),
    )


def _interval(value: str) -> Check:
    return Check(
        f"{value}_interval",
        f"An interval exists if and only if {value} does and there are at least 2 replicates; it "
        f"contains {value}.",
        f"CASE WHEN {value} IS NULL OR replicates < 2 "
        f"THEN {value}_low IS NULL AND {value}_high IS NULL "
        f"ELSE {value}_low <= {value} AND {value} <= {value}_high END",
    )


TABLE = Table(
    name="dominance",
    meaning="For each of the paper's twelve algorithms, the algorithm of the run that dominates "
    "it: mean consumers and mean rebalancing are no higher, and one is lower. If several do, "
    "the one that dominates on most replicates, then the one with the lowest mean Rscore.",
    grain="experiment, delta and algorithm of the paper",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        shared_columns.ALGORITHM,
        shared_columns.REPLICATES,
        double("cbs_common", _CBS, "Mean of scores.cbs_common over replicates."),
        double("mean_rscore", _RSCORE, "Mean of scores.mean_rscore over replicates."),
        text("dominated_by", "Algorithm that dominates it.", null=_NOBODY),
        integer("dominators", "algorithms", "Number of algorithms of the run that dominate it."),
        *_difference("cbs_difference", "Cbs_common", _CBS),
        *_difference("rscore_difference", "Mean Rscore", _RSCORE),
        integer(
            "replicates_dominated",
            "replicates",
            "Replicates on which dominated_by also dominates it.",
        ),
    ),
    key=("run_id", "experiment", "delta", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "dominated_by_another",
            "If there are dominators, dominated_by and its differences are set and at least "
            "one difference is below 0; otherwise they are null.",
            "CASE WHEN dominators = 0 THEN dominated_by IS NULL AND cbs_difference IS NULL "
            "AND rscore_difference IS NULL AND replicates_dominated = 0 "
            "ELSE dominated_by IS NOT NULL AND dominated_by <> algorithm "
            "AND cbs_difference IS NOT NULL AND rscore_difference IS NOT NULL "
            "AND (cbs_difference < 0 OR rscore_difference < 0) END",
        ),
        Check(
            "dominated_replicates",
            "replicates_dominated does not exceed replicates.",
            "replicates_dominated <= replicates",
        ),
        _interval("cbs_difference"),
        _interval("rscore_difference"),
    ),
    rules=(
        Rule(
            "every_reference_algorithm",
            "Each of the paper's algorithms in pareto has exactly one row, with the same means; "
            "no other algorithm has one.",
            "SELECT experiment, delta, algorithm FROM ("
            "SELECT experiment, delta, algorithm, cbs_common, mean_rscore, 1 AS found FROM {batch} "
            "UNION ALL SELECT experiment, delta, algorithm, cbs_common, mean_rscore, 0 AS found "
            "FROM {pareto} WHERE reference) GROUP BY experiment, delta, algorithm "
            "HAVING count(*) <> 2 OR sum(found) <> 1 "
            "OR max(cbs_common) - min(cbs_common) > 1e-9 * (1 + max(cbs_common)) "
            "OR max(mean_rscore) - min(mean_rscore) > 1e-9 * (1 + max(mean_rscore))",
        ),
    ),
)
