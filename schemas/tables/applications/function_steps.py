"""Contract of `function_steps`: the functions of applications over time, decision by decision."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, long, text
from schemas.rule import Rule
from schemas.table import Table
from schemas.tables.applications import application_columns

_STEP = ", ".join((*application_columns.SIMULATION, "step"))
_SERIES = ", ".join((*application_columns.SIMULATION, "function"))

TABLE = Table(
    name="function_steps",
    meaning="Instances, events and backlog of each function of an application between two "
    "decisions.",
    grain="policy, replicate, function and step",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        application_columns.POLICY,
        shared_columns.REPLICATE,
        text("function", "Function of the application."),
        application_columns.STEP,
        integer("instances", "instances", "Instances that the policy asks for.", 1),
        long("arrivals", "events", "Events that arrived."),
        long("completions", "events", "Events that were completed."),
        long("backlog", "events", "Events that are waiting or in service as the step ends."),
        double("busy_s", "instance-seconds", "Time that instances served events."),
    ),
    key=("run_id", *application_columns.SIMULATION, "function", "step"),
    partition_by=("run_id", "experiment"),
    rules=(
        application_columns.steps_counted("application_runs", ("function",)),
        Rule(
            "instances_added",
            "Instances of a step add up to those of application_steps.",
            f"SELECT {_STEP}, sum(instances) AS n FROM ("
            f"SELECT {_STEP}, instances FROM {{batch}} UNION ALL "
            f"SELECT {_STEP}, -instances FROM {{application_steps}}) "
            f"GROUP BY {_STEP} HAVING sum(instances) <> 0",
        ),
        Rule(
            "backlog_balanced",
            "All events that arrived are completed, or in the backlog as the last step ends.",
            f"SELECT {_SERIES} FROM (SELECT {_SERIES}, step, arrivals, completions, backlog, "
            f"max(step) OVER (PARTITION BY {_SERIES}) AS latest FROM {{batch}}) "
            f"GROUP BY {_SERIES} "
            "HAVING sum(arrivals) - sum(completions) <> sum(if(step = latest, backlog, 0))",
        ),
    ),
)
