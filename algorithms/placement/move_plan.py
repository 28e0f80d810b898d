"""Placements of replicas on brokers, and plans that change them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.core.input_errors import InvalidParameterError

Replicas = Sequence[Sequence[int]]
"""Brokers of each partition, the preferred leader first."""

BrokerLists = tuple[tuple[int, ...], ...]
"""The same of a plan, in the order of the partitions."""


class LeastPlan(NamedTuple):
    """Where replicas are to be, with the fewest moves."""

    replicas: BrokerLists
    """Brokers of each partition, the preferred leader first, in the order of the input."""
    moves: int
    """Replicas that are on a broker after the plan, and were not on it before."""
    bound: int
    """Moves that no plan with the same numbers of replicas per broker can do without."""


class Places(NamedTuple):
    """A checked placement as arrays, by the position of partitions and remaining brokers."""

    brokers: tuple[int, ...]
    """Brokers that have replicas after the plan, ascending."""
    needs: Longs
    """int64[P]: replicas of each partition."""
    holds: Bools
    """bool[B, P]: whether a broker has a replica."""
    leads: Bools
    """bool[B, P]: whether it is the preferred leader."""
    sizes: Floats
    """float64[P]: bytes of one replica."""


def places(replicas: Replicas, brokers: Iterable[int], sizes: Sequence[float] | None) -> Places:
    """Check a placement.

    Raises InvalidParameterError if there are no partitions or brokers, a partition has no replica,
        one broker twice or more replicas than brokers remain, or a size is not finite and at least
        0.
    """
    remaining = tuple(sorted(set(brokers)))
    if not remaining or not replicas:
        raise InvalidParameterError(
            f"brokers and replicas must not be empty (got {len(remaining)} brokers and "
            f"{len(replicas)} partitions)"
        )
    needs = np.array([len(row) for row in replicas], dtype=np.int64)
    for number, row in enumerate(replicas):
        if not 1 <= len(set(row)) == len(row) <= len(remaining):
            raise InvalidParameterError(
                f"replicas[{number}] must have between 1 and {len(remaining)} different brokers, "
                f"as many as remain (got {list(row)})"
            )
    columns = {broker: column for column, broker in enumerate(remaining)}
    cells = [
        (columns[broker], number, place == 0)
        for number, row in enumerate(replicas)
        for place, broker in enumerate(row)
        if broker in columns
    ]
    holders, rows, firsts = np.array(cells, dtype=np.int64).reshape(-1, 3).T
    holds = np.zeros((len(remaining), len(replicas)), dtype=np.bool_)
    leads = holds.copy()
    holds[holders, rows] = True
    leads[holders, rows] = firsts.astype(np.bool_)
    return Places(remaining, needs, holds, leads, _sizes(sizes, len(replicas)))


def rack_numbers(brokers: Sequence[int], racks: Mapping[int, str] | None) -> Longs | None:
    """Number of each broker's rack; None without racks.

    Raises InvalidParameterError if only some brokers have one.
    """
    if not racks:
        return None
    without = [broker for broker in brokers if not racks.get(broker)]
    if without:
        raise InvalidParameterError(
            f"racks must name the rack of all brokers or of none (none for broker {without[0]})"
        )
    return np.unique([racks[broker] for broker in brokers], return_inverse=True)[1].astype(np.int64)


def listed(place: Places, before: Replicas, holds: Bools, leads: Bools) -> BrokerLists:
    """Brokers of each partition: the leader, those that stay in their order, then new ones.

    holds, leads: bool[B, P], as in `Places`.
    """
    rows, columns = np.nonzero(holds.T)
    held = np.split(np.array(place.brokers)[columns], np.flatnonzero(np.diff(rows)) + 1)
    leaders = np.array(place.brokers)[leads.argmax(axis=0)].tolist()
    lists = []
    for old, kept, leader in zip(before, map(np.ndarray.tolist, held), leaders, strict=True):
        order = [leader, *(broker for broker in old if broker in kept), *kept]
        lists.append(tuple(dict.fromkeys(order)))
    return tuple(lists)


def _sizes(sizes: Sequence[float] | None, partitions: int) -> Floats:
    values = np.ones(partitions) if sizes is None else np.asarray(sizes, dtype=np.float64)
    if values.shape != (partitions,):
        raise InvalidParameterError(
            f"sizes must have one value for each of {partitions} partitions (got {values.shape})"
        )
    wrong = next((v for v in values.tolist() if not (math.isfinite(v) and v >= 0.0)), None)
    if wrong is not None:
        raise InvalidParameterError(f"sizes must be finite and at least 0 bytes (got {wrong})")
    return values
