"""Lag and rate of each member under the present assignment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import kernel

_FREE = -1


class Members(NamedTuple):
    """Totals by member, in a table of S places; S is a power of 2, at least 2 P.

    A member has the first place from its id on, cyclically, that no other one has.
    """

    ids: Longs
    """int64[S]: consumer id of each place, -1 = free."""
    lags: Floats
    rates: Floats
    """`lags`, `rates`: float64[S]: totals over the partitions of the member."""


def create(partitions: int) -> Members:
    """An empty table for the owners of P partitions."""
    places = 1 << (2 * partitions - 1).bit_length()
    return Members(np.empty(places, np.int64), np.empty(places), np.empty(places))


@kernel
def any_above(
    members: Members, owners: Longs, lags: Floats, rates: Floats, lag: float, rate: float
) -> bool:
    """Whether some member has more than a lag or more than a rate.

    Totals are added up in the order of the partitions; unowned ones do not count. O(P).
    """
    members.ids[:] = _FREE
    mask = members.ids.shape[0] - 1
    for p in range(owners.shape[0]):
        owner = owners[p]
        if owner < 0:
            continue
        place = owner & mask
        while members.ids[place] != owner and members.ids[place] != _FREE:
            place = (place + 1) & mask
        if members.ids[place] == _FREE:
            members.ids[place] = owner
            members.lags[place] = 0.0
            members.rates[place] = 0.0
        members.lags[place] += lags[p]
        members.rates[place] += rates[p]
        # Totals only grow.
        if members.lags[place] > lag or members.rates[place] > rate:
            return True
    return False
