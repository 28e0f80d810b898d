"""View `results`: what an algorithm costs at a volatility, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.column_kinds import double, long
from schemas.metric import Metric
from schemas.metrics import METRICS
from schemas.tables import TABLES
from schemas.tables.assignment import pareto
from schemas.tables.assignment.scores import GAPS
from schemas.view import View, select
from schemas.views.per_stream import DELAYED_SHARE
from schemas.views.per_stream import VIEW as PER_STREAM

_RUNS, _PARETO = (TABLES[name].column for name in ("runs", "pareto"))
_OF_STREAM = PER_STREAM.column


def _median(metric: Metric) -> Column:
    return double(
        metric.name,
        "s",
        f"Median over the streams of latency.{metric.column} (the lower middle value if their "
        "number is even). A stream without waiting data counts as 0 s; delayed_streams counts the "
        "others.",
        infinite=True,
    )


def _maximum(metric: Metric) -> Column:
    return double(
        metric.name,
        "s",
        "Highest latency on any stream.",
        above=0,
        infinite=True,
        null="No data waits on any stream.",
    )


def _middle(metric: Metric) -> str:
    """The median as `algorithms.inference.intervals.median` has it."""
    seen = f"coalesce({metric.column}, CAST(0 AS DOUBLE))"
    return f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {seen}) AS {metric.name}"


def _greatest(metric: Metric) -> str:
    return f"max({metric.column}) AS {metric.name}"


_SAMPLES = (
    long("n_samples", "samples", "Latency samples of all streams."),
    long("n_positive", "samples", "Latency samples above 0."),
)
_MEDIANS = tuple(metric for metric in METRICS if metric.averaging == "median")
_MAXIMA = tuple(metric for metric in METRICS if metric.averaging == "maximum")
_LATENCY = (
    long("delayed_streams", "streams", "Streams on which some data waits."),
    *(_median(metric) for metric in _MEDIANS),
    *(_maximum(metric) for metric in _MAXIMA),
)


def _mean(metric: Metric) -> Column:
    stored = TABLES["scores"].column(metric.column)
    mean = f"Mean of scores.{metric.column} over the streams"
    rounded = "rounded to 9 decimals because the last digits depend on row order"
    return replace(
        stored, name=metric.name, type="double", meaning=f"{mean}, {rounded}.", maximum=None
    )


_MEANS = tuple(
    metric
    for metric in METRICS
    if metric.table == "scores" and metric.column not in pareto.AVERAGED
)
_COLUMNS = (
    (_PARETO("run_id"), "p.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *((_PARETO(name), f"p.{name}") for name in ("experiment", "delta", "algorithm", "reference")),
    (_PARETO("replicates"), "p.replicates"),
    (_OF_STREAM("capacity"), "m.capacity"),
    (_OF_STREAM("consumer_capacity"), "m.consumer_capacity"),
    *((column, f"p.{column.name}") for column in pareto.MEANS),
    *((_mean(metric), f"m.{metric.name}") for metric in _MEANS),
    *((_OF_STREAM(name), f"m.{name}") for name in GAPS),
    *((column, f"m.{column.name}") for column in _SAMPLES),
    (DELAYED_SHARE, "CAST(m.n_positive AS DOUBLE) / nullif(m.n_samples, 0)"),
    *((column, f"m.{column.name}") for column in _LATENCY),
    (_PARETO("eligible"), "p.eligible"),
    (_PARETO("on_front"), "p.on_front"),
    (_PARETO("on_reference_front"), "p.on_reference_front"),
)

VIEW = View(
    name="results",
    meaning="Cost of an algorithm at a volatility, averaged over the streams of an experiment: "
    "scores with their intervals, median latencies, and whether the algorithm is non-dominated.",
    grain="run, experiment, delta and algorithm",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "delta", "algorithm"),
    reads=("pareto", "runs", "per_stream"),
    # Medians are exact, and means rounded, so that equal runs have equal rows. All streams of an
    # experiment have the same capacities.
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM pareto p
JOIN runs r ON r.run_id = p.run_id
JOIN (
  SELECT run_id, experiment, delta, algorithm,
    max(capacity) AS capacity, max(consumer_capacity) AS consumer_capacity,
    {", ".join(f"round(avg({metric.column}), 9) AS {metric.name}" for metric in _MEANS)},
    {", ".join(f"round(avg({name}), 9) AS {name}" for name in GAPS)},
    CAST(sum(n_samples) AS BIGINT) AS n_samples, CAST(sum(n_positive) AS BIGINT) AS n_positive,
    count(p90) AS delayed_streams,
    {", ".join((*map(_middle, _MEDIANS), *map(_greatest, _MAXIMA)))}
  FROM per_stream GROUP BY run_id, experiment, delta, algorithm
) m
  ON m.run_id = p.run_id AND m.experiment = p.experiment AND m.algorithm = p.algorithm
  AND m.delta IS NOT DISTINCT FROM p.delta""",
)
