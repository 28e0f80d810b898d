"""Contract of `measurements`: the write speeds of each stream over time."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

_AUDIT = Table(
    name="measurements_audit",
    meaning="Row counts and violations from one pass over the measurements of each stream.",
    grain="stream",
    columns=(
        shared_columns.STREAM_ID,
        Column("n_rows", "long", "Rows of the stream.", "rows", minimum=1),
        Column(
            "n_distinct_iterations",
            "long",
            "Distinct iterations among these rows.",
            "iterations",
            minimum=1,
        ),
        Column("first_iteration", "long", "Lowest iteration.", "index", minimum=1, maximum=1),
        Column("last_iteration", "long", "Highest iteration.", "index", minimum=1),
        Column(
            "wrong_length",
            "long",
            "Rows whose number of rates differs from the stream's number of partitions.",
            "rows",
            minimum=0,
            maximum=0,
        ),
        Column(
            "invalid_rates",
            "long",
            "Rates that are negative, infinite or NaN.",
            "rates",
            minimum=0,
            maximum=0,
        ),
    ),
    key=("stream_id",),
    checks=(assignment_rules.iterations_once(),),
    rules=(assignment_rules.every_iteration_of_streams(),),
    transient=True,
)

TABLE = Table(
    name="measurements",
    meaning="Write speed of every partition at every iteration: the input of the algorithms and of "
    "the simulations.",
    grain="stream and iteration",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        shared_columns.STREAM_ID,
        shared_columns.ITERATION,
        Column(
            "rates",
            "array<double>",
            "Write speed of each partition, in the order of streams.partitions.",
            "bytes/s, or events/s in autoscaling",
            element_nullable=True,
            null_means="The partition does not exist at this iteration.",
            minimum=0,
        ),
    ),
    key=("run_id", "stream_id", "iteration"),
    partition_by=("run_id", "experiment", "delta"),
    checks=(
        Check(
            "rates_given",
            "The array has at least one element.",
            "size(rates) >= 1",
        ),
    ),
    audit=_AUDIT,
)
