"""Contract of `bad_hour_effects`: what events at the busiest hour cost strategies, over seeds."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, integer
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import bad_hour_columns, scaling_columns

_FEW = "Fewer than 2 seeds."
_GROUP = "experiment, strategy, setting, event"
_ROUNDING = "1e-9 * (1 + abs(avg(late_events) FILTER (WHERE seeds IS NULL)))"


def _interval(stored: Column, kind: str, minimum: float | None = 0) -> tuple[Column, ...]:
    """A column and its interval over seeds."""
    missing = f" Or: {stored.null_means}" if stored.nullable else ""
    whole = f"the 95 % {kind} interval of {stored.name} over seeds"
    infinite = stored.infinity_allowed
    null = f"{_FEW}{missing}"
    return stored, *ends(stored.name, stored.unit, whole, minimum, infinite=infinite, null=null)


def _holds(name: str, *, nullable: bool = False) -> Check:
    missing = f" OR {name} IS NULL" if nullable else ""
    return Check(
        f"{name}_interval",
        f"An interval exists if and only if there are {name} and at least 2 seeds, and it contains "
        f"{name}.",
        f"CASE WHEN seeds < 2{missing} THEN {name}_low IS NULL AND {name}_high IS NULL "
        f"ELSE {name}_low <= {name} AND {name} <= {name}_high END",
    )


TABLE = Table(
    name="bad_hour_effects",
    meaning="What events at the busiest hour cost each strategy with its parameters: means and "
    "medians over the seeds of bad_hour_runs.",
    grain="experiment, strategy with its parameters and event",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        bad_hour_columns.KIND,
        bad_hour_columns.EVENT,
        integer("seeds", "seeds", "Paired seeds.", 1),
        integer(
            "recovered",
            "seeds",
            "Seeds on which the lag is gone before the end.",
            null=bad_hour_columns.LASTS,
        ),
        *_interval(bad_hour_columns.late_events("Mean of bad_hour_runs.late_events."), "bootstrap"),
        *_interval(
            bad_hour_columns.greatest_age_s("Median of bad_hour_runs.greatest_age_s."), "binomial"
        ),
        *_interval(
            bad_hour_columns.lag_gone_after_s(
                "Median of bad_hour_runs.lag_gone_after_s, the lower middle value if their number "
                "is even."
            ),
            "binomial",
        ),
        *_interval(
            double(
                "added_minutes",
                "replica-minutes",
                "Mean of replica_minutes less quiet_minutes of bad_hour_runs.",
                None,
            ),
            "bootstrap",
            None,
        ),
    ),
    key=("run_id", "experiment", *scaling_columns.CANDIDATE, "event"),
    partition_by=("run_id",),
    checks=(
        _holds("late_events"),
        _holds("greatest_age_s"),
        _holds("lag_gone_after_s", nullable=True),
        _holds("added_minutes"),
        Check(
            "recovered_seeds",
            "Seeds on which the lag is gone are counted if and only if an event is over before "
            "the end, and are no more than all.",
            "CASE WHEN lag_gone_after_s IS NULL THEN recovered IS NULL "
            "ELSE recovered IS NOT NULL AND recovered <= seeds END",
        ),
    ),
    rules=(
        Rule(
            "effects_of_runs",
            "Each strategy and event in bad_hour_runs has exactly one row, with the number of its "
            "seeds, the number of those that recover, and the mean of late events.",
            f"SELECT {_GROUP} FROM ("
            f"SELECT {_GROUP}, late_events, lag_gone_after_s, seeds, recovered FROM {{batch}} "
            f"UNION ALL SELECT {_GROUP}, late_events, lag_gone_after_s, NULL AS seeds, "
            "NULL AS recovered FROM {bad_hour_runs}) "
            f"GROUP BY {_GROUP} "
            "HAVING count(seeds) <> 1 OR max(seeds) <> count(*) - 1 "
            "OR coalesce(max(recovered), 0) <> count_if(seeds IS NULL "
            "AND lag_gone_after_s < CAST('Infinity' AS DOUBLE)) "
            "OR abs(max(late_events) FILTER (WHERE seeds IS NOT NULL) "
            f"- avg(late_events) FILTER (WHERE seeds IS NULL)) > {_ROUNDING}",
        ),
    ),
)
