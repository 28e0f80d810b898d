"""Costs of what could change in a flow from partitions to brokers."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.placement.choice_state import ChoiceState
from algorithms.placement.negative_cycles import NO_ARC


def residual_costs(state: ChoiceState) -> Longs:
    """Costs of arcs between brokers, and of the brokers' counts.

    Returns: int64[B + 1, B + 1]. From broker to broker: 1 if the cheapest partition that can move
        its choice leaves a broker that it had before, 0 if it also comes to such a one, or does
        neither, -1 if it comes back. The last node stands for the counts: an arc from it to a
        broker takes a choice away from its count, an arc to it adds one. These arcs cost the
        differences of the squares, times more than all moves together.
    """
    counts, brokers = state.counts, state.counts.size
    costs = np.full((brokers + 1, brokers + 1), NO_ARC)
    costs[:brokers, :brokers] = _moves(state)
    weight = np.int64(2 * brokers + 3)
    costs[brokers, :brokers] = np.where(counts > 0, -weight * (2 * counts - 1), NO_ARC)
    costs[:brokers, brokers] = weight * (2 * counts + 1)
    return costs


def _moves(state: ChoiceState) -> Longs:
    before, chosen, racks = state.problem.before, state.chosen, state.problem.racks
    free = state.problem.allowed & ~chosen
    leaving = [side.astype(np.float32) for side in (chosen & ~before, chosen & before)]
    coming = [side.T.astype(np.float32) for side in (free & before, free & ~before)]
    costs = np.full((len(racks), len(racks)), NO_ARC)
    rooms = np.stack([state.room(broker) for broker in range(len(racks))], axis=1)
    is_inside = racks[:, None] == racks[None, :]
    # The cheapest comes last, and replaces what is there.
    for new_here, new_there, cost in ((1, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, -1)):
        here, there = leaving[new_here], coming[new_there]
        # Partitions with the row's broker here and the column's there.
        exists = here @ there > 0.0
        if not state.is_one_rack:
            exists = np.where(is_inside, exists, here @ (there * rooms) > 0.0)
        costs[exists] = cost
    return costs
