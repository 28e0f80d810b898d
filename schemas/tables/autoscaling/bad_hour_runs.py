"""Contract of `bad_hour_runs`: strategies in events at the busiest hour, by seed."""

from schemas import shared_columns
from schemas.column_kinds import double, integer
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import bad_hour_columns, scaling_columns

_CANDIDATE = "experiment, strategy, setting"

TABLE = Table(
    name="bad_hour_runs",
    meaning="Simulations of the time around the busiest hour: each strategy with its parameters, "
    "each event on its own, compared with the same seed without the event. All have the same "
    "seeds.",
    grain="experiment, strategy with its parameters, event and seed",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        bad_hour_columns.KIND,
        bad_hour_columns.EVENT,
        integer("number", "index", "Number of the seed, from 1.", 1),
        bad_hour_columns.late_events(
            "Events that are late until the lag is gone, beyond those without the event."
        ),
        bad_hour_columns.greatest_age_s(
            "Greatest age of an event, as it is served, until the lag is gone; infinite if some "
            "are not served within the drain limit."
        ),
        bad_hour_columns.lag_gone_after_s(
            "Time from the start of the event until the group has settled and its lag is what it "
            "is without the event, to the end of a step; infinite if it is not before the end."
        ),
        double("replica_minutes", "replica-minutes", "Paid replicas, integrated over time."),
        double("quiet_minutes", "replica-minutes", "The same without the event."),
    ),
    key=("run_id", "experiment", *scaling_columns.CANDIDATE, "event", "number"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "gone_after_it_begins",
            "The lag is gone at the end of a step after the event began.",
            "lag_gone_after_s IS NULL OR lag_gone_after_s > 0",
        ),
    ),
    rules=(
        Rule(
            "same_seeds_and_events",
            "Every strategy of an experiment has the same events and seeds.",
            f"SELECT {_CANDIDATE} FROM ("
            f"SELECT {_CANDIDATE}, count(*) AS n, "
            "count(DISTINCT event) * count(DISTINCT number) AS planned, "
            "max(count(*)) OVER (PARTITION BY experiment) AS most "
            f"FROM {{batch}} GROUP BY {_CANDIDATE}) "
            "WHERE n <> planned OR n <> most",
        ),
        Rule(
            "one_quiet_run",
            "All events of a strategy and seed are compared with the same run without events.",
            f"SELECT {_CANDIDATE}, number FROM {{batch}} GROUP BY {_CANDIDATE}, number "
            "HAVING min(quiet_minutes) < max(quiet_minutes)",
        ),
        Rule(
            "lasting_events",
            "An event is of one kind, and either each row has a time until the lag is gone, or "
            "none has.",
            "SELECT event FROM {batch} GROUP BY event HAVING count(DISTINCT kind) > 1 "
            "OR count(lag_gone_after_s) NOT IN (0, count(*))",
        ),
    ),
)
