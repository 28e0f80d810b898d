"""Brokers for partitions: as balanced as can be, then with the fewest changes, exactly.

Each partition chooses its number of different brokers. This is a flow from partitions over racks to
brokers. Its cost is the sum of the squares of the brokers' counts, and then the number of choices
that are new. Squares are least exactly for the most even counts that the constraints allow (Frank
and Murota 2022, "Decreasing minimization on M-convex sets"), which differ by at most 1 where
nothing constrains them. A flow costs least if and only if its residual network has no negative
cycle (Klein 1967). Partitions need no nodes in that network: an arc between two brokers stands for
the cheapest partition that can move its choice from one to the other.
"""

from __future__ import annotations

from typing import NamedTuple

from algorithms.core.arrays import Bools, Longs
from algorithms.placement.choice_state import ChoiceProblem, ChoiceState
from algorithms.placement.direct_moves import level
from algorithms.placement.negative_cycles import negative_cycle
from algorithms.placement.residual_costs import residual_costs


class _Arc(NamedTuple):
    """A partition that moves a choice between brokers; of the brokers' counts, it is -1."""

    row: int
    source: int
    target: int


def choose(problem: ChoiceProblem) -> Bools:
    """Choose brokers: counts as even as possible, then fewest new choices.

    problem: Racks and `allowed` must leave each partition enough brokers.
    Returns: bool[B, P].

    Ties: of the partitions that can make a move, the smallest moves, then the first; choices move
    from the broker with the most to the one with the fewest, of equal ones the first. O(M (P + B²))
    for M moves between brokers, O(P B² + B³) for the proof, and as much for each cycle that these
    moves have missed: mostly none.
    """
    state = ChoiceState(problem)
    level(state)
    while True:
        costs = residual_costs(state)
        cycle = negative_cycle(costs)
        if cycle is None:
            return state.chosen
        for arc in _simple(state, _arcs(state, cycle), costs):
            if arc.row >= 0:
                state.move(*arc)


def _arcs(state: ChoiceState, cycle: list[int]) -> list[_Arc]:
    """The cycle, with the cheapest partition for each move."""
    arcs = []
    for source, target in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        is_count = state.counts.size in (source, target)
        row = -1 if is_count else int(state.movers(source, target)[0])
        arcs.append(_Arc(row, source, target))
    return arcs


def _simple(state: ChoiceState, arcs: list[_Arc], costs: Longs) -> list[_Arc]:
    """A negative cycle in which no two moves of a partition get into each other's way.

    Two moves of a partition, a to b and c to d, pass through one node of the flow, unless they stay
    inside different racks. Replaced by a to d and c to b, they make two cycles with the same costs
    in all: one of them is negative.
    """
    for i, first in enumerate(arcs):
        for j in range(i + 1, len(arcs)):
            second = arcs[j]
            if first.row < 0 or first.row != second.row:
                continue
            outer = _Arc(first.row, first.source, second.target)
            inner = _Arc(first.row, second.source, first.target)
            if state.fits(*outer) and state.fits(*inner):
                parts = ([*arcs[:i], outer, *arcs[j + 1 :]], [inner, *arcs[i + 1 : j]])
                part = min(parts, key=lambda each: _cost(state, each, costs))
                return _simple(state, part, costs)
    return arcs


def _cost(state: ChoiceState, arcs: list[_Arc], costs: Longs) -> int:
    before = state.problem.before
    return sum(
        int(costs[source, target])
        if row < 0
        else int(before[source, row]) - int(before[target, row])
        for row, source, target in arcs
    )
