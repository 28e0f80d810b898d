"""Response times along the paths of an application, summarised."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.simulation.application_graph import Application, Path
from algorithms.simulation.application_measures import end_intervals
from algorithms.simulation.application_result import IntervalResponses, PathResponses
from algorithms.simulation.application_state import SAMPLES, State

_PERCENTS = (50, 90, 99)


def summarise(application: Application, state: State, r_max: float) -> tuple[PathResponses, ...]:
    """Figures of all paths; ends the last interval. O(n) for n response times."""
    end_intervals(state.responses)
    count = state.counters[SAMPLES]
    samples, paths = state.responses.sample[:count], state.responses.path[:count]
    totals, peaks = state.responses.total.tolist(), state.responses.peak.tolist()
    return tuple(
        _path(path, samples[paths == i], totals[i], peaks[i], r_max)
        for i, path in enumerate(application.paths)
    )


def by_interval(state: State, paths: int, ends: Sequence[int]) -> IntervalResponses:
    """Responses in each interval. O(n) for n response times.

    paths: Number of paths.
    ends: Response times until the end of each interval.
    """
    counts = np.zeros((len(ends), paths), dtype=np.int64)
    totals = np.zeros((len(ends), paths))
    for row, (first, last) in enumerate(pairwise((0, *ends))):
        of = state.responses.path[first:last]
        counts[row] = np.bincount(of, minlength=paths)
        totals[row] = np.bincount(of, state.responses.sample[first:last], paths)
    return IntervalResponses(counts, totals / np.where(counts > 0, counts, np.nan))


def _path(path: Path, samples: Floats, total: float, peak: float, r_max: float) -> PathResponses:
    count = samples.size
    if count == 0:
        return PathResponses(path, 0, None, None, None, None, None, None, None)
    ranks = [-(-percent * count // 100) - 1 for percent in _PERCENTS]
    ordered = np.partition(samples, [*ranks, count - 1])
    p50, p90, p99 = (float(ordered[rank]) for rank in ranks)
    above = int(np.count_nonzero(samples > r_max)) / count
    return PathResponses(path, count, total / count, p50, p90, p99, float(ordered[-1]), above, peak)
