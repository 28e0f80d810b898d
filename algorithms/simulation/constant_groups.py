"""Groups of constant size, exactly and fast: each member is a queue of its own.

Without rebalances no member depends on another, and one whose partitions never bring more than it
serves has no lag. So only members are simulated that fall behind, and only while they do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from algorithms.assignment import assignors
from algorithms.assignment.assignors import placement, topic_sizes
from algorithms.core.arrays import MAX_PARTITIONS, Floats, Longs, check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.group_simulation import simulate_in_detail

_ROUNDING = 1e-12
"""Share of a step's events that rounding may leave as lag."""


def first_owners(assignor: str, members: int, topics: Sequence[int]) -> Longs:
    """Member of each partition in a new group, whose members own nothing before.

    Parameters
    ----------
    assignor : str
        Name of an assignor.
    members : int
        Number of members, at least 1.
    topics : sequence of int
        Partitions of each topic, in the order of the columns.

    Returns
    -------
    int64[P]
    """
    sizes = topic_sizes.check_sizes(topics, sum(topics))
    partitions = sum(sizes)
    owners = np.full(partitions, placement.UNOWNED, np.int64)
    placement.settle(
        assignors.code_of(assignor),
        np.arange(check_count("members", members, 1, MAX_PARTITIONS)),
        owners,
        np.zeros(partitions),
        owners,
        placement.scratch(partitions, members, sizes),
    )
    return owners


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
        self._rates, self._edges = rates, edges
        self._settings = {
            name: settings[name]
            for name in ("mu", "shared_limit", "wsla_s", "step_s", "arrivals", "drain_limit_s")
            if name in settings
        } | {**_ALONE, "decision_s": settings["step_s"]}
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
        by_load = np.argsort(-np.bincount(owners, weights=self._arrived.sum(axis=0)))
        for member in by_load:
            held = np.flatnonzero(owners == member)
            if held.size:
                for total, part in zip(totals, self.member(held), strict=True):
                    total += part
            if float(totals.late.sum()) > most_late:
                return None
        return totals

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
        rates, settings = self._rates[:, held], self._settings
        events = self._arrived[:, held].sum(axis=1)
        busy = np.flatnonzero(_is_busy(rates, settings))
        if busy.size == 0:
            return MemberLateness(events, *(np.zeros(n) for n in self._sizes()[1:]))
        edges = np.searchsorted(busy, self._edges)
        self.simulated += busy.size * held.size
        detailed = simulate_in_detail(rates[busy], "constant", settings=settings)
        trajectory, result = detailed.trajectory, detailed.result
        events += _block_sums(trajectory.served - trajectory.arrived, edges)
        events[-1] += result.unconsumed
        late = _block_sums(trajectory.late, edges)
        on_time = 1.0 if result.sla_percent is None else result.sla_percent / 100.0
        late[-1] += max(float(trajectory.arrived.sum()) * (1.0 - on_time) - float(late.sum()), 0.0)
        ends = edges[1:-1] - 1
        # A step that is not busy ends without lag.
        waits = (ends >= 0) & (busy[np.maximum(ends, 0)] == self._edges[1:-1] - 1)
        return MemberLateness(events, late, np.where(waits, trajectory.lag[ends], 0.0))


_ALONE = {"initial_replicas": 1, "min_replicas": 1, "max_replicas": 1}


def _is_busy(rates: Floats, settings: Mapping[str, Any]) -> Floats:
    """Whether a member has lag at any time of each step."""
    arriving = rates.sum(axis=1)
    if settings.get("arrivals") == "burst" or settings["wsla_s"] < 0.5 / settings["mu"]:
        return np.ones(arriving.size, np.bool_)
    served = min(settings["mu"], settings.get("shared_limit") or np.inf)
    surplus = arriving - served * (1.0 + _ROUNDING)
    # Lag at the end of each step, Lindley's recursion: the sum since it last was at its lowest.
    walk = np.concatenate([[0.0], np.cumsum(surplus)])
    lag = walk - np.minimum.accumulate(walk)
    busy: Floats = (surplus > 0.0) | (lag[:-1] > _ROUNDING * np.abs(walk).max())
    return busy


def _block_sums(values: Floats, edges: Longs) -> Floats:
    """Sum of each block; 0 for one without steps."""
    sums: Floats = np.diff(np.concatenate([[0.0], np.cumsum(values)])[edges])
    return sums


def _block_rows(values: Floats, edges: Longs) -> Floats:
    rows: Floats = np.add.reduceat(values, edges[:-1], axis=0)
    return rows
