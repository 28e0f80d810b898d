"""Interface of an autoscaling strategy: `start` creates its state, `step` makes one decision.

Compiled programs call `decide` instead of `step`. Kernels and Numba are imported when a strategy
first starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from algorithms.assignment.algorithm import Decision, Observation
from algorithms.autoscaling.arguments import Argument, Value
from algorithms.autoscaling.dispatch import (
    IDS,
    NO_ANSWER,
    RANKS,
    Seen,
    check_of,
    decide,
    decides,
)
from algorithms.autoscaling.live_observation import seen_of
from algorithms.autoscaling.scaled_group import Group, check_group
from algorithms.autoscaling.sweeps import Sweep
from algorithms.core.input_errors import InvalidParameterError

__all__ = ["ASSIGNOR", "COUNTING", "PACKING", "Group", "Seen", "Strategy", "decide", "decides"]

PACKING, COUNTING, ASSIGNOR = "packing", "counting", "assignor"
"""Families: strategies that also assign partitions, those that leave it to the group's assignor,
and assignors themselves, with constant replicas."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to decide on the number of replicas of a consumer group.

    >>> from algorithms.assignment import Observation
    >>> from algorithms.autoscaling import registry
    >>> from algorithms.simulation.group_settings import check_settings, group_of
    >>> settings = check_settings({"mu": 100.0}, 3, 1.0, "last")
    >>> group = group_of(settings, np.ones(3))
    >>> strategy = registry.get("linear")
    >>> state = strategy.start(group, f_up=0.9, f_down=0.45)
    >>> strategy.step(state, Observation(rates=np.array([40.0, 30.0, 20.0]))).replicas
    2
    """

    name: str
    """Short name; unique."""
    title: str
    """What the name stands for."""
    family: str
    """``packing``, ``counting`` or ``assignor``."""
    paper: str
    """Where it is defined."""
    module: str
    """Full name of the module that has the function ``start`` and the kernel, and where starting
    takes long also ``check``, with the arguments and errors of ``start``."""
    decision_s: float = 30.0
    """Time between decisions by default, seconds."""
    observe: str | None = None
    """``now`` if it is meant to see the rates of the present step; None for no preference."""
    assignor: str | None = None
    """Assignor that the group must have; None if any will do."""
    group: tuple[tuple[str, Any], ...] = ()
    """Further settings of the group that are the strategy's own, whatever other groups have."""
    foresees: bool = False
    """Whether it knows present or future rates: a reference that cannot be deployed."""
    takes: tuple[Argument, ...] = ()
    """Arguments with their defaults and bounds."""
    needs: tuple[str, ...] = ("rates",)
    """Fields of `Observation` that a live controller must give."""
    needs_with: tuple[tuple[str, str], ...] = ()
    """Arguments, and the field of `Observation` that each of them requires if it is true."""
    settings: tuple[tuple[str, Any], ...] = ()
    """Further keyword arguments of ``start``."""
    placed_settings: tuple[tuple[str, Any], ...] = ()
    """Those that differ if the partitions are placed by rate; see
    `algorithms.autoscaling.rate_placement`."""
    sweep: Sweep | None = None
    """Parameters that a sweep tries; None for times between decisions."""

    @property
    def arguments(self) -> Mapping[str, Value]:
        """Default of each argument by name."""
        return MappingProxyType({argument.name: argument.default for argument in self.takes})

    def start(self, group: Group, **arguments: Any) -> Any:
        """State before the first decision.

        arguments: Values that differ from the defaults.
        """
        checked, values = self._checked(group, arguments)
        return import_module(self.module).start(checked, **values)

    def check(self, group: Group, **arguments: Any) -> None:
        """Raise what `start` would raise; cheaper where starting takes long."""
        checked, values = self._checked(group, arguments)
        check_of(self.module)(checked, **values)

    def check_assignor(self, other: object) -> None:
        """Raise `InvalidParameterError` if a group has another assignor than it must have."""
        if self.assignor is not None and other not in (None, self.assignor):
            raise InvalidParameterError(
                f"assignor must be {self.assignor} for the strategy {self.name} (got {other!r}); "
                "leave it out, or choose the strategy constant"
            )

    def settings_of_group(self, others: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of the group under this strategy, where others are asked for."""
        self.check_assignor(others.get("assignor"))
        own = {} if self.assignor is None else {"assignor": self.assignor}
        return {**others, **own, **dict(self.group)}

    def _checked(
        self, group: Group, arguments: Mapping[str, Any]
    ) -> tuple[Group, Mapping[str, Any]]:
        checked = check_group(group)
        by_name = {argument.name: argument for argument in self.takes}
        for name in arguments:
            if name not in by_name:
                raise InvalidParameterError(
                    f"unknown argument {name!r} of {self.name}; choose one of "
                    f"{', '.join(by_name) or '(none)'}"
                )
        values = {
            name: argument.check(arguments.get(name, argument.default))
            for name, argument in by_name.items()
        }
        return checked, {**values, **dict(self.settings)}

    def step(self, state: Any, observation: Observation) -> Decision:
        """Make one decision for a live controller, and update the state.

        observation: Requires the fields that `needs` names. Rates and lags are rounded to 6
            decimals.
        Returns: ``replicas`` and, for packing strategies, either ``owners`` or ``ranks``; all None
            if the group should stay as it is. The number is not limited to the group's bounds.
        """
        from algorithms.autoscaling.compiled_decisions import decide_once

        counting = getattr(state, "counting", state)
        further = (field for argument, field in self.needs_with if getattr(counting, argument))
        seen = seen_of(self.name, (*self.needs, *further), observation, state.partitions)
        after = np.empty(state.partitions, dtype=np.int64)
        replicas, kind = decide_once(state, seen, after)
        if replicas == NO_ANSWER:
            return Decision()
        placed = after.astype(np.int32)
        return Decision(
            replicas=int(replicas),
            owners=placed if kind == IDS else None,
            ranks=placed if kind == RANKS else None,
        )
