"""New consumers get the ids of old ones so that the fewest bytes migrate.

An assignment decides which partitions share a consumer; the consumer ids are free to choose. The
ids that keep most bytes in place are a maximum-weight matching of new consumers and old ids. The
weight of a pair is the bytes of the partitions that both have.
"""

from __future__ import annotations

import numpy as np

from algorithms.core.arrays import Floats, Ints
from algorithms.core.compiled import kernel

_NOWHERE = -1

# Rows of ``work_ints``.
_START, _OLD, _MATE, _NAME, _PARENT, _MARK, _HEAP_NODE, _SEEN, _TOUCHED, _MEMBER = range(10)
# Rows of ``work_floats``.
_WEIGHT, _LEFT, _RIGHT, _DISTANCE, _HEAP_KEY = range(5)


def create(partitions: int) -> tuple[Ints, Floats]:
    """Work arrays for a matching of at most `partitions` consumers and ids."""
    return np.empty((10, partitions + 1), np.int32), np.empty((5, partitions + 1))


@kernel
def relabel(keys: Floats, before: Ints, after: Ints, ints: Ints, floats: Floats) -> None:
    """Rename the consumers of `after` if that reduces the migrated bytes."""
    n = keys.shape[0]
    n_edges = _make_edges(keys, before, after, ints, floats)
    if n_edges == 0:
        return
    _match(n, ints, floats)
    _rename(keys, before, after, ints)


@kernel
def _make_edges(keys: Floats, before: Ints, after: Ints, ints: Ints, floats: Floats) -> int:
    """Build the edges of each new consumer: old ids and bytes in common. Returns their number."""
    n = keys.shape[0]
    start, member, mark = ints[_START], ints[_MEMBER], ints[_MARK]
    start[:] = 0
    for j in range(n):
        if after[j] >= 0 and before[j] >= 0:
            start[after[j] + 1] += 1
    for c in range(n):
        start[c + 1] += start[c]
        mark[c] = start[c]
    for j in range(n):
        if after[j] >= 0 and before[j] >= 0:
            member[mark[after[j]]] = j
            mark[after[j]] += 1
    # Merge the partitions of one old id into one edge, and close the gaps.
    mark[:] = _NOWHERE
    edges = 0
    for c in range(n):
        first, begin = edges, start[c]
        for i in range(begin, start[c + 1]):
            j = member[i]
            old = before[j]
            if mark[old] >= first:
                floats[_WEIGHT, mark[old]] += keys[j]
            elif keys[j] > 0.0:
                mark[old] = edges
                ints[_OLD, edges] = old
                floats[_WEIGHT, edges] = keys[j]
                edges += 1
        start[c] = first
    start[n] = edges
    return edges


@kernel
def _match(n: int, ints: Ints, floats: Floats) -> None:
    """Maximum-weight matching: `_NAME` of new consumers, `_MATE` of old ids.

    Dual variables of both sides cover every edge: ``left + right >= weight``. New consumers are
    matched one by one along a shortest augmenting path (Dijkstra on the slack,
    ``left + right - weight``). The path ends at a free old id, or at a new consumer that stays
    without one.
    """
    left, right = floats[_LEFT], floats[_RIGHT]
    ints[_MATE, :] = _NOWHERE
    ints[_NAME, :] = _NOWHERE
    ints[_SEEN, :] = _NOWHERE
    right[:] = 0.0
    for c in range(n):
        left[c] = 0.0
        heaviest = _NOWHERE
        for e in range(ints[_START, c], ints[_START, c + 1]):
            if floats[_WEIGHT, e] > left[c]:
                left[c] = floats[_WEIGHT, e]
                heaviest = e
        if heaviest != _NOWHERE and ints[_MATE, ints[_OLD, heaviest]] == _NOWHERE:
            ints[_MATE, ints[_OLD, heaviest]] = c
            ints[_NAME, c] = ints[_OLD, heaviest]
    for c in range(n):
        if ints[_NAME, c] == _NOWHERE and left[c] > 0.0:
            _augment(c, ints, floats)


@kernel
def _augment(source: int, ints: Ints, floats: Floats) -> None:
    """Match one more new consumer, or leave one without an id, whichever costs less."""
    mate, left, distance = ints[_MATE], floats[_LEFT], floats[_DISTANCE]
    # The nodes of the search are old ids; a new consumer is reached through its id.
    n_touched, n_heap = 0, 0
    c, here = source, 0.0
    loser, best, target = source, left[source], _NOWHERE
    while True:
        n_touched, n_heap = _relax(source, c, here, best, n_touched, n_heap, ints, floats)
        old, n_heap = _next(n_heap, ints, floats)
        if old == _NOWHERE or distance[old] >= best:
            break
        here = distance[old]
        if mate[old] == _NOWHERE:
            target, best = old, here
            break
        c = mate[old]
        if here + left[c] < best:
            best, loser = here + left[c], c
    _correct_duals(source, best, n_touched, ints, floats)
    if target == _NOWHERE:
        target = ints[_NAME, loser]
        ints[_NAME, loser] = _NOWHERE
    if target != _NOWHERE:
        _flip(source, target, ints)


@kernel
def _relax(
    source: int,
    c: int,
    here: float,
    best: float,
    n_touched: int,
    n_heap: int,
    ints: Ints,
    floats: Floats,
) -> tuple[int, int]:
    """Extend the path from a new consumer to its old ids where that is shorter than known."""
    seen, distance = ints[_SEEN], floats[_DISTANCE]
    for e in range(ints[_START, c], ints[_START, c + 1]):
        old = ints[_OLD, e]
        slack = floats[_LEFT, c] + floats[_RIGHT, old] - floats[_WEIGHT, e]
        there = here + max(slack, 0.0)
        if there >= best or (seen[old] == source and distance[old] <= there):
            continue
        if seen[old] != source:
            seen[old] = source
            ints[_TOUCHED, n_touched] = old
            n_touched += 1
        distance[old] = there
        ints[_PARENT, old] = c
        n_heap = _push(ints, floats, n_heap, there, old)
    return n_touched, n_heap


@kernel
def _next(n_heap: int, ints: Ints, floats: Floats) -> tuple[int, int]:
    """Nearest old id, or -1, and the size of the heap; outdated entries of the heap are skipped."""
    while n_heap > 0:
        key, node = floats[_HEAP_KEY, 0], ints[_HEAP_NODE, 0]
        n_heap = _pop(ints, floats, n_heap)
        if key == floats[_DISTANCE, node]:
            return int(node), n_heap
    return _NOWHERE, n_heap


@kernel
def _correct_duals(source: int, best: float, n_touched: int, ints: Ints, floats: Floats) -> None:
    floats[_LEFT, source] -= best
    for i in range(n_touched):
        old = ints[_TOUCHED, i]
        over = best - floats[_DISTANCE, old]
        if over > 0.0:
            floats[_RIGHT, old] += over
            if ints[_MATE, old] != _NOWHERE:
                c = ints[_MATE, old]
                floats[_LEFT, c] = max(floats[_LEFT, c] - over, 0.0)


@kernel
def _flip(source: int, target: int, ints: Ints) -> None:
    """Change the matching along the path from a new consumer to an old id."""
    old = target
    while True:
        c = ints[_PARENT, old]
        name = ints[_NAME, c]
        ints[_NAME, c] = old
        ints[_MATE, old] = c
        if c == source:
            return
        old = name


@kernel
def _push(ints: Ints, floats: Floats, n: int, key: float, node: int) -> int:
    """Push onto the heap: lowest key first, ties by lowest id."""
    keys, nodes = floats[_HEAP_KEY], ints[_HEAP_NODE]
    i = n
    while i > 0:
        up = (i - 1) // 2
        if keys[up] < key or (keys[up] == key and nodes[up] <= node):
            break
        keys[i], nodes[i] = keys[up], nodes[up]
        i = up
    keys[i], nodes[i] = key, node
    return n + 1


@kernel
def _pop(ints: Ints, floats: Floats, n: int) -> int:
    keys, nodes = floats[_HEAP_KEY], ints[_HEAP_NODE]
    n -= 1
    key, node = keys[n], nodes[n]
    i = 0
    while True:
        down = 2 * i + 1
        if down >= n:
            break
        if down + 1 < n and (
            keys[down + 1] < keys[down]
            or (keys[down + 1] == keys[down] and nodes[down + 1] < nodes[down])
        ):
            down += 1
        if key < keys[down] or (key == keys[down] and node <= nodes[down]):
            break
        keys[i], nodes[i] = keys[down], nodes[down]
        i = down
    keys[i], nodes[i] = key, node
    return n


@kernel
def _rename(keys: Floats, before: Ints, after: Ints, ints: Ints) -> None:
    """Use the new ids if they reduce the migrated bytes."""
    names = ints[_NAME]
    _name_the_rest(after, ints)
    old_moved, new_moved = 0.0, 0.0
    for j in range(keys.shape[0]):
        if after[j] >= 0 and before[j] >= 0:
            old_moved += keys[j] if after[j] != before[j] else 0.0
            new_moved += keys[j] if names[after[j]] != before[j] else 0.0
    if new_moved < old_moved:
        for j in range(keys.shape[0]):
            if after[j] >= 0:
                after[j] = names[after[j]]


@kernel
def _name_the_rest(after: Ints, ints: Ints) -> None:
    """Give unmatched consumers the lowest free ids, in ascending order."""
    names, used, taken = ints[_NAME], ints[_SEEN], ints[_MARK]
    used[:] = 0
    taken[:] = 0
    for c in after:
        if c >= 0:
            used[c] = 1
            if names[c] != _NOWHERE:
                taken[names[c]] = 1
    free = 0
    for c in range(after.shape[0]):
        if used[c] and names[c] == _NOWHERE:
            while taken[free]:
                free += 1
            names[c] = free
            free += 1
