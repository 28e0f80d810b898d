"""Contract of `pulsar_intervals`: what happened between decisions, measured and simulated."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, text
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.pulsar import pulsar_columns
from schemas.tables.pulsar.pulsar_columns import counted

AGREES, DIFFERS = "agrees", "differs"

_NONE_DONE = "No event came out in it."
_NOT_BOTH = "One of the two has no event in it."

TABLE = Table(
    name="pulsar_intervals",
    meaning="Intervals of constant load of an application on Pulsar: load, instances and mean "
    "response, measured and simulated (Figures 4 to 8 of the paper).",
    grain="run of an application and interval",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        pulsar_columns.EXECUTOR,
        pulsar_columns.POLICY,
        shared_columns.REPLICATE,
        integer("interval", "index", "Number of the interval, from 1.", 1),
        double("begins_s", "s", "When it begins, after the start."),
        double("seconds", "s", "Its length.", above=0),
        double("rate", "events/s", "Events that were due in it, per second.", measured=True),
        double(
            "instances", "instances", "Instances of all functions, mean over it.", measured=True
        ),
        counted("events", "Events that came out of the longest path in it.", "events"),
        double("mean_s", "s", "Their mean response.", null=_NONE_DONE, measured=True),
        double("simulated_instances", "instances", "Simulated instances."),
        double("simulated_mean_s", "s", "Simulated mean response.", null=_NONE_DONE),
        text(
            "verdict",
            "Whether both means differ by at most 50 ms + 5 % (agrees).",
            (AGREES, DIFFERS),
            null=_NOT_BOTH,
        ),
    ),
    key=("run_id", *pulsar_columns.GROUP, "interval"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "judged_with_both",
            "Exactly intervals with both means are judged.",
            "CASE WHEN verdict IS NULL THEN mean_s IS NULL OR simulated_mean_s IS NULL "
            "ELSE mean_s IS NOT NULL AND simulated_mean_s IS NOT NULL END",
        ),
    ),
    rules=(
        pulsar_columns.of_runs(
            "intervals",
            "A simulated run has a row for each of its intervals, others have none.",
            "CASE WHEN simulated_instances IS NULL THEN 0 ELSE intervals END",
        ),
    ),
)
