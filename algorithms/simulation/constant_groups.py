"""Groups of constant size, exactly and fast: each member is a queue of its own.

Without rebalances no member depends on another, and one whose partitions never bring more than it
serves has no lag. So only members are simulated that may fall behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import member_queue
from algorithms.simulation.group_rules import rules_of
from algorithms.simulation.group_settings import check_settings, check_totals
from algorithms.simulation.member_queue import CARRIED, DEPARTED, LATE, TIE, Service

MEMBER_SETTINGS = ("mu", "shared_limit", "wsla_s", "step_s", "arrivals", "drain_limit_s")
"""Settings of a group that change what a member does."""

_SURELY = 1e-9
"""Share of all events by which a bound must exceed what may be late: more than rounding."""


class GroupLateness(NamedTuple):
    """Events of all members of a group, in n blocks of steps."""

    events: Floats
    late: Floats
    """`events`, `late`: float64[n]: events that departed in each block, and those of them that were
    late. What still waits at the end counts in the last block."""
    carried: Floats
    """float64[n - 1]: events that wait as a block ends, but for the last one."""


class ConstantGroups:
    """Lateness of groups of constant size on one workload.

    rates: float64[N, P], rates in events/s.
    edges: int64[n + 1], blocks of steps.
    settings: Settings of the group: ``mu``, ``wsla_s``, ``step_s`` and others of
        `algorithms.simulation.group_settings.GroupSettings`. Those of rebalances and replicas
        change nothing. ``shared_limit`` is that of one member.
    Raises InvalidParameterError if service times vary: members then draw from one stream of random
        numbers.

    A member with a set of partitions is simulated once, in whatever group it is.
    """

    def __init__(self, rates: Floats, edges: Longs, settings: Mapping[str, Any]) -> None:
        if settings.get("service_cv", 0.0) > 0.0 or settings.get("poisson", False):
            raise InvalidParameterError("service_cv must be 0 and events not drawn at random")
        self._columns, self._edges = np.ascontiguousarray(rates.T), edges
        self._peaks = rates.max(axis=0)
        member_settings = {name: settings[name] for name in MEMBER_SETTINGS if name in settings}
        alone = check_settings({**member_settings, **_ALONE}, 1, settings["step_s"], None)
        check_totals(rates, alone)
        rules = rules_of(alone, 1)
        self._service = Service(
            speed=min(rules.mu, rules.shared_limit),
            step_s=rules.step_s,
            drain_s=alone.drain_limit_s,
            limit_s=alone.wsla_s - 0.5 / alone.mu,
            burst=rules.burst,
        )
        self._known: dict[bytes, Floats] = {}
        self._arrived = _block_rows(rates, edges) * settings["step_s"]
        self.simulated = 0
        """Steps × partitions that were simulated so far."""

    def lateness(self, owners: Longs, most_late: float = np.inf) -> GroupLateness | None:
        """Lateness of a group.

        owners: int64[P], member of each partition, at least 0.
        most_late: Events that may be late.
        Returns: None if more than `most_late` events are late.
        """
        members = self._members_with_lag(owners)
        if np.isfinite(most_late) and self._is_surely_late(members, most_late):
            return None
        events = self._arrived.sum(axis=1)
        late, lag = np.zeros(events.size), np.zeros(events.size)
        for held in members:
            figures = self._member(held)
            events += figures[DEPARTED] - self._arrived[:, held].sum(axis=1)
            late += figures[LATE]
            lag += figures[CARRIED]
            if float(late.sum()) > most_late:
                return None
        return GroupLateness(events, late, lag[:-1])

    def _members_with_lag(self, owners: Longs) -> list[Longs]:
        """Partitions of each member that may fall behind, the most loaded first."""
        service = self._service
        peaks = np.bincount(owners, weights=self._peaks)
        may = np.bincount(owners) > 0
        if not service.burst and service.limit_s >= 0.0:
            may &= peaks > service.speed * TIE
        loads = np.bincount(owners, weights=self._arrived.sum(axis=0))
        return [np.flatnonzero(owners == member) for member in np.argsort(-loads) if may[member]]

    def _is_surely_late(self, members: list[Longs], most_late: float) -> bool:
        """Whether the least that the most loaded members can have late is more than that."""
        limit = most_late + _SURELY * float(self._arrived.sum())
        least = 0.0
        for held in members:
            figures = self._known.get(held.tobytes())
            added = self._least_late(held) if figures is None else float(figures[LATE].sum())
            least += added
            if least > limit:
                return True
            if added == 0.0:
                # Those with less load have hardly more.
                return False
        return False

    def _least_late(self, held: Longs) -> float:
        """Events that are late in whatever order they are served: too old when a step ends.

        In each time with lag, those that wait at one instant and arrived too long before it.
        """
        service = self._service
        if service.burst or service.limit_s < 0.0:
            return 0.0
        arrived = self._columns[held].sum(axis=0) * service.step_s
        served = service.speed * service.step_s
        walk = np.concatenate([[0.0], np.cumsum(arrived - served)])
        lag = (walk - np.minimum.accumulate(walk))[1:]
        so_far = np.concatenate([[0.0], np.cumsum(arrived)])
        ends = np.arange(1, so_far.size)
        before = np.interp(ends - service.limit_s / service.step_s, np.arange(so_far.size), so_far)
        old = np.maximum(lag - (so_far[1:] - before), 0.0)
        begins = np.flatnonzero((lag > 0.0) & (np.concatenate([[0.0], lag[:-1]]) == 0.0))
        return float(np.maximum.reduceat(old, begins).sum()) if begins.size else 0.0

    def _member(self, held: Longs) -> Floats:
        """Figures of a member, as `member_queue.replay` returns them."""
        key = held.tobytes()
        if key not in self._known:
            self.simulated += self._columns.shape[1] * held.size
            self._known[key] = member_queue.replay(self._columns, held, self._edges, self._service)
        return self._known[key]


_ALONE = {"initial_replicas": 1, "min_replicas": 1, "max_replicas": 1}


def _block_rows(values: Floats, edges: Longs) -> Floats:
    rows: Floats = np.add.reduceat(values, edges[:-1], axis=0)
    return rows
