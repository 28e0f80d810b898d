"""View `per_stream`: all results of an algorithm on a stream, in one row."""

from schemas.column import Column
from schemas.column_kinds import double, integer
from schemas.metrics import METRICS
from schemas.tables import TABLES
from schemas.tables.assignment.scores import GAPS
from schemas.view import View, select

_RUNS, _STREAMS, _SCORES, _LATENCY = (
    TABLES[name].column for name in ("runs", "streams", "scores", "latency")
)

DELAYED_SHARE = double(
    "delayed_share",
    "ratio",
    "Share of the data that waits: n_positive / n_samples.",
    0,
    1,
    null="No samples, as on a stream of one iteration.",
)

_N_PARTITIONS = integer("n_partitions", "partitions", "Partitions of the stream.", 1)


def _measured(table: str) -> tuple[Column, ...]:
    """Columns of a table that are metrics."""
    listed = {metric.column for metric in METRICS if metric.table == table}
    return tuple(column for column in TABLES[table].columns if column.name in listed)


_COLUMNS = (
    (_SCORES("run_id"), "s.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    (_SCORES("experiment"), "s.experiment"),
    (_SCORES("stream_id"), "s.stream_id"),
    (_STREAMS("source"), "w.source"),
    (_STREAMS("name"), "w.name"),
    (_SCORES("delta"), "s.delta"),
    (_SCORES("initial_rate"), "s.initial_rate"),
    (_SCORES("replicate"), "s.replicate"),
    (_SCORES("algorithm"), "s.algorithm"),
    (_SCORES("reference"), "s.reference"),
    (_SCORES("n_iterations"), "s.n_iterations"),
    (_N_PARTITIONS, "CAST(cardinality(w.partitions) AS INT)"),
    (_STREAMS("capacity"), "w.capacity"),
    (_STREAMS("consumer_capacity"), "w.consumer_capacity"),
    *((column, f"s.{column.name}") for column in _measured("scores")),
    *((_SCORES(name), f"s.{name}") for name in GAPS),
    (_LATENCY("n_samples"), "l.n_samples"),
    (_LATENCY("n_positive"), "l.n_positive"),
    (DELAYED_SHARE, "CAST(l.n_positive AS DOUBLE) / nullif(l.n_samples, 0)"),
    *((column, f"l.{column.name}") for column in _measured("latency")),
)

VIEW = View(
    name="per_stream",
    meaning="Cost of an algorithm on a stream in consumers, rebalancing and latency, with the "
    "properties of the stream and its run.",
    grain="run, stream and algorithm",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "stream_id", "algorithm"),
    reads=("runs", "streams", "scores", "latency"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM scores s
JOIN latency l
  ON l.run_id = s.run_id AND l.stream_id = s.stream_id AND l.algorithm = s.algorithm
JOIN streams w ON w.run_id = s.run_id AND w.stream_id = s.stream_id
JOIN runs r ON r.run_id = s.run_id""",
)
