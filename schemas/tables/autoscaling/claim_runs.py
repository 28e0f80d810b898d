"""Contract of `claim_runs`: candidates under settings that their paper leaves open."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import open_columns, scaling_columns

_KEY = ("experiment", *scaling_columns.CANDIDATE, "swept", "number")


def _late(action: str) -> Column:
    return double(
        f"late_after_{action}",
        "events",
        f"Late events that depart within 10 s of a scaling {action}, mean over these scalings.",
        null=f"No scaling {action}.",
    )


TABLE = Table(
    name="claim_runs",
    meaning="Simulations from which claims of Ezzeddine et al. 2024 are judged: each candidate of "
    "an experiment under all settings that the paper leaves open. All candidates and settings "
    "have the same seeds.",
    grain="experiment, strategy with its parameters, open setting and seed",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        open_columns.SWEPT,
        open_columns.arrivals(),
        open_columns.shift(),
        open_columns.keys(),
        open_columns.cooldown(),
        integer("number", "index", "Number of the seed, from 1.", 1),
        double(
            "sla_percent",
            "%",
            "Events with a latency of at most wsla_s.",
            0,
            100,
            null="The workload has no events.",
        ),
        double("replica_minutes", "replica-minutes", "Paid replicas, integrated over time."),
        long("n_up", "actions", "Actions with more replicas."),
        long("n_down", "actions", "Actions with fewer replicas."),
        double(
            "max",
            "s",
            "Maximum of the latency of all events. Infinite if some were not served within the "
            "drain limit.",
            infinite=True,
            null="The workload has no events.",
        ),
        _late("up"),
        _late("down"),
    ),
    key=("run_id", *_KEY),
    partition_by=("run_id", "experiment"),
    checks=(
        open_columns.SHIFTED,
        Check(
            "late_after_actions",
            "Late events follow a scaling if and only if there is one.",
            "(n_up > 0) = (late_after_up IS NOT NULL) "
            "AND (n_down > 0) = (late_after_down IS NOT NULL)",
        ),
    ),
    rules=(
        Rule(
            "same_seeds",
            "Every candidate of an experiment has the same seeds under the same open settings.",
            "SELECT experiment, strategy, setting FROM ("
            "SELECT experiment, strategy, setting, count(*) AS n, "
            "count(DISTINCT swept) * count(DISTINCT number) AS planned, "
            "max(count(*)) OVER (PARTITION BY experiment) AS most "
            "FROM {batch} GROUP BY experiment, strategy, setting) "
            "WHERE n <> planned OR n <> most",
        ),
    ),
)
