"""Metrics of an algorithm: one list for terminal, report, MLflow, gate and views.

To add a metric, add its column to the contract of its table and an entry here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from schemas.contract_errors import ContractError


@dataclass(frozen=True, slots=True)
class Metric:
    """One number per experiment, δ and algorithm (or strategy), over the streams."""

    name: str
    """Column of view `results`, and name in `differences` and `history`."""
    table: Literal[
        "scores", "latency", "simulations", "live_runs", "live_latency", "learning_scores"
    ]
    column: str
    """`table`, `column`: location of the values per stream."""
    title: str
    """Display title."""
    head: str
    """Short column head, with its unit."""
    unit: str
    decimals: int | None
    """Digits after the decimal point; None for seconds, which have as many as needed."""
    averaging: Literal["mean", "median", "total", "maximum"]
    """How values of streams are combined: a percentile may be infinite on some streams, so
    latencies use the median."""
    tracked: str
    """Name in MLflow."""
    factor: float = 1.0
    """`unit`, `factor`: display unit, and the factor that converts stored values to it."""
    better: Literal["lower", "higher"] = "lower"
    """Which values are better."""
    interval: bool = False
    """Whether the table in `FRONTS` has an interval for it."""
    gated: bool = False
    """Whether the regression gate compares it."""
    followed: bool = True
    """Whether view `history` includes it."""

    @property
    def short(self) -> str:
        """The title up to its first colon."""
        return self.title.partition(":")[0]


def _percentile(name: str, which: str) -> Metric:
    return Metric(
        name=name,
        table="latency",
        column=name,
        title=f"latency of delayed data, {which}",
        head=f"{name} s",
        unit="s",
        decimals=None,
        averaging="median",
        tracked=f"latency_{name}_s",
        gated=True,
    )


METRICS: Final = (
    Metric(
        name="cbs",
        table="scores",
        column="cbs",
        title="CBS: consumers above the minimum",
        head="CBS %",
        unit="%",
        decimals=2,
        averaging="mean",
        tracked="cbs",
        factor=100.0,
        interval=True,
        gated=True,
    ),
    Metric(
        name="mean_rscore",
        table="scores",
        column="mean_rscore",
        title="mean Rscore: data moved per iteration, in capacities",
        head="Rscore",
        unit="C",
        decimals=2,
        averaging="mean",
        tracked="mean_rscore",
        interval=True,
        gated=True,
    ),
    Metric(
        name="mean_consumers",
        table="scores",
        column="mean_consumers",
        title="mean consumers",
        head="consumers",
        unit="",
        decimals=1,
        averaging="mean",
        tracked="mean_consumers",
        gated=True,
    ),
    Metric(
        name="mean_migrations",
        table="scores",
        column="mean_migrations",
        title="mean migrations per iteration",
        head="migrations",
        unit="",
        decimals=1,
        averaging="mean",
        tracked="mean_migrations",
    ),
    Metric(
        name="peak_consumers",
        table="scores",
        column="peak_consumers",
        title="peak consumers",
        head="peak",
        unit="",
        decimals=0,
        averaging="mean",
        tracked="peak_consumers",
        followed=False,
    ),
    Metric(
        name="rebalances_per_day",
        table="scores",
        column="rebalances_per_day",
        title="rebalances per day",
        head="rebalances/day",
        unit="per day",
        decimals=1,
        averaging="mean",
        tracked="rebalances_per_day",
        followed=False,
    ),
    Metric(
        name="moving_share",
        table="scores",
        column="moving_share",
        title="iterations at which a partition moves",
        head="moving %",
        unit="%",
        decimals=1,
        averaging="mean",
        tracked="moving_share",
        factor=100.0,
        followed=False,
    ),
    Metric(
        name="delayed_share",
        table="latency",
        column="share",
        title="delayed data",
        head="delayed %",
        unit="%",
        decimals=2,
        averaging="total",
        tracked="latency_share_above_zero",
        factor=100.0,
    ),
    _percentile("p50", "median"),
    _percentile("p90", "90th percentile"),
    _percentile("p99", "99th percentile"),
    Metric(
        name="max",
        table="latency",
        column="max",
        title="latency of delayed data, maximum",
        head="max s",
        unit="s",
        decimals=None,
        averaging="maximum",
        tracked="latency_max_s",
        followed=False,
    ),
)
"""Metrics of an algorithm on assignment, in the order of display."""


def _of_strategy(
    name: str, column: str, title: str, head: str, unit: str, decimals: int | None, **others: Any
) -> Metric:
    """Metric of an autoscaling strategy: `trade_offs` has every mean, with its interval."""
    averaging = others.pop("averaging", "mean")
    return Metric(
        name=name,
        table="simulations",
        column=column,
        title=title,
        head=head,
        unit=unit,
        decimals=decimals,
        averaging=averaging,
        tracked=name,
        interval=averaging == "mean",
        gated=averaging in ("mean", "median"),
        followed=False,
        **others,
    )


SCALING: Final = (
    _of_strategy(
        "sla_percent",
        "sla_percent",
        "events within the SLA",
        "SLA %",
        "%",
        2,
        better="higher",
    ),
    _of_strategy(
        "replica_minutes",
        "replica_minutes",
        "replica-minutes: paid replicas over time",
        "replica-min",
        "",
        1,
    ),
    _of_strategy(
        "partitions_moved",
        "partitions_moved",
        "partitions moved by rebalances",
        "moved",
        "",
        1,
    ),
    _of_strategy(
        "latency_p99",
        "p99",
        "latency of all events, 99th percentile",
        "p99 s",
        "s",
        None,
        averaging="median",
    ),
    _of_strategy(
        "latency_max",
        "max",
        "latency of all events, maximum",
        "max s",
        "s",
        None,
        averaging="maximum",
    ),
)
"""Metrics of an autoscaling strategy, in the order of display."""


def _of_live(
    name: str,
    table: Literal["live_runs", "live_latency"],
    column: str,
    title: str,
    head: str,
    decimals: int | None,
    averaging: Literal["mean", "median", "maximum"] = "median",
) -> Metric:
    """Metric of a strategy on a broker. Measurements differ from run to run: none is gated."""
    return Metric(
        name=name,
        table=table,
        column=column,
        title=title,
        head=head,
        unit="s" if decimals is None else "",
        decimals=decimals,
        averaging=averaging,
        tracked=name,
        followed=False,
    )


LIVE: Final = (
    _of_live(
        "live_consumers", "live_runs", "mean_consumers", "consumers in use", "consumers", 2, "mean"
    ),
    _of_live(
        "live_moves", "live_runs", "moves", "partitions moved on the broker", "moved", 1, "mean"
    ),
    _of_live("live_p50", "live_latency", "p50", "latency of all records, median", "p50 s", None),
    _of_live(
        "live_p90", "live_latency", "p90", "latency of all records, 90th percentile", "p90 s", None
    ),
    _of_live(
        "live_p99", "live_latency", "p99", "latency of all records, 99th percentile", "p99 s", None
    ),
    _of_live(
        "live_max",
        "live_latency",
        "max",
        "latency of all records, maximum",
        "max s",
        None,
        "maximum",
    ),
)
"""Metrics of a strategy on a broker, in the order of display."""


def _of_agent(
    name: str,
    column: str,
    title: str,
    head: str,
    unit: str,
    decimals: int,
    better: Literal["lower", "higher"] = "lower",
    factor: float = 1.0,
) -> Metric:
    """Metric of a learning agent, over its seeds."""
    return Metric(
        name=name,
        table="learning_scores",
        column=column,
        title=title,
        head=head,
        unit=unit,
        decimals=decimals,
        averaging="mean",
        tracked=name,
        better=better,
        factor=factor,
        followed=False,
    )


LEARNING: Final = (
    _of_agent(
        "learning_share", "share", "seeds that succeed", "succeed %", "%", 0, "higher", 100.0
    ),
    _of_agent(
        "learning_score",
        "score",
        "score: 0 random, 1 optimal; interquartile mean",
        "score",
        "",
        2,
        "higher",
    ),
    _of_agent("learning_brokers", "brokers", "brokers at the end", "brokers", "", 1),
    _of_agent(
        "learning_over_slo", "over_slo_percent", "intervals over the objective", "over %", "%", 1
    ),
    _of_agent("learning_moves", "moves", "changes of the brokers per episode", "changes", "", 1),
)
"""Metrics of a learning agent, in the order of display."""

ALL: Final = (*METRICS, *SCALING, *LIVE, *LEARNING)
"""Metrics of all families."""

FRONTS: Final = {"scores": "pareto", "simulations": "trade_offs"}
"""Table with the means and intervals of the metrics of a table."""


def metric(name: str) -> Metric:
    """The metric of a name. Raises ContractError if there is none."""
    for item in ALL:
        if item.name == name:
            return item
    known = ", ".join(item.name for item in ALL)
    raise ContractError(f"metric {name!r} is unknown: must be one of {known}")


def gated(averaging: str, among: Sequence[Metric] = ALL) -> tuple[str, ...]:
    """Names of the metrics that the gate compares, of one way of averaging."""
    return tuple(item.name for item in among if item.gated and item.averaging == averaging)
