"""The speed of a lone consumer, from the bins of its batches."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.live.results.consumer_capacity import of_counts
from schemas.tables.live.live_runs import SPEED_BINS

pytestmark = pytest.mark.unit


def counts(**batches: int) -> np.ndarray:
    """Batches by bin, such as ``at_98=3``."""
    bins = np.zeros(SPEED_BINS)
    for name, number in batches.items():
        bins[int(name.removeprefix("at_"))] = number
    return bins


def test_mode_and_median_are_the_middles_of_their_bins() -> None:
    one = of_counts(counts(at_60=6, at_97=4, at_98=3, at_99=4), 240_000.0)
    # The single highest bin is an outlier: its neighbours are empty.
    assert one.mode == pytest.approx(0.985)
    assert one.median == pytest.approx(0.975)
    assert one.batches == 17
    assert one.density.sum() == pytest.approx(1.0)


def test_without_batches_there_is_no_mode() -> None:
    none = of_counts(counts(), 240_000.0)
    assert (none.batches, none.words) == (0, "–")
    assert np.isnan(none.mode)
