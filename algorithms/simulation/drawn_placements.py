"""Placements that a group of constant size may have: a new one's, and by who joined before."""

from __future__ import annotations

from functools import lru_cache

from algorithms.assignment.assignors import topic_sizes
from algorithms.core.arrays import MAX_PARTITIONS, Longs, check_count
from algorithms.simulation import group_state, placing
from algorithms.simulation.group_rules import rules_of
from algorithms.simulation.group_settings import check_settings

FROM_NAMES = ("range", "roundrobin")
"""Assignors that place partitions by the order of members alone: all histories are alike, as far as
members are."""


_MOST_KEPT = 1_000
"""Placements that are kept; each is as long as there are partitions."""


def has_history(assignor: str) -> bool:
    """Whether placements depend on who joined and left before."""
    return assignor not in FROM_NAMES


@lru_cache(_MOST_KEPT)
def owners(
    assignor: str, members: int, topics: tuple[int, ...], draw: int = 0, seed: int = 0
) -> Longs:
    """Member of each partition in a new group, or after a drawn history.

    members: Number of members, at least 1.
    topics: Partitions of each topic, in the order of the columns.
    draw, seed: ``placement_draw`` and ``seed`` of
        `algorithms.simulation.group_settings.GroupSettings`: 0 for a new group, else which history,
        in which all joined and each was replaced once.
    Returns: int64[P], as a simulated group with these settings begins; the same array for the same
        arguments, not to be changed.
    """
    sizes = topic_sizes.check_sizes(topics, sum(topics))
    n = check_count("members", members, 1, MAX_PARTITIONS)
    settings = {
        "assignor": assignor,
        "placement_draw": check_count("draw", draw, 0, MAX_PARTITIONS),
        "seed": seed,
        **dict.fromkeys(("initial_replicas", "min_replicas", "max_replicas"), n),
    }
    rules = rules_of(check_settings(settings, sum(sizes), 1.0, None), 1)
    state = group_state.create(rules, sum(sizes), n, sizes)
    placing.place_first(rules, state)
    state.plan.target.setflags(write=False)
    return state.plan.target
