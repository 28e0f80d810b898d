"""The shuffled order of partitions; `algorithms.core.sorting` has the sorted one."""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import MAX_PARTITIONS, Longs, check_count, check_seed
from algorithms.core.compiled import kernel
from algorithms.core.keyed_draws import GAMMA, mix

_S32 = np.uint64(32)


def permutation(partitions: int, seed: int, iteration: int) -> Longs:
    """Shuffled order in which the online algorithms take the partitions at one iteration.

    Returns: int64[P], every partition index once. It depends only on the arguments: all online
        algorithms take a stream's partitions in the same order. Callers skip absent partitions.

    Fisher-Yates with numbers from SplitMix64 (Steele, Lea, Flood 2014), whose state starts at a
    hash of seed and iteration. O(P). An index is drawn by a multiplication with the upper 32
    bits, so two orders differ in probability by a relative P / 2**32 at most.

    >>> sorted(permutation(5, seed=7, iteration=0).tolist())
    [0, 1, 2, 3, 4]
    """
    order = np.empty(check_count("partitions", partitions, 1, MAX_PARTITIONS), dtype=np.int64)
    first = check_count("iteration", iteration, 0, MAX_PARTITIONS)
    # The generator's arithmetic is modulo 2**64; uncompiled, NumPy would warn about it.
    with np.errstate(over="ignore"):
        shuffle(order, check_seed(seed), first)
    return order


@kernel
def shuffle(order: Longs, seed: int, iteration: int) -> None:
    """Fill `order` with `permutation`."""
    n = order.shape[0]
    for i in range(n):
        order[i] = i
    state = mix(mix(np.uint64(seed) + GAMMA) + np.uint64(iteration) * GAMMA)
    for i in range(n - 1, 0, -1):
        state += GAMMA
        j = np.int64(((mix(state) >> _S32) * np.uint64(i + 1)) >> _S32)
        order[i], order[j] = order[j], order[i]
