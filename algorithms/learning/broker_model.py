"""One decision interval of a cluster of brokers: latency, rewards and the 37 metrics.

All functions take ``xp``, the module that computes: NumPy, or JAX's counterpart of it in training.
So both run the same formulas. Arguments broadcast; they have any shape (...).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from algorithms.learning import measured_curve
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import MEASURED

PENALTIES = {
    "violations": ((2.0, 1.5, 1.0, 0.5, 0.1), (2.0, 1.5, 1.0, 0.25, 0.1)),
    "weighted": ((2.0, 1.5, 1.0, 0.5, 0.0), (1.0, 0.8, 0.6, 0.4, 0.2)),
}
"""Brackets of rewards 2 and 3, worst first: relative excess over the objective, and penalty. In
reward 2 it is in units of C, in reward 3 of its weight."""

_KINDS = ("produce", "fetch_consumer", "fetch_follower")
_BASIC = (
    "cpu",
    "bytes_in",
    "bytes_out",
    "messages_in",
    "messages_out",
    "response_queue_ms",
    "produce_requests",
    "requests",
    "purgatory",
)
METRICS = (
    "brokers",
    *(f"{name}_{part}" for name in _BASIC for part in ("mean", "p95")),
    *(
        f"{kind}_{name}"
        for kind in _KINDS
        for name in (
            "total_ms_mean",
            "total_ms_p95",
            "request_queue_ms_mean",
            "request_queue_ms_p95",
            "local_ms",
            "remote_ms",
        )
    ),
)
"""Names of the 37 metrics, in the order of observations."""


class Interval(NamedTuple):
    """What an interval brought, all of shape (...)."""

    brokers: Any
    """Brokers after the action."""
    moved: Any
    """Whether the action changed their number."""
    mean_ms: Any
    p95_ms: Any
    """`mean_ms`, `p95_ms`: mean and nearest-rank 95th percentile of the scraped latencies, ms."""


def ranges(settings: BrokerSettings) -> tuple[float, ...]:
    """Number by which each of the 37 metrics is divided under the scaling ``ranges``.

    >>> ranges(BrokerSettings())[:4]
    (11.0, 1.0, 1.0, 2000000.0)
    """
    *basic, times = settings.metric_ranges
    twice = (scale for scale in basic for _ in range(2))
    return (float(settings.max_brokers), *twice, *(times for _ in range(6 * len(_KINDS))))


def latency_ms(settings: BrokerSettings, brokers: Any, load: Any, xp: Any) -> Any:
    """Median latency of a number of brokers under a load, ms."""
    if settings.curve == MEASURED:
        return measured_curve.latency_ms(brokers, load, xp)
    spare = xp.maximum(brokers - settings.saturation * load, settings.least_spare)
    return settings.base_ms + settings.queue_ms * load / spare


def interval(
    settings: BrokerSettings, brokers: Any, action: Any, load: Any, noise: Any, xp: Any
) -> Interval:
    """Carry out an action and let the interval pass.

    brokers, action, load: Brokers before, 0 to remove one, 1 to keep them, 2 to add one; load of
        the step.
    noise: ``[..., scrapes]``, the factor of each scraped latency.
    """
    after = xp.clip(brokers + action - 1, settings.min_brokers, settings.max_brokers)
    moved = after != brokers
    factor = xp.where(moved, settings.disturbance, 1.0)
    first = (latency_ms(settings, brokers, load, xp) * factor)[..., None]
    last = latency_ms(settings, after, load, xp)[..., None]
    k = settings.scrapes_changing
    samples = xp.concatenate([first * noise[..., :k], last * noise[..., k:]], axis=-1)
    return Interval(after, moved, samples.mean(axis=-1), samples.max(axis=-1))


def objective_ms(settings: BrokerSettings, reward: str) -> float:
    """Bound of the 95th percentile; reward 1 has none and is judged by that of reward 2."""
    weighted = reward == "weighted"
    return settings.slo_weighted_ms if weighted else settings.slo_violations_ms


def reward_of(settings: BrokerSettings, reward: str, brokers: Any, p95_ms: Any, xp: Any) -> Any:
    """Reward of an interval, from the brokers after the action and the 95th percentile."""
    fixed = fixed_reward(settings, reward, brokers)
    if reward == "count":
        return fixed
    over = p95_ms / objective_ms(settings, reward) - 1.0
    edges, penalties = PENALTIES[reward]
    penalty = xp.zeros_like(over)
    for edge, worth in reversed(tuple(zip(edges, penalties, strict=True))):
        penalty = xp.where(over >= edge if edge >= 0.5 else over > edge, worth, penalty)
    return fixed - penalty_weight(settings, reward) * penalty


def fixed_reward(settings: BrokerSettings, reward: str, brokers: Any) -> Any:
    """Part of the reward that depends on the number of brokers alone."""
    if reward == "count":
        return -1.0 * brokers
    if reward == "violations":
        return 0.0 * brokers
    width = max(settings.max_brokers - settings.min_brokers, 1)
    return -settings.weight_of_brokers * (brokers - settings.min_brokers) / width


def penalty_weight(settings: BrokerSettings, reward: str) -> float:
    """Factor of the penalties of rewards 2 and 3."""
    if reward == "violations":
        return settings.cost_of_violation
    return 1.0 - settings.weight_of_brokers


def metrics_of(settings: BrokerSettings, interval: Interval, load: Any, xp: Any) -> Any:
    """The 37 metrics of an interval, ``[..., 37]``, per broker, in the order of `METRICS`."""
    n, m, q = interval.brokers * 1.0, interval.mean_ms, interval.p95_ms
    records = settings.records_per_s * load / n
    copied = settings.replication * records
    cpu = xp.minimum(settings.saturation * load / n, 1.0)
    flows = (
        settings.record_bytes * copied,
        settings.record_bytes * copied,
        copied,
        copied,
    )
    peak, size = settings.metric_peak, settings.records_per_request
    values = [n, cpu, xp.minimum(peak * cpu, 1.0)]
    values += [part for flow in flows for part in (flow, peak * flow)]
    values += [settings.response_share * m, settings.response_share * q]
    values += [part for flow in (records, copied) for part in (flow / size, peak * flow / size)]
    values += [records * m / 1000.0, records * q / 1000.0]
    for total, queued, local in zip(
        settings.total_shares, settings.queue_shares, settings.local_shares, strict=True
    ):
        values += [total * m, total * q, total * queued * m, total * queued * q]
        # Shares that add up to 1 leave a little less than nothing.
        remote = max(1.0 - queued - local, 0.0)
        values += [total * local * m, total * remote * m]
    return xp.stack(xp.broadcast_arrays(*values), axis=-1)
