"""What the time from burst to decision decides."""

from __future__ import annotations

import pytest

from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, EVEN
from pipeline.experiments.live.predictions import phase_sweep
from pipeline.experiments.streams.burst_steps import DRIFTS_S, OFFSETS_S

pytestmark = pytest.mark.unit

RATES = split(three_peaks(600), 5)


def test_the_phase_decides_what_algorithm_2_gives() -> None:
    def in_time(arrivals: str, phase_s: float) -> float:
        return phase_sweep.at(RATES, "least_loaded_2", 10.0, arrivals, phase_s).in_time

    even = in_time(EVEN, 0.0)
    shares = [in_time(BURSTS, phase_s) for phase_s in (0.0, 0.95, 0.8, 0.5)]
    assert even > 99
    # Later decisions see less of the burst: a bit is too much, and half a second shows nothing.
    assert max(shares) - min(shares) > 5
    assert shares[1] > shares[2] > shares[3]


def test_the_sweep_has_a_row_for_each_kind_of_arrivals() -> None:
    rows = list(phase_sweep.rows(RATES, seeds=2))
    assert [row[0] for row in rows[:2]] == ["even", "bursts, decision after 0 s"]
    assert len(rows) == 1 + len(OFFSETS_S) + len(DRIFTS_S)
    assert {len(row) for row in rows} == {5}
    assert all(" to " in cell for cell in rows[-1][1:])
