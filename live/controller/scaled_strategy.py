"""An autoscaling strategy, as a live controller calls it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.assignment import Observation, assignors
from algorithms.autoscaling import registry
from algorithms.autoscaling.candidates import Candidate
from algorithms.core.arrays import Bools, Floats
from algorithms.simulation.broker_group import BrokerGroup
from algorithms.simulation.group_settings import GroupSettings
from live.controller.answered_owners import NOBODY, Answer, answer_of, owners_after
from live.live_settings import LiveSettings
from pipeline.inputs.policies import strategy_policies


class Lags(NamedTuple):
    """What waits in a topic."""

    records: Floats
    """Records of each partition that are not processed, ``float64[P]``."""
    consumed: Bools
    """Partitions of which records were processed lately, ``bool[P]``."""


class ScaledStrategy:
    """A strategy of the family `autoscaling` and its state.

    label: The strategy with its parameters, as the family writes it.
    rates: Bytes/s by iteration and partition: the first iteration says how many consumers the group
        begins with, and ``overprovision`` needs the highest rates.
    settings_of: Makes the settings of a group that has other ones.
    replicas: Consumers that were asked for last.
    group, settings: The group, and its settings by the strategy's clock.
    """

    def __init__(
        self,
        label: str,
        settings: LiveSettings,
        rates: Sequence[Sequence[float]],
        settings_of: Callable[[BrokerGroup, Candidate], GroupSettings] | None = None,
    ) -> None:
        table = np.array(rates, np.float64)
        self.group = group_of(settings)
        (self._candidate,) = strategy_policies.parse(label, settings.partitions, 1.0, 1.0)
        self._strategy = registry.get(self._candidate.strategy)
        self._peaks: Floats = table.max(axis=0)
        if settings_of is None:
            self.settings = self.group.settings(self._candidate, float(table[0].sum()))
        else:
            self.settings = settings_of(self.group, self._candidate)
        self.replicas = self.settings.initial_replicas
        self._state: Any = None

    @property
    def needs_lags(self) -> bool:
        """Whether its decisions depend on lags."""
        arguments = {**self._strategy.arguments, **self._candidate.arguments}
        further = [field for name, field in self._strategy.needs_with if arguments[name]]
        return not {"lags", "consumed"}.isdisjoint((*self._strategy.needs, *further))

    @property
    def window(self) -> int:
        """Steps between two decisions."""
        return round(self.settings.decision_s / self.settings.step_s)

    @property
    def sees_present(self) -> bool:
        """Whether it sees the rates of the step that begins, rather than of those before."""
        return self.settings.observe == "now"

    def first_owners(self) -> tuple[int, ...]:
        """Owners before the first decision: the assignor's."""
        return self.placed_on(range(self.replicas), (NOBODY,) * self.group.partitions)

    def placed_on(self, members: Sequence[int], owners: Sequence[int]) -> tuple[int, ...]:
        """Owners as the assignor places partitions on some members. owners: Those before."""
        return tuple(int(owner) for owner in self._place(members, owners))

    def prepare(self) -> None:
        """Load the compiled code, which may take seconds, before anything depends on it."""
        self._begin()
        idle = Lags(np.zeros(self.group.partitions), np.ones(self.group.partitions, np.bool_))
        seen = np.zeros((1 if self.sees_present else self.window, self.group.partitions))
        self.decide(0, seen, self.first_owners(), idle, idle.records)
        self.replicas = self.settings.initial_replicas
        self._begin()

    def decide(
        self, step: int, rates: Floats, owners: Sequence[int], lags: Lags, arrived: Floats
    ) -> Answer | None:
        """Make a decision; None if the group stays as it is.

        step: Step that begins, from 0.
        rates: Bytes/s by step and partition: of the steps since the decision before, or of the step
            that begins if `sees_present`.
        owners: Present consumers of the partitions, -1 for none.
        arrived: Sum of the rates of all steps that have passed, times their length by the
            strategy's clock, ``float64[P]``.
        """
        if self._state is None:
            self._begin()
        events = self.group.events(rates)
        decision = self._strategy.step(
            self._state,
            Observation(
                rates=events.mean(axis=0),
                lags=lags.records,
                owners=np.array(owners, np.int32),
                replicas=self.replicas,
                time=step * self.settings.step_s,
                consumed=lags.consumed,
                counts=events.sum(axis=1) * self.settings.step_s,
                arrived=self.group.events(arrived),
            ),
        )
        answer = answer_of(decision, self.settings.min_replicas, self.settings.max_replicas)
        if answer is not None:
            self.replicas = answer.replicas
        return answer

    def owners_after(self, answer: Answer, owners: Sequence[int], lags: Lags) -> tuple[int, ...]:
        """Owners that an answer asks for."""
        return owners_after(
            answer, owners, lambda members, present: self._place(members, present, lags.records)
        )

    def _begin(self) -> None:
        self._state = self.group.start(self._candidate, self.settings, self._peaks)

    def _place(
        self, members: Sequence[int], owners: Sequence[int], lags: Floats | None = None
    ) -> Sequence[int]:
        name, partitions = self.settings.assignor, self.group.partitions
        after = assignors.assign(name, partitions, members, owners, lags)
        # A cooperative assignor takes two rounds to move a partition.
        if (after == NOBODY).any():
            after = assignors.assign(name, partitions, members, after, lags)
        return [int(owner) for owner in after]


def group_of(settings: LiveSettings) -> BrokerGroup:
    """The group of a run."""
    return BrokerGroup(*settings.sizes)
