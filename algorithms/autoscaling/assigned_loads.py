"""Greatest load of a member under an assignment, as far as it matters: up to a bound.

A load that is above the bound may be any: what would be added further does not change that.
"""

from __future__ import annotations

from algorithms.assignment.assignors import assignor_names
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

BY_BLOCKS = (assignor_names.RANGE, assignor_names.KIP848_RANGE)
"""Assignors for which `greatest_of_blocks` knows the owners."""


@kernel
def greatest(owners: Longs, weights: Floats, bound: float, loads: Floats) -> float:
    """Greatest load of a member.

    owners: int64[P], member of each partition, from 0 on.
    weights: float64[P], load of each partition, at least 0.
    bound: Load above which no more are added up.
    loads: float64[n], scratch space for the loads of n members.
    """
    loads[:] = 0.0
    result = 0.0
    for p in range(weights.shape[0]):
        loads[owners[p]] += weights[p]
        result = max(result, loads[owners[p]])
        if result > bound:
            break
    return result


@kernel
def greatest_of_blocks(starts: Longs, weights: Floats, bound: float, loads: Floats) -> float:
    """As `greatest`, if each member gets a block of neighbours of each topic.

    The blocks are those of `algorithms.assignment.assignors.block_assignors.place_ranges`; topic t
    starts at ``starts[t]``. Nobody is placed: with a low bound, this ends after a few partitions.
    """
    loads[:] = 0.0
    n, result = loads.shape[0], 0.0
    for t in range(starts.shape[0] - 1):
        p, partitions = starts[t], starts[t + 1] - starts[t]
        size, longer = partitions // n, partitions % n
        for member in range(min(n, partitions)):
            load = loads[member]
            for _ in range(size + (member < longer)):
                load += weights[p]
                p += 1
            loads[member] = load
            result = max(result, load)
            if result > bound:
                return float(result)
    return float(result)
