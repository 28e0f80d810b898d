"""Contract of `trajectories`: simulated groups step by step."""

from schemas import shared_columns
from schemas.column import Column
from schemas.table import Table
from schemas.tables.assignment import assignment_rules
from schemas.tables.autoscaling import scaling_columns, scaling_rules


def _events(name: str, meaning: str) -> Column:
    return Column(name, "double", meaning, "events", minimum=0)


_AUDIT = Table(
    name="trajectories_audit",
    meaning="Row counts from one pass over the steps of each stream and strategy.",
    grain="stream and strategy with its parameters",
    columns=(
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        Column("n_rows", "long", "Rows of the group.", "rows", minimum=1),
        Column(
            "n_distinct_iterations",
            "long",
            "Distinct steps among these rows.",
            "iterations",
            minimum=1,
        ),
        Column("first_iteration", "long", "Lowest step.", "index", minimum=1, maximum=1),
        Column("last_iteration", "long", "Highest step.", "index", minimum=1),
        Column(
            "late_beyond_served",
            "long",
            "Steps in which more events are late than are served.",
            "rows",
            minimum=0,
            maximum=0,
        ),
    ),
    key=("stream_id", *scaling_columns.CANDIDATE),
    checks=(assignment_rules.iterations_once(),),
    rules=(
        scaling_rules.every_candidate(
            "SELECT b.stream_id, strategy, setting FROM {batch} b "
            "LEFT JOIN {streams} s ON s.stream_id = b.stream_id WHERE s.stream_id IS NULL "
            "OR (s.n_iterations = b.n_rows AND s.n_iterations = b.last_iteration)",
            first=True,
        ),
    ),
    transient=True,
)

TABLE = Table(
    name="trajectories",
    meaning="Replicas, lag and late events of simulated groups over time, for the first replicates "
    "of each experiment.",
    grain="stream, strategy with its parameters, and step",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        shared_columns.ITERATION,
        Column("replicas", "int", "Paid replicas as the step ends.", "replicas", minimum=0),
        _events("lag", "Total lag as the step ends."),
        _events("arrived", "Events that arrived in the step."),
        _events("served", "Events that were served in the step."),
        _events("late", "Those of them with a latency above wsla_s."),
        Column(
            "stalled_s",
            "double",
            "Time in the step that partitions were not consumed, summed over partitions. Divided "
            "by the experiment's step_s: mean number of stalled partitions.",
            "partition-seconds",
            minimum=0,
        ),
    ),
    key=("run_id", "stream_id", *scaling_columns.CANDIDATE, "iteration"),
    partition_by=("run_id", "experiment"),
    audit=_AUDIT,
)
