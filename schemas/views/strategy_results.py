"""View `strategy_results`: what an autoscaling strategy costs, in one row."""

from schemas.column import Column
from schemas.tables import TABLES
from schemas.view import View, select

_RUNS, _TRADE_OFFS, _SIMULATIONS = (
    TABLES[name].column for name in ("runs", "trade_offs", "simulations")
)
_GROUP = ("source", "protocol", "arrivals", "assignor", "mu", "wsla_s", "startup_s", "rebalance_s")
_LATENCIES = ("p50", "p99", "p999")
_FIRST = ("run_id", "experiment", "workload", "strategy", "setting", "replicates")


def _median(name: str) -> Column:
    stored = _SIMULATIONS(name)
    return Column(
        f"latency_{name}",
        "double",
        f"Median over the streams of simulations.{name} (the lower middle value if their number is "
        "even).",
        stored.unit,
        nullable=True,
        null_means=stored.null_means,
        minimum=0,
        infinity_allowed=True,
    )


_WORST = Column(
    "latency_max",
    "double",
    "Highest latency on any stream.",
    "s",
    nullable=True,
    null_means="No stream has events.",
    minimum=0,
    infinity_allowed=True,
)

_SHOWN = [c.name for c in TABLES["trade_offs"].columns if c.name not in _FIRST]
_COLUMNS = (
    (_RUNS("run_id"), "t.run_id"),
    (_RUNS("preset"), "r.preset"),
    (_RUNS("created_at"), "r.created_at"),
    *((_TRADE_OFFS(name), f"t.{name}") for name in _FIRST if name != "run_id"),
    *((_SIMULATIONS(name), f"m.{name}") for name in _GROUP),
    *((_TRADE_OFFS(name), f"t.{name}") for name in _SHOWN),
    *((_median(name), f"m.latency_{name}") for name in _LATENCIES),
    (_WORST, "m.latency_max"),
)

_MIDDLES = ", ".join(
    f"percentile_disc(0.5) WITHIN GROUP (ORDER BY {name}) AS latency_{name}" for name in _LATENCIES
)
_SETTINGS = ", ".join(f"max({name}) AS {name}" for name in _GROUP)

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
    {_MIDDLES}, max(max) AS latency_max
  FROM simulations GROUP BY run_id, experiment, strategy, setting
) m
  ON m.run_id = t.run_id AND m.experiment = t.experiment
  AND m.strategy = t.strategy AND m.setting = t.setting""",
)
