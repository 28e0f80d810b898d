"""Joins the offsets that several brokers or exporters report of one partition, before rates.

At each time the highest offset counts, as in ``max by (topic, partition) (…)``: a follower that
catches up, or an exporter that replaces another one, is no write. A sample below what another
replica reported shortly before comes from a follower that lags, and does not count either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipeline.traces.model import Floats
from pipeline.traces.sampled_series import Series


def joined(series: Sequence[Series], most: float) -> list[Series]:
    """One series of offsets per partition, in the order in which partitions first appear.

    Parameters
    ----------
    series
        Offsets; series of the same name are replicas.
    most
        How long the last sample of a replica stands for it, s.

    Examples
    --------
    >>> at = np.array([0.0, 60.0, 120.0])
    >>> leader, follower = Series("0", at, at * 2), Series("0", at[::2] + 1, np.array([0.0, 200]))
    >>> joined([leader, follower], 300.0)[0].values.tolist()
    [0.0, 120.0, 240.0]
    """
    own: dict[str, list[Series]] = {}
    for one in series:
        own.setdefault(one.name, []).append(one)
    return [
        replicas[0] if len(replicas) == 1 else _highest(replicas, most) for replicas in own.values()
    ]


def _highest(replicas: Sequence[Series], most: float) -> Series:
    times = np.unique(np.concatenate([one.times for one in replicas]))
    live = np.full(len(times), -np.inf)
    for one in replicas:
        places = np.searchsorted(times, one.times)
        live[places] = np.maximum(live[places], one.values)
    known = np.full(len(times), -np.inf)
    for one in replicas:
        known = np.maximum(known, _last_known(one, times, live, most))
    counts = live >= known
    return Series(replicas[0].name, times[counts], live[counts])


def _last_known(one: Series, times: Floats, live: Floats, most: float) -> Floats:
    """The last offset of a replica at times between its samples, -inf where it does not count.

    It counts for ``most`` if the partition goes on from it: the replica's next offset, or one
    of another replica, reaches it in that time. Otherwise the topic was created again.
    """
    begins = np.searchsorted(times, one.times, side="right")
    ends = np.append(np.searchsorted(times, one.times[1:]), len(times))
    limits = np.searchsorted(times, one.times + most, side="right")
    known = np.full(len(times), -np.inf)
    for place, (begin, end) in enumerate(zip(begins, np.minimum(ends, limits), strict=True)):
        if end > begin and _goes_on(live[begin : limits[place]], one.values[place]):
            known[begin:end] = one.values[place]
    return known


def _goes_on(following: Floats, value: float) -> bool:
    return bool((following >= value).any())
