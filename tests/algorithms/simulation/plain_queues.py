"""The replay of queues by the book: at each moment, the earliest thing that can happen."""

from __future__ import annotations

import math

import numpy as np

from algorithms.simulation.queue_replay import Ownership


def waiting_times(
    due_s: np.ndarray, partitions: np.ndarray, owned: Ownership, service_s: float
) -> np.ndarray:
    """As `algorithms.simulation.queue_replay.waiting_times`, by global time."""
    left = [(float(due), int(p), i) for i, (due, p) in enumerate(zip(due_s, partitions))]  # noqa: B905
    tenures = list(zip(*(column.tolist() for column in owned), strict=True))
    free = dict.fromkeys(owned.consumer.tolist(), -math.inf)
    waits = np.full(len(left), math.inf)
    while left:
        heads: dict[int, tuple[float, int, int]] = {}
        for record in left:  # in the order of the input, which is ascending within a partition
            heads.setdefault(record[1], record)
        # The choice of each consumer at each tenure: what has arrived first goes first.
        chosen: dict[int, tuple[float, float, int, float, int]] = {}
        for p, c, taken, released in tenures:
            if p not in heads:
                continue
            due, _, i = heads[p]
            arrival = max(due, taken)
            start = max(free[c], arrival)
            if start < released:
                option = (arrival, due, p, start, i)
                # A record that has not arrived when another can start does not keep it waiting.
                chosen[c] = min(chosen.get(c, option), option)
        if not chosen:
            break
        c = min(chosen, key=lambda c: (chosen[c][3], c))
        _, due, p, start, i = chosen[c]
        waits[i] = start - due
        free[c] = start + service_s
        left.remove((due, p, i))
    return waits
