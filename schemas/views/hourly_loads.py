"""View `hourly_loads`: what a stream with a clock receives by the hour of the day."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, long
from schemas.tables import TABLES
from schemas.view import View, select

_UNIT = "the stream's unit"

_COLUMNS = (
    (shared_columns.RUN_ID, "run_id"),
    (shared_columns.EXPERIMENT, "experiment"),
    (shared_columns.STREAM_ID, "stream_id"),
    (TABLES["streams"].column("unit"), "unit"),
    (integer("hour", "h", "Hour of the day, UTC.", 0, 23), "hour"),
    (
        long("iterations", "iterations", "Iterations that begin in this hour, of all days.", 1),
        "count(*)",
    ),
    (
        double("mean_rate", _UNIT, "Rate of all partitions, mean over these iterations."),
        "avg(total)",
    ),
    (double("peak_rate", _UNIT, "Highest rate of all partitions."), "max(total)"),
)

VIEW = View(
    name="hourly_loads",
    meaning="Rate of each recording with a clock by the hour of the day.",
    grain="run, stream and hour",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "stream_id", "hour"),
    reads=("streams", "measurements"),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT s.run_id, s.experiment, s.stream_id, s.unit, sum_of(m.rates) AS total,
    CAST(floor((epoch(s.started_at) + (m.iteration - 1) * s.step_s) / 3600) % 24 AS INT) AS hour
  FROM measurements m JOIN streams s ON s.run_id = m.run_id AND s.stream_id = m.stream_id
  WHERE s.started_at IS NOT NULL)
GROUP BY run_id, experiment, stream_id, unit, hour""",
)
