"""One iteration after a given assignment, as a problem of what its consumers keep."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.bounds.sizes import limit_of
from algorithms.core.arrays import Bools, Floats, Ints, Longs

NO_HOME = -1


class Kept(NamedTuple):
    """Partitions that share consumers, and their old consumers; speeds and loads in units of C."""

    which: Longs
    """int64[n]: index of each partition in the iteration."""
    sizes: Floats
    """float64[n]: speeds, above 0 and at most `limit`."""
    homes: Longs
    """int64[n]: consumer of the last iteration, numbered from 0; `NO_HOME` for an arrival, and
    where a partition above C takes that consumer."""
    n_homes: int
    """Number of these consumers."""
    room: int
    """Consumers that may be used; negative if partitions above C alone are too many."""
    forced: float
    """Speed of partitions that migrate in any case and are not counted elsewhere."""
    limit: float
    """Allowed load."""

    @property
    def at_home(self) -> Bools:
        """``bool[n_homes, n]``, the partitions of each consumer."""
        return np.asarray(self.homes == np.arange(self.n_homes)[:, np.newaxis])

    @property
    def gains(self) -> Floats:
        """``float64[n_homes, n]``, speed that a consumer keeps with a partition."""
        return np.asarray(np.where(self.at_home, self.sizes, 0.0))

    @property
    def total(self) -> float:
        """Speed of all partitions that have a home."""
        return float(self.sizes[self.homes != NO_HOME].sum())


def kept(speeds: Floats, capacity: float, before: Ints, consumers: int) -> Kept:
    """Build the problem of one iteration.

    A partition above C is alone. Of those of one consumer, the fastest stays: anything else that
    the consumer could keep is less. Further ones, and those that arrive, get a new consumer each.
    Partitions with speed 0 cost nothing and fit anywhere, so they are left out.
    """
    limit = limit_of(capacity)
    above = np.flatnonzero(speeds > limit)
    forced, taken = 0.0, set()
    for j in above[np.argsort(-speeds[above], kind="stable")]:
        if before[j] >= 0 and int(before[j]) in taken:
            forced += speeds[j]
        elif before[j] >= 0:
            taken.add(int(before[j]))
    which = np.flatnonzero((speeds > 0.0) & (speeds <= limit))
    which = which[np.argsort(-speeds[which], kind="stable")]
    evicted = np.isin(before[which], list(taken))
    forced += float(speeds[which][evicted].sum())
    old = np.where(evicted, -1, before[which])
    names = np.unique(old[old >= 0])
    homes = np.where(old >= 0, np.searchsorted(names, old), NO_HOME).astype(np.int64)
    return Kept(
        which=which,
        sizes=speeds[which] / capacity,
        homes=homes,
        n_homes=int(names.size),
        room=consumers - int(above.size),
        forced=forced / capacity,
        limit=limit / capacity,
    )


def names_of(problem: Kept, before: Ints) -> Ints:
    """Id of each home in the assignment before."""
    names = np.empty(problem.n_homes, dtype=np.int32)
    has_home = problem.homes != NO_HOME
    names[problem.homes[has_home]] = before[problem.which[has_home]]
    return names
