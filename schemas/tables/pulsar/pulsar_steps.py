"""Contract of `pulsar_steps`: an application on Pulsar from decision to decision, and simulated."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, long
from schemas.rule import Rule
from schemas.table import Table
from schemas.tables.pulsar import pulsar_columns
from schemas.tables.pulsar.pulsar_columns import counted

_KEYS = ", ".join(pulsar_columns.GROUP)
_SIMULATED = f"SELECT {_KEYS} FROM {{pulsar_runs}} WHERE simulated_instances IS NOT NULL"

_NOT_DECIDED = "The loop was not there as it ended, or was late by a step."

_NONE_DONE = "No event came out in it."

TABLE = Table(
    name="pulsar_steps",
    meaning="Time between two decisions of an application on Pulsar: load, instances and mean "
    "response, measured and simulated (Figures 4 to 8 of the paper).",
    grain="run of an application and step",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        pulsar_columns.EXECUTOR,
        pulsar_columns.POLICY,
        shared_columns.REPLICATE,
        integer("step", "index", "Number of the step, from 1.", 1),
        double("begins_s", "s", "When it begins, after the start."),
        double("seconds", "s", "Its length; the last one may be shorter.", above=0),
        double("rate", "events/s", "Events that were due in it, per second.", measured=True),
        double(
            "instances", "instances", "Instances of all functions, mean over it.", measured=True
        ),
        counted("events", "Events that came out of the longest path in it.", "events"),
        double("mean_s", "s", "Their mean response.", null=_NONE_DONE, measured=True),
        long(
            "backlog",
            "events",
            "Events that wait for functions or are in service as it ends, of all functions: "
            "published to their topics less passed on. Topics are counted one after another, and "
            "events that come out again lower it: it can be below 0.",
            None,
            null=_NOT_DECIDED,
            measured=True,
        ),
        long(
            "msg_backlog",
            "entries",
            "Entries that functions have not acknowledged then, as Pulsar counts them "
            "(`msgBacklog`): one can hold a batch of events.",
            null=f"{_NOT_DECIDED} Or Pulsar did not say.",
            measured=True,
        ),
        double("simulated_rate", "events/s", "Rate of the source, mean over the step."),
        integer("simulated_instances", "instances", "Simulated instances of all functions.", 1),
        double("simulated_mean_s", "s", "Simulated mean response.", null=_NONE_DONE),
        long("simulated_backlog", "events", "Simulated events that wait or are in service then."),
    ),
    key=("run_id", *pulsar_columns.GROUP, "step"),
    partition_by=("run_id", "experiment"),
    rules=(
        Rule(
            "steps_of_runs",
            "A simulated run has steps from 1 on without gaps, others have none.",
            f"SELECT {_KEYS} FROM (SELECT {_KEYS}, count(*) AS n, max(step) AS latest "
            f"FROM {{batch}} GROUP BY {_KEYS}) WHERE n <> latest "
            f"UNION ALL ({_SIMULATED} EXCEPT SELECT {_KEYS} FROM {{batch}}) "
            f"UNION ALL (SELECT {_KEYS} FROM {{batch}} EXCEPT {_SIMULATED})",
        ),
    ),
)
