"""Placements that a group of constant size may have, by the order in which its members joined."""

from __future__ import annotations

from collections.abc import Sequence

from algorithms.assignment.assignors import topic_sizes
from algorithms.core.arrays import MAX_PARTITIONS, Longs, check_count
from algorithms.simulation import group_state, placing
from algorithms.simulation.group_rules import rules_of
from algorithms.simulation.group_settings import check_settings

FROM_NAMES = ("range", "roundrobin")
"""Assignors that place partitions by the order of members alone: all histories are alike, as far as
members are."""


def has_history(assignor: str) -> bool:
    """Whether placements depend on who joined and left before."""
    return assignor not in FROM_NAMES


def drawn_owners(
    assignor: str, members: int, topics: Sequence[int], draw: int, seed: int = 0
) -> Longs:
    """Member of each partition after a drawn history: all joined, and each was replaced once.

    Parameters
    ----------
    assignor : str
        Name of an assignor.
    members : int
        Number of members, at least 1.
    topics : sequence of int
        Partitions of each topic, in the order of the columns.
    draw, seed : int
        Which history, from 1 on, and the seed of all: ``placement_draw`` and ``seed`` of
        `algorithms.simulation.group_settings.GroupSettings`.

    Returns
    -------
    int64[P]
        As a simulated group with these settings begins.
    """
    sizes = topic_sizes.check_sizes(topics, sum(topics))
    n = check_count("members", members, 1, MAX_PARTITIONS)
    settings = {
        "assignor": assignor,
        "placement_draw": check_count("draw", draw, 1, MAX_PARTITIONS),
        "seed": seed,
        **dict.fromkeys(("initial_replicas", "min_replicas", "max_replicas"), n),
    }
    rules = rules_of(check_settings(settings, sum(sizes), 1.0, None), 1)
    state = group_state.create(rules, sum(sizes), n, sizes)
    placing.place_first(rules, state)
    return state.plan.target
