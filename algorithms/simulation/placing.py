"""Where the assignor places partitions, in the order that members have in the group."""

from __future__ import annotations

import numpy as np

from algorithms.assignment.assignors import placement
from algorithms.core import keyed_draws, sorting
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import inner, kernel
from algorithms.simulation import rounding
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.group_state import ACTIONS, MEMBERS, UNOWNED, State

_PLACE, _LEAVE = 4, 5
"""Kinds of random numbers, for `keyed_draws.key`."""


@inner
def enrol(rules: Rules, id_: int, state: State) -> None:
    """Draw the place of a member that joins in the order of the members."""
    order = state.order
    cell = keyed_draws.key(rules.history_seed, _PLACE, order.joins[0], id_)
    order.keys[id_] = keyed_draws.unit(cell)
    order.joins[0] += 1


@kernel
def place_first(rules: Rules, state: State) -> None:
    """Let the assignor place all partitions on the members at time 0; nothing moves.

    In a drawn history they joined one by one, and then each was replaced.
    """
    counters, members = state.counters, state.members
    n = counters[MEMBERS]
    if n == 0 or not rules.shuffled:
        assign(rules, state)
        return
    # Joined: 1 … n members. Then each leaves and joins again: n - 1 and n members.
    for k in range(3 * n):
        i, joins = (k, True) if k < n else ((k - n) // 2, (k - n) % 2 == 1)
        if not joins:
            _leave(i, n, state)
        else:
            for m in range(n):
                members.ids[m] = m
            enrol(rules, i, state)
            counters[MEMBERS] = min(k + 1, n)
        assign(rules, state)
        for p in range(state.plan.target.shape[0]):
            state.partitions.owners[p] = state.plan.target[p]


@inner
def _leave(i: int, n: int, state: State) -> None:
    """Member i of 0 … n - 1 leaves for a moment."""
    members, owners = state.members, state.partitions.owners
    for k in range(i, n - 1):
        members.ids[k] = k + 1
    for p in range(owners.shape[0]):
        if owners[p] == i:
            owners[p] = UNOWNED
    state.counters[MEMBERS] = n - 1


@inner
def assign(rules: Rules, state: State) -> None:
    """Let the assignor fill the target, from whole events of lag."""
    partitions, lags = state.partitions, state.observed.lags
    for p in range(lags.shape[0]):
        lags[p] = np.floor(rounding.six_decimals(partitions.lags[p]))
    members = state.members.ids[: state.counters[MEMBERS]]
    target = state.plan.target
    if not rules.shuffled:
        placement.settle(rules.assignor, members, partitions.owners, lags, target, state.scratch)
        return
    order = state.order
    n = members.shape[0]
    _sort(members, order.keys, state)
    for i in range(n):
        order.ranks[members[order.sorted[i]]] = i
        order.positions[i] = i
    for p in range(target.shape[0]):
        owner = partitions.owners[p]
        order.owners[p] = UNOWNED if owner == UNOWNED else order.ranks[owner]
    positions = order.positions[:n]
    placement.settle(rules.assignor, positions, order.owners, lags, target, state.scratch)
    for p in range(target.shape[0]):
        if target[p] != UNOWNED:
            target[p] = members[order.sorted[target[p]]]


@inner
def _sort(members: Longs, keys: Floats, state: State) -> None:
    """Sort the positions of members by the keys of their ids, the greatest first."""
    order, n = state.order, members.shape[0]
    for i in range(n):
        order.drawn[i] = keys[members[i]]
    sorting.descending(order.drawn[:n], order.sorted[:n], order.spare[:n])


@inner
def draw_leaving(rules: Rules, count: int, state: State) -> None:
    """Draw which members are removed so that `count` stay, and mark the others by 1."""
    order, members, n = state.order, state.members, state.counters[MEMBERS]
    for i in range(n):
        cell = keyed_draws.key(rules.history_seed, _LEAVE, state.counters[ACTIONS], members.ids[i])
        order.drawn[i] = keyed_draws.unit(cell)
    sorting.descending(order.drawn[:n], order.sorted[:n], order.spare[:n])
    for i in range(n):
        order.positions[order.sorted[i]] = 1 if i < count else 0
