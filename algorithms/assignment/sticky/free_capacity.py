"""Open consumers filed by their free capacity, to find those with just enough of it.

Free capacity from 0 to C is divided into as many buckets as there are partitions. The consumers of
a bucket are a list, the last one filed first. A bitmap with a second level above it marks the
buckets that hold any. Filing a consumer is O(1). A search checks at most `LOOK` consumers of a
bucket, so that it is O(1) on average even if many consumers have the same load. Of those it checks,
it takes the one with the highest load, ties to the lowest id.

Consumers that are empty or above the capacity are not filed.
"""

from __future__ import annotations

import numpy as np

from algorithms.assignment.sticky.state import State
from algorithms.core.arrays import Ints, Longs
from algorithms.core.compiled import inlined, kernel

OWNER, FIRST, NEXT, PREVIOUS, COUNT = 0, 1, 2, 3, 4
_BUCKET, _BEHIND, _AHEAD, _HEAD = 5, 6, 7, 8
ROWS = 9
"""Number of rows of ``links``; the first are those of `algorithms.assignment.sticky.ledger`."""

LOOK = 12
_NOWHERE = -1
_FEWEST = 64
_BITS = 32


def create(partitions: int) -> Ints:
    """Create the links of a state; call `clear` before use."""
    return np.zeros((ROWS, max(partitions, _FEWEST)), np.int32)


def create_bits(links: Ints) -> Longs:
    """Create the bitmap of all buckets, and its second level."""
    words = (links.shape[1] + _BITS - 1) // _BITS
    return np.zeros(words + (words + _BITS - 1) // _BITS, np.int64)


@kernel
def clear(state: State) -> None:
    """Remove all members and consumers."""
    links, bits = state.links, state.bits
    bits[:] = 0
    for i in range(links.shape[1]):
        links[FIRST, i] = _NOWHERE
        links[COUNT, i] = 0
        links[_BUCKET, i] = _NOWHERE
        links[_HEAD, i] = _NOWHERE


@inlined
def bucket_of(state: State, free: float) -> int:
    """Bucket of a free capacity from 0 to C."""
    links, capacity = state.links, state.capacity
    n = links.shape[1]
    return int(min(int(free / capacity * n), n - 1))


@inlined
def file(state: State, c: int) -> None:
    """Move a consumer whose load has changed to its bucket. O(1)."""
    links, loads, capacity = state.links, state.loads, state.capacity
    free = capacity - loads[c]
    bucket = _NOWHERE
    if links[COUNT, c] > 0 and free >= 0.0:
        bucket = bucket_of(state, free)
    old = links[_BUCKET, c]
    if bucket == old:
        return
    if old != _NOWHERE:
        _take_out(state, c, old)
    links[_BUCKET, c] = bucket
    if bucket != _NOWHERE:
        _put_in(state, c, bucket)


@inlined
def _take_out(state: State, c: int, bucket: int) -> None:
    links, bits = state.links, state.bits
    ahead, behind = links[_AHEAD, c], links[_BEHIND, c]
    if behind != _NOWHERE:
        links[_AHEAD, behind] = ahead
    if ahead != _NOWHERE:
        links[_BEHIND, ahead] = behind
        return
    links[_HEAD, bucket] = behind
    if behind == _NOWHERE:
        word = bucket // _BITS
        bits[word] &= ~(1 << (bucket % _BITS))
        if bits[word] == 0:
            bits[_words(links) + word // _BITS] &= ~(1 << (word % _BITS))


@inlined
def _put_in(state: State, c: int, bucket: int) -> None:
    links, bits = state.links, state.bits
    behind = links[_HEAD, bucket]
    links[_AHEAD, c] = _NOWHERE
    links[_BEHIND, c] = behind
    links[_HEAD, bucket] = c
    if behind != _NOWHERE:
        links[_AHEAD, behind] = c
        return
    word = bucket // _BITS
    bits[word] |= 1 << (bucket % _BITS)
    bits[_words(links) + word // _BITS] |= 1 << (word % _BITS)


@inlined
def _words(links: Ints) -> int:
    return (int(links.shape[1]) + _BITS - 1) // _BITS


@kernel
def _lowest_bit(word: int) -> int:
    place = 0
    for step in (16, 8, 4, 2, 1):
        if word & ((1 << step) - 1) == 0:
            word >>= step
            place += step
    return place


@kernel
def _highest_bit(word: int) -> int:
    place = 0
    for step in (16, 8, 4, 2, 1):
        if word >> step:
            word >>= step
            place += step
    return place


@inlined
def next_bucket(state: State, bucket: int) -> int:
    """First bucket from this one upwards that holds a consumer, or -1."""
    links, bits = state.links, state.bits
    if bucket >= links.shape[1]:
        return _NOWHERE
    word = bucket // _BITS
    rest = bits[word] >> (bucket % _BITS)
    if rest:
        return bucket + _lowest_bit(rest)
    words, word = _words(links), word + 1
    upper = words + word // _BITS
    if upper >= bits.shape[0]:
        return _NOWHERE
    rest = bits[upper] >> (word % _BITS) << (word % _BITS)
    while not rest:
        upper += 1
        if upper == bits.shape[0]:
            return _NOWHERE
        rest = bits[upper]
    word = (upper - words) * _BITS + _lowest_bit(rest)
    return word * _BITS + _lowest_bit(bits[word])


@inlined
def last_bucket(state: State, bucket: int) -> int:
    """First bucket from this one downwards that holds a consumer, or -1."""
    links, bits = state.links, state.bits
    if bucket < 0:
        return _NOWHERE
    word = bucket // _BITS
    rest = bits[word] & ((2 << (bucket % _BITS)) - 1)
    if rest:
        return word * _BITS + _highest_bit(rest)
    words, word = _words(links), word - 1
    if word < 0:
        return _NOWHERE
    upper = words + word // _BITS
    rest = bits[upper] & ((2 << (word % _BITS)) - 1)
    while not rest:
        upper -= 1
        if upper < words:
            return _NOWHERE
        rest = bits[upper]
    word = (upper - words) * _BITS + _highest_bit(rest)
    return word * _BITS + _highest_bit(bits[word])


@inlined
def first_in(state: State, bucket: int) -> int:
    """First consumer of a bucket, or -1."""
    return int(state.links[_HEAD, bucket])


@inlined
def behind(state: State, c: int) -> int:
    """Consumer behind another one in its bucket, or -1."""
    return int(state.links[_BEHIND, c])


@inlined
def best_fit(state: State, speed: float, reserve: float, avoid: int, shun: int) -> int:
    """Fullest consumer with room for speed and reserve, except `avoid` and `shun`; or -1."""
    links, loads, capacity = state.links, state.loads, state.capacity
    need = speed + reserve
    if need > capacity:
        return _NOWHERE
    bucket = next_bucket(state, bucket_of(state, need))
    while bucket != _NOWHERE:
        best, looked = _NOWHERE, 0
        c = links[_HEAD, bucket]
        while c != _NOWHERE and looked < LOOK:
            looked += 1
            if (
                c != avoid
                and c != shun
                and loads[c] + speed <= capacity
                and loads[c] + need <= capacity
                and _fuller(state, c, best)
            ):
                best = c
            c = links[_BEHIND, c]
        if best != _NOWHERE:
            return int(best)
        bucket = next_bucket(state, bucket + 1)
    return _NOWHERE


@inlined
def _fuller(state: State, c: int, other: int) -> bool:
    loads = state.loads
    if other == _NOWHERE:
        return True
    return bool(loads[c] > loads[other] or (loads[c] == loads[other] and c < other))
