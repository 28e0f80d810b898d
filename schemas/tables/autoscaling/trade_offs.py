"""Contract of `trade_offs`: service against cost, averaged over replicates, and the fronts."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, flag, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns, scaling_rules
from schemas.tables.autoscaling.simulations import METRICS
from schemas.tables.autoscaling.simulations import TABLE as SIMULATIONS

AVERAGED = tuple(metric.column for metric in METRICS if metric.averaging == "mean")
"""Columns of `simulations` that are averaged over the streams of an experiment."""


def _estimated(name: str, meaning: str, unit: str, missing: str) -> tuple[Column, ...]:
    """Columns of a mean over streams and of its interval."""
    few = f"Fewer than 2 streams. Or: {missing}" if missing else "Fewer than 2 streams."
    interval = f"the 95 % bootstrap interval of {name} over streams"
    return double(name, unit, meaning, null=missing), *ends(name, unit, interval, 0, null=few)


def _average(name: str) -> tuple[Column, ...]:
    stored = SIMULATIONS.column(name)
    missing = "A stream has no events." if stored.nullable else ""
    return _estimated(name, f"Mean of simulations.{name} over these streams.", stored.unit, missing)


def _interval(value: str, *, nullable: bool = True) -> Check:
    missing = f" OR {value} IS NULL" if nullable else ""
    # A mean and the ends of its interval are summed in different orders, hence the tolerance.
    return Check(
        f"{value}_interval",
        f"An interval exists if and only if there are a value and at least 2 streams, and it "
        f"contains {value}.",
        f"CASE WHEN replicates < 2{missing} "
        f"THEN {value}_low IS NULL AND {value}_high IS NULL "
        f"ELSE {value}_low <= {value} * (1 + 1e-9) + 1e-9 "
        f"AND {value} <= {value}_high * (1 + 1e-9) + 1e-9 END",
    )


_GROUP = "experiment, strategy, setting"
_VALUES = ", ".join(AVERAGED)

TABLE = Table(
    name="trade_offs",
    meaning="Service and cost of each strategy with its parameters, averaged over the streams of "
    "an experiment, and whether it is non-dominated.",
    grain="experiment and strategy with its parameters",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        scaling_columns.WORKLOAD,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        integer("replicates", "streams", "Streams averaged.", 1),
        *(column for name in AVERAGED for column in _average(name)),
        flag(
            "eligible",
            "Whether it can be chosen: it sees only the past, unlike optimal and overprovision, "
            "and does not fall behind for ever, for which simulations.max is infinite.",
        ),
        flag(
            "on_front",
            "Whether it is eligible and non-dominated: no other eligible one of the same "
            "experiment has at least the sla_percent at no more replica_minutes and is better in "
            "one.",
        ),
        text(
            "dominated_by",
            "Eligible strategy with its parameters that most clearly dominates it on the means.",
            null="None dominates it: it is on the front, or not eligible.",
        ),
        integer("replicates_dominated", "streams", "Streams on which dominated_by dominates it."),
        *_estimated(
            "regret",
            "Mean share of replica-minutes above simulations.least_minutes.",
            "ratio",
            "The bound is not known for every stream.",
        ),
        *_estimated(
            "hypervolume",
            "Mean share of the square that the strategy dominates with all its parameters in the "
            "experiment: replica-minutes up to one replica per partition, sla_percent from 80 to "
            "100.",
            "ratio",
            "No events.",
        ),
    ),
    key=("run_id", "experiment", *scaling_columns.CANDIDATE),
    partition_by=("run_id",),
    checks=(
        *(_interval(name, nullable=SIMULATIONS.column(name).nullable) for name in AVERAGED),
        *map(_interval, ("regret", "hypervolume")),
        Check(
            "dominated_off_front",
            "A strategy is on the front if and only if it is eligible and none dominates it.",
            "on_front = (eligible AND dominated_by IS NULL) "
            "AND replicates_dominated <= replicates "
            "AND (dominated_by IS NOT NULL OR replicates_dominated = 0)",
        ),
    ),
    rules=(
        Rule(
            "fronts_consistent",
            "A row is on the front if and only if it is eligible and no other eligible one of its "
            "experiment dominates it.",
            f"SELECT {_GROUP}, on_front FROM (SELECT *, collect_list(struct("
            "eligible AS can, coalesce(sla_percent, 100) AS sla, replica_minutes AS cost)) "
            "OVER (PARTITION BY experiment) AS points FROM {batch}) "
            "WHERE on_front <> (eligible AND NOT exists(points, p -> p.can "
            "AND p.sla >= coalesce(sla_percent, 100) AND p.cost <= replica_minutes "
            "AND (p.sla > coalesce(sla_percent, 100) OR p.cost < replica_minutes)))",
        ),
        Rule(
            "averages_simulations",
            "Each experiment and strategy with its parameters in simulations has exactly one row, "
            "with the means of its figures.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, {_VALUES}, replicates FROM {{batch}} UNION ALL "
            f"SELECT {_GROUP}, {_VALUES}, NULL AS replicates FROM {{simulations}}) "
            f"GROUP BY {_GROUP} "
            "HAVING count(replicates) <> 1 OR max(replicates) <> count(*) - 1 OR "
            + scaling_rules.off_average(AVERAGED),
        ),
    ),
)
