"""View `partition_loads`: what each partition of a stream receives."""

from schemas import shared_columns
from schemas.column_kinds import double, long
from schemas.tables import TABLES
from schemas.view import View, select
from schemas.views.stream_partitions import VIEW as PARTITIONS

_UNIT = "the stream's unit"

_COLUMNS = (
    (shared_columns.RUN_ID, "p.run_id"),
    (shared_columns.EXPERIMENT, "p.experiment"),
    (shared_columns.STREAM_ID, "p.stream_id"),
    (PARTITIONS.column("topic"), "p.topic"),
    (PARTITIONS.column("partition"), "p.partition"),
    (TABLES["streams"].column("unit"), "s.unit"),
    (long("iterations", "iterations", "Iterations at which the partition exists."), "l.iterations"),
    (
        double("mean_rate", _UNIT, "Mean over these iterations.", null="It never exists."),
        "l.mean_rate",
    ),
    (double("peak_rate", _UNIT, "Highest rate.", null="It never exists."), "l.peak_rate"),
)

VIEW = View(
    name="partition_loads",
    meaning="Rates of each partition over a stream.",
    grain="run, stream and partition",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "stream_id", "topic", "partition"),
    reads=("streams", "measurements", "stream_partitions"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT run_id, stream_id, entry.name AS name, count(entry.rate) AS iterations,
    avg(entry.rate) AS mean_rate, max(entry.rate) AS peak_rate
  FROM (
    SELECT run_id, stream_id, explode(entries) AS entry
    FROM (
      SELECT m.run_id, m.stream_id, rate_entries(s.partitions, m.rates) AS entries
      FROM measurements m JOIN streams s ON s.run_id = m.run_id AND s.stream_id = m.stream_id))
  GROUP BY run_id, stream_id, entry.name) l
JOIN stream_partitions p
  ON p.run_id = l.run_id AND p.stream_id = l.stream_id AND p.name = l.name
JOIN streams s ON s.run_id = l.run_id AND s.stream_id = l.stream_id""",
)
