"""Model of an experiment of the family `brokers`: brokers that join a cluster and leave it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, model_validator

from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import REWARDS
from live.brokers.deciding.deciding_choices import DECIDERS, DecidingChoices
from live.brokers.elastic_choices import FAULTS, KRAFT_CONTROLLER_KILLED, ElasticChoices
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError


def _faults(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(field_checks.one_of("faults", item, FAULTS) for item in items)


def _deciders(value: object) -> tuple[str, ...]:
    return _different("decided_by", value, DECIDERS)


def _rewards(value: object) -> tuple[str, ...]:
    return _different("rewards", value, REWARDS)


def _different(field: str, value: object, choices: Sequence[str]) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    names = tuple(field_checks.one_of(field, item, choices) for item in items)
    if len(set(names)) < len(names):
        raise FieldError(f"`{field}` must have different values (got {', '.join(names)})", field)
    return names


class BrokerExperiment(FamilyExperiment, DecidingChoices, ElasticChoices, frozen=True):
    """Brokers that join a cluster and leave it while records flow.

    With `decided_by`, decisions take the place of `scalings`, and each episode has an empty cluster
    of its own: `scalings`, `still_s`, `preload_mib` and `faults` do not count. Without, settings of
    decisions do not.
    """

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("partitions",)
    COUNTED: ClassVar[str] = "action"

    faults: Annotated[tuple[str, ...], BeforeValidator(_faults)] = ()
    """What happens while partitions move, in turn at every second scaling: ``killed`` (kill -9 of
    the broker that joins or leaves), ``controller`` (kill -9 of our controller; another one goes
    on), ``cancelled`` (the same, and the other one cancels the reassignment),
    ``kraft-controller-killed`` (kill -9 of the active KRaft controller; another one is elected),
    and of brokers that join, ``disk-full`` (its disk, for 20 s) and ``disk-stays-full`` (it is
    taken out again)."""

    decided_by: Annotated[tuple[str, ...], BeforeValidator(_deciders)] = ()
    """What decides on the brokers: ``dqn``, ``double_dqn``, ``optimal`` (knows the measured rows)
    and ``threshold`` (adds a broker above the objective, removes one below 0.8 of it), each with
    each reward. Without any, scalings follow each other at fixed times."""
    rewards: Annotated[tuple[str, ...], BeforeValidator(_rewards)] = REWARDS
    """Rewards of decisions, as in experiments on learning."""

    @property
    def amount(self) -> int:
        """Number of scalings, or of decisions on the cluster."""
        if self.decided_by:
            each = self.live_episodes * self.live_steps
            return len(self.decided_by) * len(self.rewards) * each
        return self.scalings

    @property
    def load(self) -> float:
        """Records per second, relative to a load of 1."""
        return self.records_per_s / BrokerSettings().records_per_s

    def simulated(self) -> BrokerSettings:
        """Bounds, steps, load and rewards of decisions."""
        return BrokerSettings(
            min_brokers=self.least_brokers,
            max_brokers=self.most_brokers,
            steps=self.live_steps,
            load=self.load,
        )

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.most_brokers <= self.least_brokers:
            raise FieldError(
                f"`most_brokers` must be above least_brokers (got {self.most_brokers} and "
                f"{self.least_brokers})",
                "most_brokers",
                "least_brokers",
            )
        if self.replication > self.least_brokers:
            raise FieldError(
                f"`replication` must be at most least_brokers (got {self.replication} and "
                f"{self.least_brokers} brokers)",
                "replication",
                "least_brokers",
            )
        if self.faults and self.replication < 3:
            raise FieldError(
                f"`replication` must be 3 if there are faults, so that a killed broker takes no "
                f"record with it (got {self.replication})",
                "replication",
                "faults",
            )
        if KRAFT_CONTROLLER_KILLED in self.faults and self.kraft_controllers < 3:
            raise FieldError(
                f"`kraft_controllers` must be 3 for fault {KRAFT_CONTROLLER_KILLED}, so that the "
                f"others can elect one (got {self.kraft_controllers})",
                "kraft_controllers",
                "faults",
            )
        return self
