"""View `strategy_results`: what an autoscaling strategy costs, in one row."""

from dataclasses import replace

from schemas.column import Column
from schemas.metrics import SCALING
from schemas.tables import TABLES
from schemas.tables.autoscaling import simulations
from schemas.view import View, select

_RUNS, _TRADE_OFFS, _SIMULATIONS = (
    TABLES[name].column for name in ("runs", "trade_offs", "simulations")
)
_MEDIANS = {metric.column: metric.name for metric in SCALING if metric.averaging == "median"}
_NO_METRICS = ("p50", "p999")
_LATENCIES = {
    column.name: _MEDIANS.get(column.name, f"latency_{column.name}")
    for column in TABLES["simulations"].columns
    if column.name in (*_MEDIANS, *_NO_METRICS)
}
"""Columns of `simulations` whose medians are shown, with their names here."""

_MAXIMA = {metric.column: metric.name for metric in SCALING if metric.averaging == "maximum"}
_FIRST = ("run_id", "experiment", "workload", "strategy", "setting", "replicates")


def _median(stored: Column, name: str) -> Column:
    what = f"Median over the streams of simulations.{stored.name}"
    return replace(
        stored, name=name, meaning=f"{what} (the lower middle value if their number is even)."
    )


def _maximum(stored: Column, name: str) -> Column:
    what = "latency" if stored.name in simulations.LATENCIES else f"simulations.{stored.name}"
    missing = "No stream has events." if stored.nullable else ""
    return replace(stored, name=name, meaning=f"Highest {what} on any stream.", null_means=missing)


_SHOWN = [c.name for c in TABLES["trade_offs"].columns if c.name not in _FIRST]
_COLUMNS = (
    (_RUNS("run_id"), "t.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *((_TRADE_OFFS(name), f"t.{name}") for name in _FIRST if name != "run_id"),
    *((_SIMULATIONS(name), f"m.{name}") for name in simulations.SETTINGS),
    *((_TRADE_OFFS(name), f"t.{name}") for name in _SHOWN),
    *((_median(_SIMULATIONS(of), name), f"m.{name}") for of, name in _LATENCIES.items()),
    *((_maximum(_SIMULATIONS(of), name), f"m.{name}") for of, name in _MAXIMA.items()),
)

_MIDDLES = ", ".join(
    f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {of}) AS {name}"
    for of, name in _LATENCIES.items()
)
_GREATEST = ", ".join(f"max({of}) AS {name}" for of, name in _MAXIMA.items())
_SETTINGS = ", ".join(f"max({name}) AS {name}" for name in simulations.SETTINGS)

VIEW = View(
    name="strategy_results",
    meaning="Service and cost of an autoscaling strategy with its parameters, averaged over the "
    "streams of an experiment, with the settings of the group.",
    grain="run, experiment and strategy with its parameters",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "experiment", "strategy", "setting"),
    reads=("trade_offs", "runs", "simulations"),
    # All streams of a strategy and setting have the same group.
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM trade_offs t
JOIN runs r ON r.run_id = t.run_id
JOIN (
  SELECT run_id, experiment, strategy, setting, {_SETTINGS},
    {_MIDDLES}, {_GREATEST}
  FROM simulations GROUP BY run_id, experiment, strategy, setting
) m
  ON m.run_id = t.run_id AND m.experiment = t.experiment
  AND m.strategy = t.strategy AND m.setting = t.setting""",
)
