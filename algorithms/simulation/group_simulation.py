"""Simulation of one consumer group that a strategy scales."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from algorithms.assignment.assignors import check_sizes
from algorithms.autoscaling import Strategy, registry
from algorithms.autoscaling.collection_checks import check_mapping, shortened
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_result import Detailed, Result
from algorithms.simulation.group_settings import (
    check_settings,
    check_totals,
    check_workload,
)
from algorithms.simulation.incident_times import Incident


def simulate(
    rates: Floats,
    strategy: str | Strategy,
    arguments: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    topics: Sequence[int] | None = None,
) -> Result:
    """Simulate a consumer group that an autoscaling strategy scales.

    rates: float64[N, P], rates in events/s, finite and at least 0: a row per step, a column per
        partition.
    strategy: A name of `algorithms.autoscaling.registry`, or a strategy.
    settings: Settings of the group that differ from the defaults; see
        `algorithms.simulation.group_settings.GroupSettings`. Those that are the strategy's own
        (`Strategy.group`) replace them.
    topics: Partitions of each topic that the group reads, in column order: columns are sorted by
        the name of the topic, then by the partition's number. Default: one topic.
    Raises UnknownAlgorithmError if the strategy is unknown; the message lists the known ones.
    Raises InvalidParameterError before the simulation has begun.

    Events are a fluid. A consumer shares its rate among the partitions it serves by max-min
    fairness; rates change where a lag reaches 0, a step begins, or a partition's service starts or
    stops, and are constant in between. Curves of arrivals and departures are straight from one such
    instant to the next, so the latency of the event at level ``x``,
    ``D^-1(x) - A^-1(x) + 1 / (2 mu)``, is spread evenly over an interval. All latency figures are
    exact sums over these intervals. For bursts of whole events and constant replicas, the mean is
    that of a simulation event by event.

    At one instant, group events come before the decision, and the decision before the burst.
    Decisions are made before the end of step N. Then waiting events drain, and the action under way
    is completed. Nothing depends on the order of a hash: where Kafka iterates over a map of
    members, they are taken by ascending id.

    O(N P) time without lag; with lag, O(log P) more per partition and step, and O(P) more for each
    lag that reaches 0 while events arrive evenly. Memory is O(N P), beyond which at most 100 MB of
    latencies are stored: if there are more, the run is repeated with a closer look at the
    percentiles.

    One consumer is too slow for the first two steps. The second one, which joins after a rebalance,
    takes one partition over.

    >>> import numpy as np
    >>> rates = np.array([[150.0, 150.0], [150.0, 150.0], [20.0, 20.0]])
    >>> settings = {"startup_s": 0.0, "heartbeat_s": 0.5, "max_poll_records": 0}
    >>> result = simulate(rates, "linear", settings=settings)
    >>> result.replicas.tolist(), result.n_up, result.partitions_moved
    ([1, 2, 2], 1, 1)
    >>> round(result.peak_lag, 3), round(result.sla_percent, 3)
    (180.0, 80.547)
    """
    return simulate_in_detail(rates, strategy, arguments, settings, topics).result


def simulate_in_detail(
    rates: Floats,
    strategy: str | Strategy,
    arguments: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    topics: Sequence[int] | None = None,
    *,
    has_percentiles: bool = True,
    incidents: Sequence[Incident] = (),
) -> Detailed:
    """Simulate a group as `simulate` does, and return its steps and actions with its figures.

    rates, strategy, arguments, settings, topics: As for `simulate`.
    has_percentiles, incidents: As for `algorithms.simulation.group_run.run_group`.
    """
    workload = check_workload(rates)
    sizes = check_sizes(topics, workload.shape[1])
    policy = _strategy(strategy)
    own = {} if arguments is None else dict(check_mapping("arguments", arguments, "values"))
    unchecked = {} if settings is None else dict(check_mapping("settings", settings, "values"))
    whole = policy.settings_of_group(unchecked)
    checked = check_settings(whole, workload.shape[1], policy.decision_s, policy.observe)
    check_totals(workload, checked)
    from algorithms.simulation.group_run import run_group

    return run_group(
        workload, policy, own, checked, sizes, has_percentiles=has_percentiles, incidents=incidents
    )


def _strategy(strategy: object) -> Strategy:
    if isinstance(strategy, str):
        return registry.get(strategy)
    if not isinstance(strategy, Strategy):
        raise InvalidParameterError(
            f"strategy must be a name or a Strategy (got {shortened(strategy)})"
        )
    return strategy
