"""Contract of `trajectories`: simulated groups step by step."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.table import Table
from schemas.tables.assignment import assignment_rules
from schemas.tables.autoscaling import scaling_columns, scaling_rules


def _events(name: str, meaning: str) -> Column:
    return double(name, "events", meaning)


_AUDIT = Table(
    name="trajectories_audit",
    meaning="Row counts from one pass over the steps of each stream and strategy.",
    grain="stream and strategy with its parameters",
    columns=(
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        long("n_rows", "rows", "Rows of the group.", 1),
        long("n_distinct_iterations", "iterations", "Distinct steps among these rows.", 1),
        long("first_iteration", "index", "Lowest step.", 1, 1),
        long("last_iteration", "index", "Highest step.", 1),
        long("late_beyond_served", "rows", "Steps with more late than served events.", 0, 0),
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
        integer("replicas", "replicas", "Paid replicas as the step ends."),
        _events("lag", "Total lag as the step ends."),
        _events("arrived", "Events that arrived in the step."),
        _events("served", "Events that were served in the step."),
        _events("late", "Those of them with a latency above wsla_s."),
        double(
            "stalled_s",
            "partition-seconds",
            "Time in the step that partitions were not consumed, summed over partitions. Divided "
            "by the experiment's step_s: mean number of stalled partitions.",
        ),
        double("longest_s", "s", "Greatest latency of the events served in the step; 0 without."),
    ),
    key=("run_id", "stream_id", *scaling_columns.CANDIDATE, "iteration"),
    partition_by=("run_id", "experiment"),
    audit=_AUDIT,
)
