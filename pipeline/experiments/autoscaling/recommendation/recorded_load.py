"""The load of a recording in figures that later recordings are held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats


class RecordedLoad(NamedTuple):
    """Figures of a load."""

    mean: float
    p95: float
    most: float
    """`mean`, `p95`, `most`: mean, 95th percentile and maximum of the total rate, events/s."""
    shares: dict[str, float]
    """Share of each partition of all events, by its name."""


def load_of(rates: Floats, labels: Sequence[str] = ()) -> RecordedLoad:
    """Figures of rates, ``[N, P]``; partitions without names have their numbers."""
    total = rates.sum(axis=1)
    columns = rates.sum(axis=0)
    shares = columns / max(float(columns.sum()), 1e-300)
    names = labels or [str(column) for column in range(rates.shape[1])]
    return RecordedLoad(
        float(total.mean()),
        float(np.quantile(total, 0.95)),
        float(total.max()),
        dict(zip(names, shares.tolist(), strict=True)),
    )
