"""Which algorithm to run on a recorded trace: the rule, for terminal, report and MLflow.

Algorithms are ranked by what they cost: the time of their consumers, plus a price for what they
move. The price is the consumer time that moving the load of one full consumer costs. By default it
is how long the moved data waits, in the latency model: the pause of a rebalance, and the time to
catch up afterwards. `Decision.ranges` says for which prices each algorithm is the cheapest.

Candidates are the algorithms that keep consumers within capacity, and the static assignments of
Kafka under which no data waits. Others are no candidates at any price.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from algorithms.assignment import registry
from algorithms.inference import pareto_front
from pipeline.experiments.assignment.results import left_out, studies
from pipeline.inputs.traces import suggested_command
from pipeline.warehouse.runs.run_results import Results

DAY_S = 86_400.0


class Option(NamedTuple):
    """What an algorithm costs on the recorded traces: means over the traces."""

    algorithm: str
    consumers: float
    peak: float
    """`consumers`, `peak`: mean and largest number of consumers in use."""
    rebalances: float
    """Iterations per day at which a partition moves."""
    moving_share: float
    """Share of the iterations at which a partition moves."""
    rscore: float
    """Load that moves per iteration, in consumer capacities."""
    cbs: float
    """Consumers above the fewest of the paper's twelve algorithms, as a share."""
    moved_bytes: float
    """Bytes per day that are written to partitions while they move."""
    late_share: float
    p90: float
    longest: float
    """`late_share`, `p90`, `longest`: share of the data that waits, and how long: 90th percentile
    of it, and maximum, s."""
    static: bool
    """Whether the number of consumers is fixed, and nothing ever moves."""
    candidate: bool
    """Whether it may be recommended."""
    on_front: bool = False
    """Whether no other candidate needs fewer consumers and moves less."""
    cost: float = math.inf
    """Consumers, plus what moves at the default price, in consumers; infinite for others than
    candidates."""


class Range(NamedTuple):
    """Prices, consumer seconds per full consumer moved, at which an option is the cheapest."""

    option: Option
    low_s: float
    high_s: float


class Decision(NamedTuple):
    """The answer for one experiment on recorded traces."""

    experiment: str
    options: tuple[Option, ...]
    """All algorithms, cheapest first; those that are no candidates follow, by how much waits."""
    best: Option
    """The cheapest candidate."""
    price_s: float
    """Default price, consumer seconds per full consumer moved."""
    ranges: tuple[Range, ...]
    """Cheapest options by ascending price, from 0 to infinity."""
    static: Option | None
    """The smallest static assignment tried under which no data waits."""
    tight: Option | None
    """The static assignment tried that is closest in size to ``best``, if another one."""
    streams: int
    """Number of traces."""
    recommend: str
    """Command that chooses the number of consumers too; empty for several traces."""
    hot: int = 0
    """Number of hot partitions: those that are faster than one consumer."""
    without_hot: Decision | None = None
    """The decision among the options of ``ranges`` and the static assignments on the traces without
    hot partitions; None if there are no hot ones, or no others."""

    @property
    def range(self) -> Range:
        """Prices at which ``best`` is the cheapest."""
        return next(one for one in self.ranges if one.option is self.best)


def decisions(results: Results) -> list[Decision]:
    """One per experiment on recorded traces; none where no algorithm is a candidate."""
    names = dict.fromkeys(results["pareto"]["experiment"])
    made = [decide(results, str(name)) for name in names if studies.is_recorded(results, name)]
    return [_with_cold(results, one) for one in made if one is not None]


def _with_cold(results: Results, decided: Decision) -> Decision:
    """The decision with the one without hot partitions, if there are any."""
    if left_out.RATES not in results.tables:
        return decided
    asked = [one.option for one in decided.ranges] + [one for one in decided.options if one.static]
    names = list(dict.fromkeys(one.algorithm for one in asked))
    cold = left_out.without(results, decided.experiment, names)
    return decided._replace(
        hot=left_out.count(results, decided.experiment),
        without_hot=None if cold is None else decide(cold, decided.experiment),
    )


def decide(results: Results, experiment: str) -> Decision | None:
    """Rank the algorithms of an experiment; None if none of them is a candidate."""
    setting = results.experiments.get(experiment)
    options = _options(results.at(experiment), setting) if setting else []
    candidates = [one for one in options if one.candidate]
    if not setting or not candidates:
        return None
    price_s, step_s = price(setting), float(setting["iteration_seconds"])
    front = _front(candidates)
    options = [
        one._replace(
            on_front=one.algorithm in front,
            cost=one.consumers + one.rscore * price_s / step_s if one.candidate else math.inf,
        )
        for one in options
    ]
    ranges = _ranges([one for one in options if one.candidate], step_s)
    best = next(one.option for one in ranges if price_s <= one.high_s)
    options.sort(key=lambda one: (one is not best, *_rank(one)))
    fixed = [one for one in options if one.static]
    enough = [one for one in fixed if one.candidate]
    near = min(fixed, key=lambda o: (abs(o.consumers - best.consumers), o.consumers), default=None)
    return Decision(
        experiment,
        tuple(options),
        best,
        price_s,
        tuple(ranges),
        min(enough, key=lambda one: one.consumers, default=None),
        None if near is best or near in enough else near,
        int(results.at(experiment)["streams"]["stream_id"].nunique()),
        _recommend(results, setting),
    )


def _recommend(results: Results, setting: Mapping[str, Any]) -> str:
    traces = results.config.get("traces", [])
    if len(traces) != 1:
        return ""
    name = str(traces[0]["path"])
    return suggested_command.recommendation(name, float(setting["consumer_capacity"]))


def price(setting: Mapping[str, Any]) -> float:
    """Default price of moving the load of one full consumer, in consumer seconds.

    The data of a partition that moves waits for the pause R of a rebalance, and until its consumer,
    which reads K and is loaded with C, has caught up: R K / (K - C), at most an iteration.

    setting: ``capacity``, ``consumer_capacity``, ``rebalance_seconds`` and ``iteration_seconds``.

    >>> price({"capacity": 100, "consumer_capacity": 125, "rebalance_seconds": 5,
    ...        "iteration_seconds": 60})
    25.0
    """
    pause, step = float(setting["rebalance_seconds"]), float(setting["iteration_seconds"])
    reads = float(setting["consumer_capacity"])
    spare = reads - float(setting["capacity"])
    return step if spare <= 0 else min(pause * reads / spare, step)


def _options(results: Results, setting: Mapping[str, Any]) -> list[Option]:
    waits: dict[str, Mapping[str, Any]] = {}
    if len(results["latency"]):
        rows = studies.summarise(results["latency"]).to_dict("records")
        waits = {str(row["algorithm"]): row for row in rows}
    columns = ["cbs", "mean_rscore", "mean_consumers"]
    columns += ["peak_consumers", "rebalances_per_day", "moving_share"]
    scores = results["scores"][["algorithm", *columns]]
    means = scores.astype(dict.fromkeys(columns, float)).groupby("algorithm").mean()
    return [_option(str(row.name), row, waits, setting) for _, row in means.iterrows()]


def _option(
    name: str, row: pd.Series, waits: Mapping[str, Mapping[str, Any]], setting: Mapping[str, Any]
) -> Option:
    wait = waits.get(name, {})
    static = registry.get(name).family == registry.STATIC
    samples, waiting = (float(wait.get(name, math.nan)) for name in ("n_samples", "n_positive"))
    late, rscore = waiting / samples if samples else 0.0, float(row["mean_rscore"])
    per_day = DAY_S / float(setting["iteration_seconds"])
    moved = rscore * float(setting["capacity"]) * float(setting["rebalance_seconds"]) * per_day
    return Option(
        algorithm=name,
        consumers=float(row["mean_consumers"]),
        peak=float(row["peak_consumers"]),
        rebalances=float(row["rebalances_per_day"]),
        moving_share=float(row["moving_share"]),
        rscore=rscore,
        cbs=float(row["cbs"]),
        moved_bytes=moved,
        late_share=late,
        p90=float(wait.get("p90", math.nan)),
        longest=float(wait.get("max", math.nan)),
        static=static,
        candidate=studies.is_packing(name) or late == 0,
    )


def _rank(option: Option) -> tuple[Any, ...]:
    """By cost; others than candidates by how much waits."""
    late = math.inf if math.isnan(option.late_share) else option.late_share
    return option.cost, late, registry.sort_key(option.algorithm)


def _front(candidates: Sequence[Option]) -> set[str]:
    points = np.array([(one.consumers, one.rscore) for one in candidates], dtype=np.float64)
    kept = pareto_front.non_dominated(points)
    return {one.algorithm for one, is_kept in zip(candidates, kept, strict=True) if is_kept}


def _ranges(candidates: Sequence[Option], step_s: float) -> list[Range]:
    """Walk along the lower hull of consumers and load moved, from the fewest consumers on."""
    current = min(candidates, key=lambda one: (one.consumers, one.rscore, _rank(one)))
    low = 0.0
    ranges: list[Range] = []
    while True:
        # The price at which another option that moves less becomes as cheap.
        less = [
            ((one.consumers - current.consumers) / (current.rscore - one.rscore) * step_s, one)
            for one in candidates
            if one.rscore < current.rscore
        ]
        if not less:
            return [*ranges, Range(current, low, math.inf)]
        high, following = min(less, key=lambda pair: (pair[0], pair[1].rscore, _rank(pair[1])))
        if high > low:
            ranges.append(Range(current, low, high))
        low, current = max(low, high), following
