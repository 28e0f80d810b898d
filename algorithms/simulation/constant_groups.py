"""Groups of constant size, exactly and fast: each member is a queue of its own.

Without rebalances no member depends on another, and one whose partitions never bring more than it
serves has no lag. So only members are simulated that fall behind, and only while they do.
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
from algorithms.simulation.member_queue import Service

MEMBER_SETTINGS = ("mu", "shared_limit", "wsla_s", "step_s", "arrivals", "drain_limit_s")
"""Settings of a group that change what a member does."""

_ROUNDING = 1e-12
"""Share of a step's events that rounding may leave as lag."""


_SURELY = 1e-9
"""Share of all events by which a bound must exceed what may be late: more than rounding."""


class MemberLateness(NamedTuple):
    """Events of one member, or of all members of a group, in n blocks of steps.

    Attributes
    ----------
    events, late : float64[n]
        Events that departed in each block, and those of them that were late. What still waits at
        the end counts in the last block.
    carried : float64[n - 1]
        Events that wait as a block ends, but for the last one.
    """

    events: Floats
    late: Floats
    carried: Floats


class ConstantGroups:
    """Lateness of groups of constant size on one workload.

    Parameters
    ----------
    rates : float64[N, P]
        Rates in events/s.
    edges : int64[n + 1]
        Blocks of steps.
    settings : mapping
        Settings of the group: ``mu``, ``wsla_s``, ``step_s`` and others of
        `algorithms.simulation.group_settings.GroupSettings`. Those of rebalances and replicas
        change nothing. ``shared_limit`` is that of one member.

    Raises
    ------
    InvalidParameterError
        If service times vary: members then draw from one stream of random numbers.

    Notes
    -----
    A member with a set of partitions is simulated once, in whatever group it is.
    """

    def __init__(self, rates: Floats, edges: Longs, settings: Mapping[str, Any]) -> None:
        if settings.get("service_cv", 0.0) > 0.0 or settings.get("poisson", False):
            raise InvalidParameterError("service_cv must be 0 and events not drawn at random")
        self._columns, self._edges = np.ascontiguousarray(rates.T), edges
        self._peaks = rates.max(axis=0)
        given = {name: settings[name] for name in MEMBER_SETTINGS if name in settings}
        alone = check_settings({**given, **_ALONE}, 1, settings["step_s"], None)
        check_totals(rates, alone)
        rules = rules_of(alone, 1)
        self._service = Service(
            speed=min(rules.mu, rules.shared_limit),
            step_s=rules.step_s,
            drain_s=alone.drain_limit_s,
            limit_s=alone.wsla_s - 0.5 / alone.mu,
            burst=rules.burst,
        )
        self._known: dict[bytes, MemberLateness] = {}
        self._arrived = _block_rows(rates, edges) * settings["step_s"]
        self.simulated = 0
        """Steps × partitions that were simulated so far."""

    def lateness(self, owners: Longs, most_late: float = np.inf) -> MemberLateness | None:
        """Lateness of a group.

        Parameters
        ----------
        owners : int64[P]
            Member of each partition, at least 0.
        most_late : float
            Events that may be late.

        Returns
        -------
        MemberLateness or None
            None if more than `most_late` events are late.
        """
        totals = MemberLateness(*(np.zeros(n) for n in self._sizes()))
        members = self._by_load(owners)
        if np.isfinite(most_late) and self._is_surely_late(members, most_late):
            return None
        for held in members:
            if held.size:
                for total, part in zip(totals, self.member(held), strict=True):
                    total += part
            if float(totals.late.sum()) > most_late:
                return None
        return totals

    def is_surely_late(self, owners: Longs, share: float) -> bool:
        """Whether more than a share of all events is late, as far as a bound shows it. O(N P)."""
        return self._is_surely_late(self._by_load(owners), share * float(self._arrived.sum()))

    def _by_load(self, owners: Longs) -> list[Longs]:
        """Partitions of each member, the most loaded first."""
        by_load = np.argsort(-np.bincount(owners, weights=self._arrived.sum(axis=0)))
        return [np.flatnonzero(owners == member) for member in by_load]

    def _is_surely_late(self, members: list[Longs], most_late: float) -> bool:
        """Whether the least that the most loaded members can have late is more than that."""
        limit = most_late + _SURELY * float(self._arrived.sum())
        least = 0.0
        for held in members:
            added = 0.0
            if held.size and held.tobytes() not in self._known:
                added = self._least_late(held)
            elif held.size:
                added = float(self._known[held.tobytes()].late.sum())
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

    def member(self, held: Longs) -> MemberLateness:
        """Lateness of a member that has some partitions, ascending."""
        key = held.tobytes()
        if key not in self._known:
            self._known[key] = self._member(held)
        return self._known[key]

    def _sizes(self) -> tuple[int, int, int]:
        n = self._edges.size - 1
        return n, n, n - 1

    def _member(self, held: Longs) -> MemberLateness:
        events = self._arrived[:, held].sum(axis=1)
        busy = self._busy(held)
        if busy.size == 0:
            return MemberLateness(events, *(np.zeros(n) for n in self._sizes()[1:]))
        edges = np.searchsorted(busy, self._edges)
        self.simulated += busy.size * held.size
        rates = np.ascontiguousarray(self._columns[np.ix_(held, busy)].T)
        queue = member_queue.replay(rates, self._service)
        served, late_so_far, lag = queue.steps.T
        step_s = self._service.step_s
        events += _block_sums(np.diff(served, prepend=0.0) - rates.sum(axis=1) * step_s, edges)
        events[-1] += float(lag[-1])
        late = _block_sums(np.diff(late_so_far, prepend=0.0), edges)
        late[-1] += max(queue.late - float(late.sum()), 0.0)
        ends = edges[1:-1] - 1
        # A step that is not busy ends without lag.
        waits = (ends >= 0) & (busy[np.maximum(ends, 0)] == self._edges[1:-1] - 1)
        return MemberLateness(events, late, np.where(waits, lag[ends], 0.0))

    def _busy(self, held: Longs) -> Longs:
        """Steps in which a member has lag at any time."""
        service = self._service
        if service.burst or service.limit_s < 0.0:
            return np.arange(self._columns.shape[1])
        served = service.speed * (1.0 + _ROUNDING)
        if float(self._peaks[held].sum()) <= served:
            return np.empty(0, np.int64)
        return _steps_with_lag(self._columns[held].sum(axis=0) - served)


_ALONE = {"initial_replicas": 1, "min_replicas": 1, "max_replicas": 1}


def _steps_with_lag(surplus: Floats) -> Longs:
    """Steps with lag at any time, by what arrives beyond what is served."""
    if float(surplus.max()) <= 0.0:
        return np.empty(0, np.int64)
    # Lag at the end of each step, Lindley's recursion: the sum since it last was at its lowest.
    walk = np.concatenate([[0.0], np.cumsum(surplus)])
    lag = walk - np.minimum.accumulate(walk)
    return np.flatnonzero((surplus > 0.0) | (lag[:-1] > _ROUNDING * np.abs(walk).max()))


def _block_sums(values: Floats, edges: Longs) -> Floats:
    """Sum of each block; 0 for one without steps."""
    sums: Floats = np.diff(np.concatenate([[0.0], np.cumsum(values)])[edges])
    return sums


def _block_rows(values: Floats, edges: Longs) -> Floats:
    rows: Floats = np.add.reduceat(values, edges[:-1], axis=0)
    return rows
