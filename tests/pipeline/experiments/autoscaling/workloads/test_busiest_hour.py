"""The busiest hour of a workload."""

from __future__ import annotations

import numpy as np
import pytest

from pipeline.experiments.autoscaling.workloads import busiest_hour

pytestmark = pytest.mark.unit

STEP_S = 10.0


def day() -> np.ndarray:
    """100 events/s for a day, and 200 from 10 to 11 o'clock."""
    total = np.full(8_640, 100.0)
    total[3_600:3_960] = 200.0
    return np.repeat(total[:, None] / 4.0, 4, axis=1)


def test_it_is_the_hour_with_most_events() -> None:
    assert busiest_hour.starts_s(day(), STEP_S) == 36_000.0
    assert busiest_hour.mean_rate(day(), STEP_S) == pytest.approx(200.0)


@pytest.mark.parametrize("seed", range(20))
def test_it_is_that_of_a_plain_search(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.integers(0, 4, (rng.integers(370, 900), 2)).astype(np.float64)
    totals = [float(rates[k : k + 360].sum()) for k in range(len(rates) - 359)]
    assert busiest_hour.starts_s(rates, STEP_S) == totals.index(max(totals)) * STEP_S


def test_a_shorter_workload_is_its_busiest_hour() -> None:
    short = day()[:100]
    assert busiest_hour.starts_s(short, STEP_S) == 0.0
    assert busiest_hour.mean_rate(short, STEP_S) == pytest.approx(100.0)


def test_what_lasts_begins_early_enough_to_end() -> None:
    late = day()[:3_970]
    assert busiest_hour.starts_s(late, STEP_S, 4_000.0) == 39_700.0 - 4_000.0
    assert busiest_hour.starts_s(late, STEP_S, 50_000.0) == 0.0


def test_an_hour_before_and_eight_after_are_simulated() -> None:
    assert busiest_hour.around(36_000.0, 8_640, STEP_S) == slice(3_240, 6_480)
    assert busiest_hour.around(36_000.0, 8_640, STEP_S, 0.0, 900.0) == slice(3_600, 3_690)
    assert busiest_hour.around(0.0, 100, STEP_S) == slice(0, 100)
