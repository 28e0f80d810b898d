"""Contract of `pulsar_changes`: changes of instances, and what their output shows."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, text
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.pulsar import pulsar_columns
from schemas.tables.pulsar.pulsar_columns import counted

UP, DOWN, NONE = "up", "down", "none"

TABLE = Table(
    name="pulsar_changes",
    meaning="Changes of the instances of a Pulsar Function and, for comparison, windows without "
    "one: which instances went on, and how long the output paused.",
    grain="run of an application and change",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        pulsar_columns.EXECUTOR,
        pulsar_columns.POLICY,
        shared_columns.REPLICATE,
        integer("change", "index", "Number of the change or window, from 1.", 1),
        text("kind", "More instances, fewer, or no change.", (UP, DOWN, NONE)),
        text("function", "The function."),
        double("at_s", "s", "When it was requested, after the start.", measured=True),
        double("window_s", "s", "Length of the window from there in which output counts.", above=0),
        counted("before", "Instances before.", "instances", 1),
        counted("after", "Instances afterwards.", "instances", 1),
        double("call_s", "s", "Time until Pulsar answered.", null="No change.", measured=True),
        counted(
            "kept", "Instances with output before and in the window, not restarted.", "instances"
        ),
        counted("restarted", "Instances with output before that began again.", "instances"),
        double(
            "gap_s",
            "s",
            "Longest time without output of the function in the window, its ends included.",
            measured=True,
        ),
        counted(
            "lost",
            "Events that never came out, due between the ends of the window before and of this.",
            "events",
        ),
        counted("repeated", "Times that an event came out again in the window.", "events"),
    ),
    key=("run_id", *pulsar_columns.GROUP, "change"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "kind_of_counts",
            "The kind follows from the numbers of instances.",
            "kind = CASE WHEN after > before THEN 'up' WHEN after < before THEN 'down' "
            "ELSE 'none' END",
        ),
        Check(
            "asked_if_changed",
            "Exactly changes have an answer of Pulsar.",
            "(kind = 'none') = (call_s IS NULL)",
        ),
    ),
    rules=(
        pulsar_columns.of_runs("changes", "A run has a row for each of its changes.", "changes"),
    ),
)
