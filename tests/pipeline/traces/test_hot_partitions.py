"""Which partitions are hot: those that are faster than one consumer, at some time."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.traces import hot_partitions
from pipeline.traces.hot_partitions import Peak

pytestmark = pytest.mark.unit

CAPACITY = 100.0

RATES = np.array(
    [[100.0, 20.0, np.nan, 99.0], [0.0, 100.5, np.nan, 99.9], [1.0, np.nan, np.nan, 0]]
)
"""At the capacity, above it once, never there, and below it."""


def test_a_partition_at_the_capacity_is_not_hot() -> None:
    peaks = hot_partitions.peak_rates(RATES)
    assert peaks.tolist() == [100.0, 100.5, 0.0, 99.9]
    assert hot_partitions.are_hot(peaks, CAPACITY).tolist() == [False, True, False, False]


def test_named_peaks_are_judged_alike() -> None:
    named = [Peak(str(j), rate, "noon") for j, rate in enumerate((100.0, 100.5, 0.0, 99.9))]
    assert [peak.name for peak in hot_partitions.hot(named, CAPACITY)] == ["1"]
    assert hot_partitions.hot([], CAPACITY) == []
    assert hot_partitions.sentence(named, CAPACITY).startswith("Hot partition: 1, up to ")
    assert hot_partitions.sentence(named, 100.5) == ""


def test_the_load_without_them_is_that_of_all_others() -> None:
    assert hot_partitions.load_without(RATES, 60.0, CAPACITY) == (199.0, 4)
    assert hot_partitions.load_without(RATES, 60.0, 100.5) is None
