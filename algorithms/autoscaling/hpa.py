"""Kubernetes' horizontal pod autoscaler: replicas by a metric that they share."""

from __future__ import annotations

import numpy as np

from algorithms.autoscaling import hpa_rules, recent_values
from algorithms.autoscaling.number_checks import check_number
from algorithms.autoscaling.scaling_policies import SCALE_DOWN, SCALE_UP, Behaviour, Policy
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError

__all__ = ["SCALE_DOWN", "SCALE_UP", "Behaviour", "HorizontalPodAutoscaler", "Policy"]


class HorizontalPodAutoscaler:
    """The autoscaler of a metric that the replicas share.

    min_replicas, max_replicas: Bounds of the number of replicas.
    target: Share of the metric that one replica should have.
    tolerance_up, tolerance_down: The number stays while the metric is within these shares above and
        below the target.
    scale_up, scale_down: How fast each direction may scale; by default as in Kubernetes.

    Autoscaling/v2 of Kubernetes. A *change* is a sync whose desired number differs from the present
    one; it is assumed to be applied. Replicas outside the bounds are moved to the bound, without
    proposal, stabilisation and limit. A sync takes O(entries within windows and periods).

    A metric of 45 at a target of 10 proposes 5 replicas. The drop afterwards waits until no
    proposal of the last 300 s was higher.

    >>> autoscaler = HorizontalPodAutoscaler(1, 10, 10)
    >>> autoscaler.sync(0.0, 45, 1), autoscaler.sync(15.0, 20, 5), autoscaler.sync(300.0, 20, 5)
    ((5, 5), (2, 5), (2, 2))
    """

    def __init__(
        self,
        min_replicas: int,
        max_replicas: int,
        target: float,
        tolerance_up: float = 0.1,
        tolerance_down: float = 0.1,
        scale_up: Behaviour = SCALE_UP,
        scale_down: Behaviour = SCALE_DOWN,
    ) -> None:
        self._controller = hpa_rules.create(
            min_replicas, max_replicas, target, tolerance_up, tolerance_down, scale_up, scale_down
        )
        self._time = -np.inf

    def sync(self, time_s: float, metric: float, replicas: int) -> tuple[int, int]:
        """Decide on the metric at one time, and store the proposal.

        time_s: Seconds; not before the last sync.
        replicas: Number of replicas that was asked for last.
        Returns: number of replicas by the metric alone, and after stabilisation and limits.
        """
        time = check_number("time_s", time_s)
        if time < self._time:
            raise InvalidParameterError(
                f"time_s must not be before the last sync, {self._time} s (got {time_s})"
            )
        total = check_number("metric", metric, at_least=0.0)
        present = check_count("replicas", replicas, 0, hpa_rules.MOST)
        self._time = time
        self._make_room()
        proposed, desired = hpa_rules.sync(self._controller, time, total, present)
        return int(proposed), int(desired)

    def _make_room(self) -> None:
        """Enlarge the rings in time: a sync adds up to two proposals and a change."""
        state = self._controller
        if recent_values.is_nearly_full(state.proposals):
            state = state._replace(proposals=recent_values.enlarged(state.proposals))
        if recent_values.is_nearly_full(state.changes):
            state = state._replace(changes=recent_values.enlarged(state.changes))
        self._controller = state
