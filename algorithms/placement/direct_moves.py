"""Moves of single choices from brokers with many to brokers with few."""

from __future__ import annotations

import numpy as np

from algorithms.placement.choice_state import ChoiceState


def level(state: ChoiceState) -> None:
    """Move choices directly, between the brokers whose counts differ most, while that helps.

    Usually nothing is left to do afterwards. What needs a chain of moves, as where all partitions
    of the one broker are on the other one already, is left. O(M (P + B²)) for M moves.
    """
    blocked: set[tuple[int, int]] = set()
    while (pair := _pair(state, blocked)) is not None:
        rows = state.movers(*pair)[: _batch(state, *pair)]
        if not rows.size:
            blocked.add(pair)
            continue
        for row in rows.tolist():
            state.move(row, *pair)
        blocked = {each for each in blocked if not {*pair} & {*each}}


def _pair(state: ChoiceState, blocked: set[tuple[int, int]]) -> tuple[int, int] | None:
    """Brokers whose counts differ most, and by 2 at least, of those that are not blocked."""
    counts = state.counts.tolist()
    falling = np.argsort(-state.counts, kind="stable").tolist()
    rising = np.argsort(state.counts, kind="stable").tolist()
    for source in falling:
        for target in rising:
            if counts[source] - counts[target] < 2:
                break
            if (source, target) not in blocked:
                return source, target
    return None


def _batch(state: ChoiceState, source: int, target: int) -> int:
    """Moves that can be made at once, since both brokers stay on their sides of the mean.

    Racks may keep counts from their mean, so that moves are made one at a time there.
    """
    if not state.is_one_rack:
        return 1
    low = int(state.counts.sum()) // len(state.counts)
    source_count, target_count = int(state.counts[source]), int(state.counts[target])
    return max(1, min(source_count - low - 1, low - target_count))
