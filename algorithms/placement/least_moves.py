"""The plan of fewest moves that balances replicas and leaders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from algorithms.core.arrays import Longs
from algorithms.placement.balanced_choice import choose
from algorithms.placement.choice_state import ChoiceProblem
from algorithms.placement.move_plan import (
    LeastPlan,
    Replicas,
    listed,
    places,
    rack_numbers,
)
from algorithms.placement.plan_measures import forced_moves


def least_moves(
    replicas: Replicas,
    brokers: Iterable[int],
    sizes: Sequence[float] | None = None,
    racks: Mapping[int, str] | None = None,
) -> LeastPlan:
    """Plan which replicas move so that each broker has its share, with as few moves as possible.

    replicas: Brokers of each partition, the preferred leader first. Those on brokers that are not
        in `brokers` all move.
    brokers: Ids of the brokers that have replicas after the plan.
    sizes: Bytes of one replica of each partition; they decide ties. None: all are equal.
    racks: Rack of each broker. A partition's replicas are spread over racks as evenly as the
        numbers of brokers allow. None: racks do not matter.
    Returns: the plan. Numbers of replicas per broker are as even as can be: without racks they
        differ by at most 1. No plan with these numbers has fewer moves. Then preferred leaders are
        as even as these replicas allow, and as few as possible change. The others keep their order,
        and new replicas come last, so that an added follower moves no leader. `LeastPlan.bound` is
        what brokers have too much; racks, and brokers that have a partition already, can take more.
    Raises InvalidParameterError if the placement is not valid (`algorithms.placement.move_plan`).

    Ties: the smallest partitions move, then the first; a replica comes from the broker with the
    most, and goes to the one with the fewest, of equal ones the one with the lowest id. O(M (P +
    B²) + P B² + B³) for M moves, P partitions and B brokers; see
    `algorithms.placement.balanced_choice`.

    >>> plan = least_moves([[1, 2], [2, 1], [1, 2]], [1, 2, 3])
    >>> plan.replicas, plan.moves, plan.bound
    (((2, 3), (3, 1), (1, 2)), 2, 2)
    """
    place = places(replicas, brokers, sizes)
    numbers = rack_numbers(place.brokers, racks)
    every = np.ones_like(place.holds)
    zeros = np.zeros(len(place.brokers), np.int64)
    spread = (zeros, place.needs) if numbers is None else (numbers, _limits(place.needs, numbers))
    holds = choose(ChoiceProblem(place.holds, every, place.needs, place.sizes, *spread))
    ones = np.ones_like(place.needs)
    leads = choose(ChoiceProblem(place.leads, holds, ones, place.sizes, zeros, ones))
    return LeastPlan(
        listed(place, replicas, holds, leads),
        int(np.count_nonzero(holds & ~place.holds)),
        forced_moves(*(held.sum(axis=1).tolist() for held in (place.holds, holds))),
    )


def _limits(needs: Longs, racks: Longs) -> Longs:
    """Replicas of each partition that one rack must take, at least."""
    brokers = np.bincount(racks)
    room = np.minimum(brokers, np.arange(1, brokers.max() + 1)[:, None]).sum(axis=1)
    return np.searchsorted(room, needs).astype(np.int64) + 1
