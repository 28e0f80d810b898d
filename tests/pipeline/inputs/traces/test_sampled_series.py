"""Rates of sampled counters and rates, against a reference second by second."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.inputs.traces.rates.sampled_series import (
    LOOKBACK_S,
    Rates,
    Reset,
    Series,
    rates_of,
    usual_step,
)
from tests.pipeline.inputs.traces.plain_rates import Samples, increase, rate_by_second

pytestmark = pytest.mark.unit

FILE = Path("t.json")


def series(*listed: Samples) -> list[Series]:
    return [
        Series(f"p{j}", *np.array(samples, dtype=np.float64).T) for j, samples in enumerate(listed)
    ]


def rates(*listed: Samples, counters: bool = True) -> Rates:
    return rates_of(FILE, series(*listed), counters)


def test_a_counter_becomes_a_rate_that_holds_from_the_first_sample() -> None:
    sampled = rates([(100, 5.0), (110, 25.0), (120, 25.0)])
    assert sampled.times.tolist() == [100.0, 110.0]
    assert sampled.rates.tolist() == [[2.0], [0.0]]
    assert (sampled.resets, sampled.still) == ((), 0.5)


def test_after_a_fall_all_of_the_value_is_new() -> None:
    sampled = rates([(0, 100.0), (10, 160.0), (20, 30.0), (30, 50.0)])
    assert sampled.rates[:, 0].tolist() == [6.0, 3.0, 2.0]
    assert sampled.resets == (Reset("p0", 20.0),)


def test_a_missing_sample_is_bridged_for_the_lookback() -> None:
    """Five minutes, as Prometheus', or three usual steps if these are longer."""
    steps = [(t, float(t)) for t in (0, 60, 120)]
    bridged = rates([*steps, (420, 720.0), (480, 780.0)])
    assert bridged.times.tolist() == [0, 60, 120, 180, 240, 300, 360, 420]
    assert bridged.rates[:, 0].tolist() == [1.0, 1.0, *[2.0] * 5, 1.0]
    unknown = rates([*steps, (430, 720.0), (490, 780.0)])
    assert unknown.times.tolist() == [0, 60, 430]
    hours = rates([(0, 0.0), (3600, 3600.0), (7200, 7200.0), (18000, 18000.0)])
    assert hours.rates[:, 0].tolist() == [1.0] * 5


def test_a_partition_without_samples_has_no_rate_while_others_have() -> None:
    regular = [(t, float(t)) for t in range(0, 1200, 60)]
    sampled = rates(regular, [(t, v) for t, v in regular if not 120 < t < 900])
    absent = np.isnan(sampled.rates[:, 1])
    assert sampled.times[absent].tolist() == list(range(120, 900, 60))
    assert not np.isnan(sampled.rates[:, 0]).any()


def test_rates_with_common_times_stay_as_they_are() -> None:
    values = [0.1, 1 / 3, 7e11, 0.0]
    samples = [(60 * k, v) for k, v in enumerate(values)]
    sampled = rates(samples, samples, counters=False)
    assert sampled.rates[:, 0].tolist() == values
    assert sampled.times.tolist() == [0, 60, 120, 180]
    assert rates([(5, 2.5)], counters=False).rates.tolist() == [[2.5]]


def test_partitions_with_times_of_their_own_are_averaged_over_steps() -> None:
    """Two brokers are scraped at other seconds; no message is lost."""
    first = [(t, 2.0 * t) for t in range(0, 601, 60)]
    second = [(t + 20, 5.0 * t) for t in range(0, 601, 60)]
    sampled = rates(first, second, [(t + 41, t * 1.0) for t in range(0, 601, 60)])
    assert sampled.is_aligned
    assert np.diff(sampled.times).tolist() == [60.0] * (len(sampled.times) - 1)
    assert np.nanmax(sampled.rates, axis=0).tolist() == [2.0, 5.0, 1.0]
    assert np.nanmin(sampled.rates, axis=0).tolist() == [2.0, 5.0, 1.0]


@pytest.mark.slow
def test_too_many_times_are_refused_before_they_take_memory() -> None:
    far = [[(j, 0.0), (7 + j, 1.0), (10**12 + j, 2.0)] for j in range(4)]
    with pytest.raises(InputError, match="at most 1,000,000 times"):
        rates(*far, counters=False)
    dense = [(t, float(t)) for t in range(0, 3_000_000, 3)]
    with pytest.raises(InputError, match="at most 1,000,000 times"):
        rates(dense, [(2_999_998, 5.0), (3_000_290, 6.0)])


SAMPLES = st.lists(
    st.tuples(st.integers(0, 4000), st.integers(0, 50)), min_size=1, max_size=25,
    unique_by=lambda sample: sample[0],
).map(lambda samples: [(t, float(v)) for t, v in sorted(samples)])  # fmt: skip
MANY = st.lists(SAMPLES, min_size=1, max_size=4)


def reference(many: list[Samples], counters: bool) -> tuple[int, list[dict[int, float]]]:
    step = int(usual_step(series(*many)) or 1)
    longest = max(LOOKBACK_S, 3.0 * step) * 1.01
    return step, [rate_by_second(samples, counters, longest, step) for samples in many]


@given(MANY, st.booleans())
def test_rates_are_those_of_the_reference(many: list[Samples], counters: bool) -> None:
    step, plain = reference(many, counters)
    sampled = rates(*many, counters=counters)
    times = sampled.times.astype(int).tolist()
    for column, by_second in enumerate(plain):
        for row, time in enumerate(times):
            if sampled.is_aligned:
                observed = [by_second[s] for s in range(time, time + step) if s in by_second]
                expected = sum(observed) / len(observed) if 2 * len(observed) >= step else math.nan
            else:
                expected = by_second.get(time, math.nan)
            assert sampled.rates[row, column] == pytest.approx(
                expected, rel=1e-9, abs=1e-9, nan_ok=True
            )
    if not sampled.is_aligned:
        known_starts = {
            time for samples, by_second in zip(many, plain, strict=True)
            for time, _ in samples if time in by_second
        }  # fmt: skip
        assert known_starts <= set(times)
    assert (np.diff(sampled.times) > 0).all()
    assert not np.isnan(sampled.rates).all(axis=1).any()


@given(SAMPLES)
def test_rates_add_up_to_what_a_counter_counted(samples: Samples) -> None:
    """Between samples at most five minutes apart, rate × time is Prometheus' increase."""
    near = [samples[0]]
    for time, value in samples[1:]:
        near.append((min(time, near[-1][0] + 300), value))
    near = [pair for k, pair in enumerate(near) if k == 0 or pair[0] > near[k - 1][0]]
    if len(near) < 2:
        return
    sampled = rates(near)
    counted = sum(increase(a, b) for (_, a), (_, b) in pairwise(near))
    lengths = np.diff(np.append(sampled.times, near[-1][0]))
    assert float((sampled.rates[:, 0] * lengths).sum()) == pytest.approx(counted)


@given(MANY, st.integers(0, 10**9))
def test_rates_do_not_depend_on_when_a_recording_began(many: list[Samples], shift: int) -> None:
    before, after = rates(*many), rates(*[[(t + shift, v) for t, v in one] for one in many])
    assert (after.times - shift).tolist() == before.times.tolist()
    assert np.array_equal(after.rates, before.rates, equal_nan=True)
