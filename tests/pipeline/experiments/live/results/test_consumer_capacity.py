"""The speed of a lone consumer, from the bins of its batches."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.live.results.consumer_capacity import LEAST_BATCHES, of_counts
from schemas.tables.live.live_runs import SPEED_BINS
from schemas.verdicts import NOT_REPRODUCED, REPRODUCED

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


@pytest.mark.parametrize(
    ("place", "number", "verdict"),
    [
        (95, LEAST_BATCHES, REPRODUCED),
        (104, LEAST_BATCHES, REPRODUCED),
        (94, LEAST_BATCHES, NOT_REPRODUCED),
        (105, LEAST_BATCHES, NOT_REPRODUCED),
        (99, LEAST_BATCHES - 1, ""),
    ],
)
def test_the_mode_must_be_within_five_percent(place: int, number: int, verdict: str) -> None:
    assert of_counts(counts(**{f"at_{place}": number}), 1.0).verdict == verdict


def test_without_batches_there_is_no_verdict() -> None:
    none = of_counts(counts(), 240_000.0)
    assert (none.batches, none.verdict) == (0, "")
    assert np.isnan(none.mode)
