"""Joins the offsets that several brokers or exporters report of one partition, before rates.

At each time the highest offset counts, as in ``max by (topic, partition) (…)``: a follower that
catches up, or an exporter that replaces another one, is no write. A sample below what another
replica reported shortly before comes from a follower that lags, and does not count either.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces.model import Floats
from pipeline.inputs.traces.rates.sampled_series import Series


def joined(series: Sequence[Series], most: float) -> list[Series]:
    """One series of offsets per partition, in the order in which partitions first appear.

    series: Offsets; series of the same name are replicas. Those without samples are left out.
    most: How long the last sample of a replica stands for it, s.

    >>> at = np.array([0.0, 60.0, 120.0])
    >>> leader, follower = Series("0", at, at * 2), Series("0", at[1:], np.array([100.0, 230.0]))
    >>> joined([leader, follower], 300.0)[0].values.tolist()
    [0.0, 120.0, 240.0]
    """
    own: dict[str, list[Series]] = {}
    for one in series:
        if len(one.times):
            own.setdefault(one.name, []).append(one)
    return [
        replicas[0] if len(replicas) == 1 else _highest(replicas, most) for replicas in own.values()
    ]


def _highest(replicas: Sequence[Series], most: float) -> Series:
    times = np.unique(np.concatenate([one.times for one in replicas]))
    live, falls = np.full(len(times), -np.inf), np.zeros(len(times), dtype=np.bool_)
    for one in replicas:
        places = np.searchsorted(times, one.times)
        live[places] = np.maximum(live[places], one.values)
        falls[places[1:]] |= np.diff(one.values) < 0.0
    highest = np.full(len(times), -np.inf)
    for one in replicas:
        highest = np.maximum(highest, _last_known(one, times, live, falls, most))
    counts = live >= highest
    return Series(replicas[0].name, times[counts], live[counts])


def _last_known(
    one: Series, times: Floats, live: Floats, falls: NDArray[np.bool_], most: float
) -> Floats:
    """The last offset of a replica at times between its samples, -inf where it does not count.

    It counts for ``most`` seconds, except if the topic was created again: then a replica falls,
    and none reaches the offset in that time.
    """
    last = np.searchsorted(one.times, times, side="right") - 1
    counts = _go_on(one, times, live, falls, most)
    holds = (last >= 0) & (times - one.times[last] <= most) & counts[last]
    return np.where(holds, one.values[last], -np.inf)


def _go_on(
    one: Series, times: Floats, live: Floats, falls: NDArray[np.bool_], most: float
) -> NDArray[np.bool_]:
    """Whether the partition goes on from each sample of a replica; mostly its next one says so."""
    is_near = np.diff(one.times) <= most
    counts = np.append(is_near & (np.diff(one.values) >= 0.0), False)
    begins = np.searchsorted(times, one.times, side="right")
    limits = np.searchsorted(times, one.times + most, side="right")
    for place in np.flatnonzero(~counts):
        window = slice(begins[place], limits[place])
        reached = (live[window] >= one.values[place]).any()
        counts[place] = reached or not falls[window].any()
    return counts
