"""Contract of `assignments`: which consumer reads which partition, and when."""

from schemas import shared
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.assignment import rules


def _none(name: str, meaning: str) -> Column:
    """Count iterations that break something, hence none."""
    return Column(name, "long", meaning, "iterations", minimum=0, maximum=0)


_AUDIT = Table(
    name="assignments_audit",
    meaning="What one pass over the rows of each stream and algorithm in assignments has counted, "
    "everything recomputed from the arrays of consumers and rates.",
    grain="stream and algorithm",
    columns=(
        shared.STREAM_ID,
        shared.ALGORITHM,
        Column("n_rows", "long", "Rows of the stream and algorithm.", "rows", minimum=1),
        Column(
            "n_distinct_iterations",
            "long",
            "Different iterations among these rows.",
            "iterations",
            minimum=1,
        ),
        Column("first_iteration", "long", "Lowest iteration.", "index", minimum=1, maximum=1),
        Column("last_iteration", "long", "Highest iteration.", "index", minimum=1),
        _none("unassigned", "Iterations at which a present partition has no consumer."),
        _none("misplaced", "Iterations at which an absent partition has a consumer."),
        Column(
            "overloaded",
            "long",
            "Iterations at which a consumer with more than one partition has a load above "
            "capacity.",
            "iterations",
            minimum=0,
        ),
        _none(
            "consumers_out_of_range",
            "Iterations with a consumer id below 0, or not below the number of partitions.",
        ),
        _none("consumers_mismatch", "Iterations whose n_consumers is not the number of consumers."),
        _none("migrations_mismatch", "Iterations whose n_migrations is not that of the arrays."),
        _none("rscore_mismatch", "Iterations whose rscore is not that of the arrays."),
        _none(
            "rscore_above_total",
            "Iterations whose rscore is above the total write speed divided by capacity.",
        ),
        _none(
            "below_minimum",
            "Iterations at which an algorithm of the reference set has fewer consumers than "
            "min_consumers.",
        ),
    ),
    key=("stream_id", "algorithm"),
    checks=(
        rules.iterations_once(),
        Check(
            "within_capacity",
            "No consumer with more than one partition has a load above capacity, except under "
            "kd_n, which assigns without regard to load.",
            "overloaded = 0 OR startswith(algorithm, 'kd_')",
        ),
    ),
    rules=(rules.every_iteration_of_pairs(),),
    transient=True,
)

_COLUMNS = (
    shared.RUN_ID,
    shared.EXPERIMENT,
    shared.DELTA,
    shared.STREAM_ID,
    shared.ALGORITHM,
    shared.ITERATION,
    Column("n_consumers", "int", "Consumers that hold a partition.", "consumers", minimum=0),
    Column(
        "n_migrations",
        "int",
        "Partitions that have another consumer than at the iteration before. Partitions that "
        "appear or disappear do not count.",
        "partitions",
        minimum=0,
    ),
    Column(
        "rscore",
        "double",
        "Rebalance cost of the iteration: total write speed of the migrated partitions, divided "
        "by capacity. 0 at the first iteration.",
        "consumer capacities",
        minimum=0,
    ),
    Column(
        "min_consumers",
        "int",
        "Fewest consumers that any algorithm of the reference set (the paper's twelve) needs at "
        "this iteration, also where not all of them were asked for. CBS compares with it.",
        "consumers",
        minimum=0,
    ),
    Column(
        "consumers",
        "array<int>",
        "Consumer of each partition, in the order of streams.partitions. A consumer keeps its id "
        "from one iteration to the next.",
        "identifier",
        element_nullable=True,
        null_means="The partition does not exist at this iteration.",
        minimum=0,
    ),
)

_CHECKS = (
    Check(
        "counts_within_partitions",
        "Consumers and migrations are at most as many as partitions, of which there is one.",
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
        "Without migrations the Rscore is 0.",
        "n_migrations > 0 OR rscore = 0",
    ),
    Check(
        "minimum_of_same_partitions",
        "An algorithm uses no consumer exactly where none is needed: no partition is present.",
        "(n_consumers = 0) = (min_consumers = 0)",
    ),
)

TABLE = Table(
    name="assignments",
    meaning="The consumer of every partition at every iteration under every algorithm, with the "
    "consumers in use and what changed since the iteration before.",
    grain="stream, algorithm and iteration",
    columns=_COLUMNS,
    key=("run_id", "stream_id", "algorithm", "iteration"),
    partition_by=("run_id", "experiment", "delta"),
    checks=_CHECKS,
    written_by=("run_algorithms",),
    reads=("streams", "measurements"),
    audit=_AUDIT,
)
