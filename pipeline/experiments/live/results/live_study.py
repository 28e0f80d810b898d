"""One live experiment as report and terminal show it: strategies beside their predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from algorithms.inference.rank_correlation import kendall_tau
from pipeline.experiments.live.results import consumer_deaths, lag_by_second, load_by_consumer
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from schemas.tables.live.live_agreement import DIFFERS, LATENCIES, QUANTITIES

FIXED = ("kd_", "range_", "kafka_")
"""How names of fixed groups begin."""


class Quantity(NamedTuple):
    """A quantity of a strategy, over the streams of an experiment."""

    measured: float
    by_assignment: float
    by_queue: float
    """`measured`, `by_assignment`, `by_queue`: on the broker, by prediction A and by prediction B:
    means of counts, medians of latencies; NaN where there is none."""
    agrees: bool
    """Whether it differs from a prediction on no stream."""


class MeasuredStrategy(NamedTuple):
    """A strategy of an experiment."""

    strategy: str
    quantities: Mapping[str, Quantity]
    """By name; those without records are missing."""
    longest: float
    """Highest latency on any stream, s; NaN without records."""

    @property
    def consumers(self) -> float:
        """Mean number of consumers on the broker."""
        return self.quantities["consumers"].measured

    @property
    def p90(self) -> float:
        """90th percentile of latency on the broker, s; +inf without records."""
        quantity = self.quantities.get("p90")
        return math.inf if quantity is None else quantity.measured

    @property
    def is_fixed(self) -> bool:
        """Whether it is a group of fixed size."""
        return self.strategy.startswith(FIXED)


class Agreed(NamedTuple):
    """How many values agree with a prediction, and of how many."""

    agreeing: int
    of: int

    def __str__(self) -> str:
        return f"{self.agreeing} of {self.of}"


class Study(NamedTuple):
    """An experiment."""

    name: str
    setting: Mapping[str, Any]
    """Its configuration."""
    outcomes: Sequence[MeasuredStrategy]
    """Its strategies, in the order of the configuration."""
    agreement: pd.DataFrame
    plans: pd.DataFrame
    integrity: pd.DataFrame
    runs: pd.DataFrame
    """`agreement`, `plans`, `integrity`, `runs`: its rows of these tables."""
    recoveries: pd.DataFrame
    """Its rows of `live_recoveries`."""
    deaths: Sequence[float] = ()
    """Times until the partitions of a consumer that died were started elsewhere, s."""
    over_time: pd.DataFrame = pd.DataFrame(columns=["strategy", "second", "lag", "consumers"])
    """Lag and consumers by strategy and second; see
    `pipeline.experiments.live.results.lag_by_second`."""
    loads: pd.DataFrame = pd.DataFrame(columns=["strategy", "second", "owner", "speed"])
    """What each consumer is sent of groups whose assignor asks; see
    `pipeline.experiments.live.results.load_by_consumer`."""
    courses: pd.DataFrame = pd.DataFrame(columns=["strategy", "second", "consumers", "longest_s"])
    """Rows of `live_courses` of the first stream."""

    @property
    def ranked(self) -> list[MeasuredStrategy]:
        """Strategies, the lowest 90th percentile of latency first."""
        return sorted(self.outcomes, key=lambda one: (one.p90, one.consumers, one.strategy))

    @property
    def words(self) -> str:
        """Streams and group, for readers."""
        own, space = self.setting, numbers.SPACE
        streams = f"{own['replicates']} stream{'s' if own['replicates'] > 1 else ''}"
        if own["delta"] is not None:
            streams = f"δ = {own['delta']:g}{space}%, {streams}"
        elif own.get("profile"):
            streams = f"profile {own['profile']}, {streams}"
        elif own["scale"] != 1.0:
            streams = f"a recorded trace × {own['scale']:g}"
        else:
            streams = "a recorded trace"
        return (
            f"{own['partitions']} partitions, {own['iterations']} iterations of "
            f"{own['iteration_seconds']:g}{space}s, {streams}, "
            f"{own['speeds']} speeds, {own['mode']} consumers of "
            f"{own['consumer_rate'] / 1000:g}{space}kB/s"
        )

    @property
    def tau(self) -> float:
        """Kendall's τ of the rankings by the 90th percentile: the broker's and prediction A's."""
        quantities = [one.quantities["p90"] for one in self.outcomes if "p90" in one.quantities]
        both = [one for one in quantities if not math.isnan(one.by_assignment)]
        return kendall_tau([q.measured for q in both], [q.by_assignment for q in both])

    def agreed(self, which: str, quantities: Sequence[str] = LATENCIES) -> Agreed:
        """Values of all streams that agree with prediction ``a`` or ``b``."""
        rows = self.agreement[self.agreement["quantity"].isin(quantities)]
        rows = rows[rows[f"tolerance_{which}"].notna()]
        return Agreed(int(within(rows, which).sum()), len(rows))

    @property
    def damaged(self) -> int:
        """Records that were lost, processed twice or out of order."""
        return int(self.integrity[["lost", "twice", "out_of_order"]].to_numpy().sum())

    @property
    def records(self) -> int:
        """Records that were processed."""
        return int(self.integrity["read"].sum())

    @property
    def unread(self) -> str:
        """A sentence on strategies that left records unprocessed; empty if none did."""
        left = (self.runs["sent"] - self.runs["read"]).groupby(self.runs["strategy"]).sum()
        named = [f"{strategy} {numbers.count(n)}" for strategy, n in left[left > 0].items()]
        if not named:
            return ""
        return (
            f"Records that were not processed in time, and are in no latency: {', '.join(named)}."
        )


def studies(results: Results) -> list[Study]:
    """All experiments with results, in the run's order."""
    ordered = []
    for name, setting in results.experiments.items():
        own = results.at(name)
        agreement = own["live_agreement"]
        if agreement.empty:
            continue
        order = ["strategy", "stream_id"]
        outcomes = [
            MeasuredStrategy(
                strategy,
                _quantities(agreement[agreement["strategy"] == strategy]),
                _longest(own.at(name, strategy=strategy)["live_latency"]),
            )
            for strategy in setting["strategies"]
            if (agreement["strategy"] == strategy).any()
        ]
        ordered.append(
            Study(
                name,
                setting,
                outcomes,
                agreement.sort_values([*order, "quantity"], kind="stable"),
                own["live_plans"].sort_values([*order, "plan"], kind="stable"),
                own["live_integrity"],
                own["live_runs"].sort_values(order, kind="stable"),
                own["live_recoveries"],
                consumer_deaths.answers(own["live_events"]),
                own[lag_by_second.TABLE].sort_values(["strategy", "second"], kind="stable"),
                own[load_by_consumer.TABLE],
                _of_first(own["live_courses"]),
            )
        )
    return ordered


def _of_first(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of the first stream, in order."""
    first = rows[rows["stream_id"] == rows["stream_id"].min()] if len(rows) else rows
    return first.sort_values(["strategy", "second"], kind="stable")


def within(rows: pd.DataFrame, which: str) -> pd.Series:
    """Whether each row is within the tolerance of prediction ``a`` or ``b``."""
    error = rows[f"error_{which}"].astype(float).abs()
    return error <= rows[f"tolerance_{which}"].astype(float)


def _quantities(rows: pd.DataFrame) -> dict[str, Quantity]:
    quantities = {}
    for name in QUANTITIES:
        own = rows[rows["quantity"] == name]
        if own.empty:
            continue
        measured, by_assignment, by_queue = (
            _middle(own[column].astype(float), name in LATENCIES)
            for column in ("measured", "predicted_a", "predicted_b")
        )
        agrees = not bool((own["verdict"] == DIFFERS).any())
        quantities[name] = Quantity(measured, by_assignment, by_queue, agrees)
    return quantities


def _longest(rows: pd.DataFrame) -> float:
    return float(rows["max"].astype(float).max()) if len(rows) else math.nan


def _middle(values: pd.Series, is_latency: bool) -> float:
    """The median of latencies, the lower one of two; the mean of counts."""
    ordered = values.dropna().sort_values().to_numpy()
    if not len(ordered):
        return math.nan
    return float(ordered[(len(ordered) - 1) // 2] if is_latency else ordered.mean())
