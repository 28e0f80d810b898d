"""Contract of `measurements`: the write speeds of each stream over time."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import long
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

_AUDIT = Table(
    name="measurements_audit",
    meaning="Row counts and violations from one pass over the measurements of each stream.",
    grain="stream",
    columns=(
        shared_columns.STREAM_ID,
        long("n_rows", "rows", "Rows of the stream.", 1),
        long("n_distinct_iterations", "iterations", "Distinct iterations among these rows.", 1),
        long("first_iteration", "index", "Lowest iteration.", 1, 1),
        long("last_iteration", "index", "Highest iteration.", 1),
        long("wrong_length", "rows", "Rows with another number of rates than partitions.", 0, 0),
        long("invalid_rates", "rates", "Rates that are negative, infinite or NaN.", 0, 0),
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
    checks=(Check("rates_given", "The array has at least one element.", "size(rates) >= 1"),),
    audit=_AUDIT,
)
