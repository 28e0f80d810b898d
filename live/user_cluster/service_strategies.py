"""Autoscaling strategies on the events of a topic: what each of them would do now.

Each one scales a group of its own that exists here only, from one consumer on: it sees the rates of
the topic and the lags of the real group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from algorithms.assignment import Observation, assignors
from algorithms.autoscaling import candidates, registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.autoscaling.strategy_list import COMPARED
from algorithms.core.arrays import Floats
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_settings import GroupSettings, check_settings, group_of
from live.user_cluster.strategy_line import StrategyLine, values_of
from live.user_cluster.topic_view import TopicView
from pipeline.base.errors import InputError
from pipeline.inputs.policies import strategy_policies

NEEDS_PEAKS = "overprovision"
"""Needs the greatest rates, which nobody knows of a topic that goes on."""

_EARLY_S = 0.5
"""Share of a step by which a decision may come early."""


@dataclass(slots=True)
class _Run:
    """A strategy on its group."""

    candidate: Candidate
    settings: GroupSettings
    state: Any
    """`settings`, `state`: settings of the group, and the strategy's state."""
    line: StrategyLine
    """Outcome of the last decision."""
    due_s: float = 0.0
    """Time of the next decision."""
    seen: list[Floats] = field(default_factory=list)
    """Events/s by partition at each step since the last decision."""


class ServiceStrategies:
    """Steps strategies, each at the times of its own decisions.

    texts: Strategies in the notation of ``simulate``: NAME or NAME:PARAMETER=VALUE:….
    mu: Events/s that one consumer serves.
    period_s: Time between views, seconds.
    has_group: Whether lags are known.
    """

    def __init__(
        self, texts: Sequence[str], mu: float, partitions: int, period_s: float, has_group: bool
    ) -> None:
        self.partitions, self._period_s = partitions, period_s
        self._mu, self._has_group = mu, has_group
        self._ends: dict[int, int] = {}
        self._arrived: Floats = np.zeros(partitions)
        chosen = texts or [name for name in COMPARED if self._can_be_default(name)]
        self._runs = []
        for text in chosen:
            try:
                self._runs += [self._start(one) for one in self._parse(text)]
            except (AlgorithmError, InputError) as error:
                raise InputError(f"--strategy {text}: {error}") from None

    def step(self, view: TopicView) -> list[StrategyLine]:
        """Let those decide whose time has come; without rates, nobody does."""
        self._count(view)
        rates = values_of(dict(view.event_rates), self.partitions)
        if np.isfinite(rates).any():
            for run in self._runs:
                run.seen.append(np.nan_to_num(rates))
                if view.at_s >= run.due_s - _EARLY_S * self._period_s:
                    self._decide(run, view)
        return [run.line for run in self._runs]

    def _count(self, view: TopicView) -> None:
        """Count what has arrived, also by views without rates; a lower end is a new topic's."""
        for p, end in view.ends.items():
            self._arrived[p] += max(end - self._ends.get(p, end), 0)
        self._ends.update(view.ends)

    def _can_be_default(self, name: str) -> bool:
        needs = registry.get(name).needs
        return name != NEEDS_PEAKS and (self._has_group or "lags" not in needs)

    def _parse(self, text: str) -> tuple[Candidate, ...]:
        wsla_s = GroupSettings(max_replicas=1, decision_s=1.0, observe="last").wsla_s
        return strategy_policies.parse(text, self.partitions, self._mu, wsla_s, self._period_s)

    def _start(self, one: Candidate) -> _Run:
        strategy = registry.get(one.strategy)
        if one.strategy == NEEDS_PEAKS:
            raise InputError("needs the greatest rates, which are not known of a live topic")
        if "lags" in strategy.needs and not self._has_group:
            raise InputError("needs lags; give --group")
        decision_s = candidates.whole_steps(strategy.decision_s, self._period_s)
        unchecked = {"step_s": self._period_s, "mu": self._mu, **one.settings}
        settings = check_settings(unchecked, self.partitions, decision_s, strategy.observe)
        group = group_of(settings, np.zeros(self.partitions))
        first = StrategyLine(
            one.label,
            settings.initial_replicas,
            _placed(settings, settings.initial_replicas, (-1,) * self.partitions, None),
        )
        return _Run(one, settings, strategy.start(group, **one.arguments), first)

    def _decide(self, run: _Run, view: TopicView) -> None:
        seen = np.array(run.seen)
        rates = seen[-1] if run.settings.observe == "now" else seen.mean(axis=0)
        lags = np.array([float(view.lag(p) or 0) for p in range(self.partitions)])
        decision = registry.get(run.candidate.strategy).step(
            run.state,
            Observation(
                rates=rates,
                lags=lags,
                owners=np.array(run.line.owners, np.int32),
                replicas=run.line.consumers,
                time=view.at_s,
                consumed=np.ones(self.partitions, np.bool_),
                counts=seen.sum(axis=1) * self._period_s,
                arrived=self._arrived.copy(),
            ),
        )
        run.seen, run.due_s = [], view.at_s + run.settings.decision_s
        target = run.line.consumers if decision.replicas is None else decision.replicas
        replicas = min(max(target, run.settings.min_replicas), run.settings.max_replicas)
        answered = decision.owners if decision.owners is not None else decision.ranks
        if answered is not None:
            owners = tuple(int(owner) for owner in answered)
        elif replicas == run.line.consumers:
            owners = run.line.owners
        else:
            owners = _placed(run.settings, replicas, run.line.owners, lags)
        run.line = run.line.after(owners, replicas, rates)


def _placed(
    settings: GroupSettings, replicas: int, owners: Sequence[int], lags: Floats | None
) -> tuple[int, ...]:
    """Owners that the group's assignor gives to consumers ``0 .. replicas-1``."""
    if replicas == 0:
        return (-1,) * len(owners)
    members = range(replicas)
    name, partitions = settings.assignor, len(owners)
    after = assignors.assign(name, partitions, members, owners, lags)
    # A cooperative assignor takes two rounds to move a partition.
    if (after == -1).any():
        after = assignors.assign(name, partitions, members, after, lags)
    return tuple(int(owner) for owner in after)
