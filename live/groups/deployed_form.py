"""A deployed form in a live run: its strategy, its pod autoscaler, and the bounds of its group."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.hpa import HorizontalPodAutoscaler
from algorithms.simulation.broker_group import BrokerGroup
from algorithms.simulation.group_settings import GroupSettings
from live.live_settings import LiveSettings
from pipeline.inputs.policies import strategy_policies

_OF_STRATEGY = ("decision_s",)
"""Settings of the group that the scaler's strategy takes as they are written."""


class DeployedForm(NamedTuple):
    """All times are by the strategies' clock, of which a second lasts T / 30 s."""

    group: BrokerGroup
    candidate: Candidate
    settings: GroupSettings
    """Settings of the group, which begins with what the first iteration needs at C."""
    peak: int
    """Members that the greatest total rate of the run needs at C: those of KEDA's fallback."""

    def argument(self, name: str) -> Any:
        """An argument of the form, or its default."""
        default = registry.get(self.candidate.strategy).arguments[name]
        return self.candidate.arguments.get(name, default)

    @property
    def trigger(self) -> str:
        """What KEDA asks, one of `live.strategy_kinds.DEPLOYED`."""
        return self.candidate.strategy.partition(":")[0]

    @property
    def inner(self) -> str:
        """The strategy that the scaler runs, as its file has it."""
        name = strategies.inner_of(self.candidate.strategy) or self.candidate.strategy
        own = (*registry.get(name).arguments, *_OF_STRATEGY)
        kept = tuple(pair for pair in self.candidate.parameters if pair[0] in own)
        group = (("assignor", self.settings.assignor), ("wsla_s", self.settings.wsla_s))
        return Candidate(name, (*kept, *group)).label

    def pod_autoscaler(self) -> HorizontalPodAutoscaler:
        """The pod autoscaler, with KEDA's target of 1."""
        names = ("tolerance_up", "tolerance_down", "scale_up", "scale_down")
        return HorizontalPodAutoscaler(
            self.settings.min_replicas,
            self.settings.max_replicas,
            1.0,
            **{name: self.argument(name) for name in names},
        )


def deployed_form(
    label: str, settings: LiveSettings, rates: Sequence[Sequence[float]]
) -> DeployedForm:
    """The form of a label in a run. rates: Bytes/s by iteration and partition."""
    group = BrokerGroup(*settings.sizes)
    (candidate,) = strategy_policies.parse(label, settings.partitions, 1.0, 1.0)
    own = group.settings(candidate, sum(rates[0]))
    needed = math.ceil(max(map(sum, rates)) / settings.capacity)
    return DeployedForm(group, candidate, own, min(max(needed, own.min_replicas), own.max_replicas))
