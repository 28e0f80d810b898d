"""Rules that several tables have in common."""

from collections.abc import Sequence

from schemas.rule import Check, Rule


def ignores_load(algorithm: str) -> str:
    """Condition for Kafka's assignments to fixed groups, which ignore the capacity."""
    return f"(startswith({algorithm}, 'kd_') OR startswith({algorithm}, 'range_'))"


# The part of the configuration's JSON that defines streams and algorithms.
_EXPERIMENT = (
    "name: STRING, deltas: ARRAY<DOUBLE>, replicates: INT, initial_rates: ARRAY<STRING>, "
    "algorithms: ARRAY<STRING>"
)
_CONFIG = f"experiments ARRAY<STRUCT<{_EXPERIMENT}>>, traces ARRAY<STRING>"
_PLAN = (
    "(SELECT name, deltas, replicates, initial_rates, algorithms, size(c.traces) AS n_traces "
    f"FROM (SELECT from_json(config, '{_CONFIG}') AS c FROM {{runs}}) "
    "LATERAL VIEW inline(c.experiments) e "
    "AS name, deltas, replicates, initial_rates, algorithms)"
)
# Traces have neither delta nor start condition, and one experiment holds them all.
_STREAMS = (
    f"SELECT name AS experiment, delta, initial_rate, replicate FROM {_PLAN} "
    "LATERAL VIEW explode(if(n_traces > 0, array(CAST(NULL AS DOUBLE)), deltas)) d AS delta "
    "LATERAL VIEW explode(if(n_traces > 0, array(CAST(NULL AS STRING)), initial_rates)) i "
    "AS initial_rate "
    "LATERAL VIEW explode(sequence(1, if(n_traces > 0, n_traces, replicates))) r AS replicate"
)
# An experiment of autoscaling has one workload.
_SCALED = (
    "SELECT name AS experiment, CAST(NULL AS DOUBLE) AS delta, "
    "CAST(NULL AS STRING) AS initial_rate, explode(sequence(1, replicates)) AS replicate "
    "FROM (SELECT inline(from_json(config, "
    "'autoscaling ARRAY<STRUCT<name: STRING, replicates: INT>>').autoscaling) FROM {runs})"
)
_LIVE = (
    "SELECT name AS experiment, delta, "
    "if(delta IS NULL, CAST(NULL AS STRING), 'uniform') AS initial_rate, "
    "explode(sequence(1, replicates)) AS replicate FROM (SELECT inline(from_json(config, "
    "'live ARRAY<STRUCT<name: STRING, delta: DOUBLE, replicates: INT>>').live) FROM {runs})"
)
_PAIRS = (
    f"SELECT s.*, explode(p.algorithms) AS algorithm FROM {{streams}} s "
    f"JOIN {_PLAN} p ON p.name = s.experiment"
)
_BOUND_CONFIG = (
    "experiments ARRAY<STRUCT<name: STRING, bound_iterations: INT, "
    "bound_algorithms: ARRAY<STRING>>>"
)
_BOUNDED = (
    "(SELECT e.name, coalesce(e.bound_iterations, 0) AS wanted, "
    "coalesce(size(e.bound_algorithms), 0) AS algorithms "
    f"FROM (SELECT explode(from_json(config, '{_BOUND_CONFIG}').experiments) AS e FROM {{runs}}))"
)
_SEQUENCE = "1 AS first_iteration, n_iterations AS last_iteration, n_iterations AS n_rows"
_SEQUENCE_COLUMNS = ("first_iteration", "last_iteration", "n_rows")


def every_stream() -> Rule:
    """Require exactly the configured streams."""
    return _same_rows(
        "streams_planned",
        "Each experiment has exactly one stream per configured delta, initial rate and "
        "replicate, or one per recorded trace; each experiment of autoscaling, and each live one, "
        "has one per replicate.",
        f"{_STREAMS} UNION ALL {_SCALED} UNION ALL {_LIVE}",
        ("experiment", "delta", "initial_rate", "replicate"),
    )


def every_stream_and_algorithm(*described: str) -> Rule:
    """One row per configured stream and algorithm, which repeats ``described`` of `streams`."""
    return _same_rows(
        "streams_times_algorithms",
        "Every stream has exactly one row per algorithm of its experiment, with the stream's "
        f"{', '.join(described)}.",
        _PAIRS,
        ("stream_id", "algorithm", *described),
    )


def every_iteration_of_pairs() -> Rule:
    """Require, in an audit frame, all iterations of each stream under each algorithm."""
    return _same_rows(
        "streams_times_algorithms_times_iterations",
        "Every stream has, under exactly the algorithms of its experiment, all iterations from "
        "1 to its n_iterations.",
        f"SELECT stream_id, algorithm, {_SEQUENCE} FROM ({_PAIRS})",
        ("stream_id", "algorithm", *_SEQUENCE_COLUMNS),
    )


def every_iteration_of_streams() -> Rule:
    """Require, in an audit frame, all iterations of each stream."""
    return _same_rows(
        "streams_times_iterations",
        "Exactly the run's streams have rows, one per iteration from 1 to n_iterations.",
        f"SELECT stream_id, {_SEQUENCE} FROM {{streams}}",
        ("stream_id", *_SEQUENCE_COLUMNS),
    )


def sampled_bounds() -> Rule:
    """Require the configured number of bounds for each stream."""
    sampled = "least(p.wanted, greatest(s.n_iterations - 1, 1))"
    return Rule(
        "bounds_planned",
        "Each stream has the configured number of bounds: one of consumers per sampled "
        "iteration (not the first, unless it is the only one), and one of Rscore per sampled "
        "iteration and compared algorithm.",
        "SELECT stream_id, sum(n_consumers) AS off_consumers, sum(n_rscore) AS off_rscore FROM ("
        f"SELECT s.stream_id, -{sampled} AS n_consumers, "
        f"-if(s.n_iterations > 1, {sampled}, 0) * p.algorithms AS n_rscore "
        f"FROM {{streams}} s JOIN {_BOUNDED} p ON p.name = s.experiment UNION ALL "
        "SELECT stream_id, if(kind = 'consumers', 1, 0), if(kind = 'rscore', 1, 0) FROM {batch}) "
        "GROUP BY stream_id HAVING sum(n_consumers) <> 0 OR sum(n_rscore) <> 0",
    )


def iterations_once() -> Check:
    """Require, in an audit frame, that no iteration occurs twice."""
    return Check(
        "iterations_once",
        "No iteration occurs twice, so the key of the table is unique.",
        "n_distinct_iterations = n_rows",
    )


def _same_rows(name: str, meaning: str, expected: str, columns: Sequence[str]) -> Rule:
    """Require that the rows are those of a query, each once, in the given columns.

    Counting both sides together takes one grouping; an outer join would sort each of them.
    """
    listed = ", ".join(columns)
    return Rule(
        name,
        meaning,
        f"SELECT {listed}, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
        f"SELECT {listed}, 1 AS expected, 0 AS found FROM ({expected}) UNION ALL "
        f"SELECT {listed}, 0 AS expected, 1 AS found FROM {{batch}}) "
        f"GROUP BY {listed} HAVING sum(expected) <> 1 OR sum(found) <> 1",
    )
