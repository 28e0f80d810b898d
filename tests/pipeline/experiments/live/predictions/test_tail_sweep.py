"""The table of what the longest waits come from."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from pipeline.experiments.live.predictions.tail_sweep import (
    BATCHES,
    HEARTBEATS_S,
    PARTITIONS,
    rows,
    tails,
)

pytestmark = pytest.mark.unit


def test_a_load_of_one_consumer_needs_no_rebalance() -> None:
    """20 events/s: a burst of them waits a tenth of a second, whatever else is set."""
    rates = np.full((20, PARTITIONS), 4.0)
    found = tails(rates, "drawn", 3.0, 500, seeds=3) + tails(rates, "whole", 0.5, 1, seeds=3)
    assert [one.in_time for one in found] == [100.0] * 6
    assert [one.longest_s for one in found] == pytest.approx([0.1] * 6, abs=0.01)


def test_whole_heartbeats_are_the_latest_and_batches_prolong_waits() -> None:
    rates = split(three_peaks(200), PARTITIONS)
    median = {
        (kind, batch): np.median([one.longest_s for one in tails(rates, kind, 3.0, batch, seeds=8)])
        for kind in ("whole", "in_step")
        for batch in (1, 500)
    }
    assert median["whole", 1] > median["in_step", 1]
    assert median["in_step", 500] > median["in_step", 1]


def test_each_row_has_a_heartbeat_and_a_batch() -> None:
    listed = list(rows(np.full((5, PARTITIONS), 4.0), seeds=2))
    assert [row[:2] for row in listed] == [
        (f"{heartbeat:g} s", f"{batch}") for heartbeat in HEARTBEATS_S for batch in BATCHES
    ]
    assert {cell for row in listed for cell in row[2:]} == {"0.10 (0.10 to 0.10); 100.0"}
