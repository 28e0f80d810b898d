"""View `live_results`: what a strategy did on a broker, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.column_kinds import long
from schemas.metric import Metric
from schemas.metrics import LIVE
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _LIVE_RUNS, _LATENCY = (
    TABLES[name].column for name in ("runs", "live_runs", "live_latency")
)
_SETTINGS = (
    *("mode", "speeds", "n_partitions", "n_iterations", "iteration_seconds"),
    *("capacity", "consumer_rate", "record_bytes", "nodes"),
)
_WORDS = {
    "mean": "Mean over the streams of {}.",
    "median": "Median over the streams of {} (the lower middle value if their number is even).",
    "maximum": "Highest value of {} on any stream.",
}
_SQL = {
    "mean": "avg(CAST({} AS DOUBLE))",
    "median": "percentile_disc(0.5) WITHIN GROUP (ORDER BY {})",
    "maximum": "max({})",
}


def _column(metric: Metric) -> Column:
    stored = (_LIVE_RUNS if metric.table == "live_runs" else _LATENCY)(metric.column)
    what = f"{metric.table}.{metric.column}"
    meaning = _WORDS[metric.averaging].format(what)
    return replace(
        stored, name=metric.name, type="double", meaning=meaning, minimum=0, measured=False
    )


def _value(metric: Metric) -> str:
    place = "l" if metric.table == "live_runs" else "w"
    return _SQL[metric.averaging].format(f"{place}.{metric.column}")


_STREAMS = long("streams", "streams", "Streams on which the strategy ran.", 1)
_DIFFERS = long("quantities_differing", "quantities", "Quantities in live_agreement that differ.")

_COLUMNS = (
    (_RUNS("run_id"), "m.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    (_LIVE_RUNS("experiment"), "m.experiment"),
    (_LIVE_RUNS("strategy"), "m.strategy"),
    (_STREAMS, "m.streams"),
    *((_LIVE_RUNS(name), f"m.{name}") for name in _SETTINGS),
    *((_column(metric), f"m.{metric.name}") for metric in LIVE),
    (_DIFFERS, "coalesce(a.quantities_differing, 0)"),
)

_VALUES = ", ".join(f"{_value(metric)} AS {metric.name}" for metric in LIVE)
_SAME = ", ".join(f"max(l.{name}) AS {name}" for name in _SETTINGS)

VIEW = View(
    name="live_results",
    meaning="What a strategy did on a Kafka broker, over the streams of an experiment.",
    grain="run, experiment and strategy",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "strategy"),
    reads=("runs", "live_runs", "live_latency", "live_agreement"),
    # All streams of an experiment have the same settings.
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (
  SELECT l.run_id, l.experiment, l.strategy, count(*) AS streams, {_SAME},
    {_VALUES}
  FROM live_runs l
  JOIN live_latency w
    ON w.run_id = l.run_id AND w.stream_id = l.stream_id AND w.strategy = l.strategy
  GROUP BY l.run_id, l.experiment, l.strategy
) m
JOIN runs r ON r.run_id = m.run_id
LEFT JOIN (
  SELECT run_id, experiment, strategy, count(*) AS quantities_differing
  FROM live_agreement WHERE verdict = 'differs' GROUP BY run_id, experiment, strategy
) a
  ON a.run_id = m.run_id AND a.experiment = m.experiment AND a.strategy = m.strategy""",
)
