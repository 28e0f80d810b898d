"""Contract of `application_steps`: applications over time, decision by decision."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, long
from schemas.rule import Rule
from schemas.table import Table
from schemas.tables.applications import application_columns

_KEYS = ", ".join(application_columns.SIMULATION)

TABLE = Table(
    name="application_steps",
    meaning="Instances, arrivals and response times of an application between two decisions.",
    grain="policy, replicate and step",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        application_columns.POLICY,
        shared_columns.REPLICATE,
        application_columns.STEP,
        double("begins_s", "s", "When it begins, since the start."),
        double("seconds", "s", "Its length; the last one may be shorter.", above=0),
        integer("instances", "instances", "Instances of all functions together."),
        double("rate", "events/s", "Events/s of all sources, mean over the step."),
        long("completed", "events", "Events that were completed along the longest path."),
        double("mean", "s", "Their mean response time.", null="None was completed."),
    ),
    key=("run_id", *application_columns.SIMULATION, "step"),
    partition_by=("run_id", "experiment"),
    rules=(
        application_columns.steps_counted("application_runs"),
        Rule(
            "instances_averaged",
            "The mean over time is that of application_runs, as are fewest and most.",
            f"SELECT {_KEYS} FROM ("
            f"SELECT {_KEYS}, sum(instances * seconds) / sum(seconds) AS average, "
            "min(instances) AS fewest, max(instances) AS most, 0.0 AS stated, 0 AS low, 0 AS high "
            f"FROM {{batch}} GROUP BY {_KEYS} UNION ALL "
            f"SELECT {_KEYS}, 0.0, 0, 0, mean_instances, fewest_instances, most_instances "
            f"FROM {{application_runs}}) GROUP BY {_KEYS} "
            "HAVING abs(sum(average) - sum(stated)) > 1e-9 * (1 + sum(stated)) "
            "OR sum(fewest) <> sum(low) OR sum(most) <> sum(high)",
        ),
    ),
)
