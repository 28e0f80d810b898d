"""View `history`: each metric from run to run."""

from collections.abc import Iterable

from schemas.column import Column
from schemas.column_kinds import double, ends, flag, text
from schemas.metric import Metric
from schemas.metrics import METRICS
from schemas.view import View
from schemas.views.results import VIEW as RESULTS

_METRICS = tuple(metric for metric in METRICS if metric.followed)

_FIRST = "First run of its preset that has this metric."
_AS_UNIT = "as column unit says"


def _same(name: str, meaning: str) -> Column:
    return flag(name, meaning, null=_FIRST)


_COLUMNS = (
    *(
        RESULTS.column(name)
        for name in ("run_id", "preset", "created_at", "experiment", "delta", "algorithm")
    ),
    text("metric", "Column of results.", tuple(metric.name for metric in _METRICS)),
    text("unit", "Unit of value."),
    double(
        "value",
        _AS_UNIT,
        "Value of the metric in the run.",
        None,
        infinite=True,
        null="The metric is delayed_share and the run has no latency samples.",
    ),
    *ends(
        "",
        _AS_UNIT,
        "the 95 % bootstrap interval of value over streams",
        null="Fewer than 2 streams, or a metric without an interval.",
    ),
    text("previous_run_id", "Previous published run of the preset with this metric.", null=_FIRST),
    double(
        "previous_value",
        _AS_UNIT,
        "Value in the previous run.",
        None,
        infinite=True,
        null=f"{_FIRST} Or value was null in the previous run.",
    ),
    _same(
        "same_configuration", "Whether both runs have the same configuration, including the seed."
    ),
    _same("same_versions", "Whether both runs have the same versions of code and packages."),
)


def _rows(metrics: Iterable[Metric]) -> str:
    """Turn columns into rows, as Spark and DuckDB both understand."""
    parts = []
    for metric in metrics:
        low = f"{metric.name}_low" if metric.interval else "NULL"
        high = f"{metric.name}_high" if metric.interval else "NULL"
        unit = RESULTS.column(metric.name).unit
        parts.append(
            f"SELECT run_id, experiment, delta, algorithm, '{metric.name}' AS metric, "
            f"'{unit}' AS unit, {metric.name} AS value, CAST({low} AS DOUBLE) AS low, "
            f"CAST({high} AS DOUBLE) AS high FROM results"
        )
    return "\n  UNION ALL ".join(parts)


VIEW = View(
    name="history",
    meaning="Each metric of results from run to run of a preset, with its value in the previous "
    "run. Values should be equal if configuration and versions are the same.",
    grain="run, experiment, delta, algorithm and metric",
    columns=_COLUMNS,
    key=("run_id", "experiment", "delta", "algorithm", "metric"),
    reads=("runs", "results"),
    sql=f"""\
SELECT h.run_id, r.preset, r.created_at, h.experiment, h.delta, h.algorithm,
  h.metric, h.unit, h.value, h.low, h.high,
  lag(h.run_id) OVER by_time AS previous_run_id,
  lag(h.value) OVER by_time AS previous_value,
  lag(r.config) OVER by_time = r.config AS same_configuration,
  lag(r.versions) OVER by_time = r.versions AS same_versions
FROM (
  {_rows(_METRICS)}
) h
JOIN runs r ON r.run_id = h.run_id
WINDOW by_time AS (
  PARTITION BY r.preset, h.experiment, h.delta, h.algorithm, h.metric
  ORDER BY r.created_at, h.run_id
)""",
)
