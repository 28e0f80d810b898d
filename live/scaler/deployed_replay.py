"""Replicas of a group that follows the scaler's counts through KEDA and the pod autoscaler."""

from __future__ import annotations

from algorithms.assignment.assignors import check_sizes
from algorithms.autoscaling import candidates, strategies
from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_simulation import simulate_in_detail
from live.scaler import count_decisions
from live.scaler.scaler_settings import ScalerTarget
from pipeline.base.errors import InputError


def deployed_replicas(
    target: ScalerTarget,
    rates: Floats,
    step_s: float,
    look_s: float,
    replicas: int,
    sizes: tuple[int, ...] | None = None,
) -> Longs | None:
    """Paid replicas as each step ends; None for a strategy that has no deployed form.

    rates: float64[N, P], events/s in steps of ``step_s``.
    replicas: Replicas at the start.
    sizes: Partitions of each topic, in the order of the columns. Default: one topic.
    Raises InputError if the strategy or a setting is refused.

    They are those that `simulate` gives for ``keda_http:STRATEGY``, with the scaler's looks, and
    KEDA's own times by default.
    """
    one = count_decisions.check(target, look_s)
    if one.strategy in strategies.NOT_DEPLOYED:
        return None
    each = target.members_per_replica or 1
    name = f"{strategies.FORMS[0]}:{one.strategy}"
    try:
        topics = check_sizes(sizes, rates.shape[1])
        own = count_decisions.settings_of(target, one, look_s, topics, replicas, each, step_s)
        idle = {"activation": target.activation, "quiet_s": target.cooldown_s}
        form = candidates.candidate(name, **{**dict(one.parameters), "look_s": look_s, **idle})
        settings = {
            "mu": target.mu,
            "min_replicas": min(own.min_replicas // each, target.min_replicas),
            "max_replicas": own.max_replicas // each,
            "initial_replicas": own.initial_replicas // each,
            "step_s": step_s,
            **form.settings,
        }
        detailed = simulate_in_detail(
            rates, form.strategy, form.arguments, settings, topics, has_percentiles=False
        )
    except AlgorithmError as error:
        raise InputError(f"`strategy` {target.strategy}: {error}") from None
    return detailed.trajectory.replicas
