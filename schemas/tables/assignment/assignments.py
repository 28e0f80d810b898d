"""Contract of `assignments`: which consumer reads which partition, and when."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import assignment_rules


def _none(name: str, meaning: str) -> Column:
    """Count iterations that break something, hence none."""
    return long(name, "iterations", meaning, 0, 0)


_AUDIT = Table(
    name="assignments_audit",
    meaning="Row counts and violations from one pass over the assignments of each stream and "
    "algorithm, recomputed from the arrays of consumers and rates.",
    grain="stream and algorithm",
    columns=(
        shared_columns.STREAM_ID,
        shared_columns.ALGORITHM,
        long("n_rows", "rows", "Rows of the stream and algorithm.", 1),
        long("n_distinct_iterations", "iterations", "Distinct iterations among these rows.", 1),
        long("first_iteration", "index", "Lowest iteration.", 1, 1),
        long("last_iteration", "index", "Highest iteration.", 1),
        _none("unassigned", "Iterations where an existing partition has no consumer."),
        _none("misplaced", "Iterations where a partition that does not exist has a consumer."),
        long(
            "overloaded",
            "iterations",
            "Iterations where a consumer of several partitions is above capacity.",
        ),
        _none(
            "consumers_out_of_range",
            "Iterations with a consumer id below 0 or not below the number of partitions.",
        ),
        _none(
            "consumers_mismatch",
            "Iterations whose n_consumers differs from the number of distinct consumers.",
        ),
        _none("migrations_mismatch", "Iterations whose n_migrations does not match the arrays."),
        _none("rscore_mismatch", "Iterations whose rscore does not match the arrays."),
        _none(
            "rscore_above_total",
            "Iterations whose rscore exceeds the total write speed divided by capacity.",
        ),
        _none(
            "below_minimum",
            "Iterations where an algorithm of the reference set uses fewer consumers than "
            "min_consumers.",
        ),
    ),
    key=("stream_id", "algorithm"),
    checks=(
        assignment_rules.iterations_once(),
        Check(
            "within_capacity",
            "No consumer with more than one partition is loaded above capacity, except under "
            "kd_n and range_n, which ignore load.",
            f"overloaded = 0 OR {assignment_rules.ignores_load('algorithm')}",
        ),
    ),
    rules=(assignment_rules.every_iteration_of_pairs(),),
    transient=True,
)

_COLUMNS = (
    shared_columns.RUN_ID,
    shared_columns.EXPERIMENT,
    shared_columns.DELTA,
    shared_columns.STREAM_ID,
    shared_columns.ALGORITHM,
    shared_columns.ITERATION,
    integer("n_consumers", "consumers", "Consumers with at least one partition."),
    integer(
        "n_migrations",
        "partitions",
        "Partitions whose consumer changed since the previous iteration. Partitions that appear "
        "or disappear do not count.",
    ),
    double(
        "rscore",
        "consumer capacities",
        "Rebalance cost of the iteration: total write speed of the migrated partitions, divided "
        "by capacity. 0 at the first iteration.",
    ),
    integer(
        "min_consumers",
        "consumers",
        "Minimum of n_consumers over the reference set (the paper's twelve algorithms) at this "
        "iteration, including algorithms that the run leaves out. CBS is relative to it.",
    ),
    Column(
        "consumers",
        "array<int>",
        "Consumer id of each partition, in the order of streams.partitions. Ids are stable "
        "between iterations.",
        "identifier",
        element_nullable=True,
        null_means="The partition does not exist at this iteration.",
        minimum=0,
    ),
)

_CHECKS = (
    Check(
        "counts_within_partitions",
        "There is at least one partition, and no count exceeds the number of partitions.",
        "size(consumers) >= 1 AND n_consumers <= size(consumers) "
        "AND n_migrations <= size(consumers) AND min_consumers <= size(consumers)",
    ),
    Check(
        "nothing_moves_at_first",
        "The first iteration has no migrations.",
        "iteration > 1 OR n_migrations = 0",
    ),
    Check(
        "rscore_needs_migrations",
        "The Rscore is 0 if nothing migrates.",
        "n_migrations > 0 OR rscore = 0",
    ),
    Check(
        "minimum_of_same_partitions",
        "An algorithm uses 0 consumers if and only if no partition exists.",
        "(n_consumers = 0) = (min_consumers = 0)",
    ),
)

TABLE = Table(
    name="assignments",
    meaning="Consumer of every partition at every iteration under every algorithm, with the "
    "number of consumers in use and the migrations since the previous iteration.",
    grain="stream, algorithm and iteration",
    columns=_COLUMNS,
    key=("run_id", "stream_id", "algorithm", "iteration"),
    partition_by=("run_id", "experiment", "delta"),
    checks=_CHECKS,
    audit=_AUDIT,
)
