"""The latency model, against hand-worked numbers and the enumerating reference."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import registry
from algorithms.core.input_errors import InvalidParameterError
from algorithms.scores.latency_model import HISTOGRAM_EDGES, LatencySummary, summarise
from algorithms.workloads import random_walk
from tests import naive_latency
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

NAN, INF = math.nan, math.inf


def check(
    rates: cases.Rates, consumers: cases.Consumers, capacity: float, *seconds: float
) -> LatencySummary:
    """Hold a summary against the enumeration: every number equal, none merely close."""
    rows, assignments = cases.rows(rates), cases.assigned(consumers)
    every = naive_latency.enumerate_samples(rows, assignments, capacity, *seconds)
    positive = every[every > 0.0]
    summary = summarise(rates, consumers, capacity, *seconds)
    used = [len({c for c in row if c is not None}) for row in assignments]
    assert summary.mean_consumers == np.mean(used)
    assert (summary.n_samples, summary.n_positive) == (every.size, positive.size)
    bins = np.searchsorted(HISTOGRAM_EDGES, positive, side="left") - 1
    assert summary.histogram.tolist() == np.bincount(bins, minlength=82).tolist()
    numbers = [summary.p50, summary.p90, summary.p99, summary.max]
    if positive.size:
        percents = (50.0, 90.0, 99.0, 100.0)
        assert numbers == [naive_latency.percentile(positive, percent) for percent in percents]
    else:
        assert np.isnan(numbers).all()
    return summary


@st.composite
def assigned_streams(draw: st.DrawFn) -> tuple[cases.Rates, cases.Consumers, float]:
    """Strategy for streams under assignments of any kind, sensible or not."""
    rates, capacity, _ = draw(cases.streams())
    ids = st.lists(
        st.integers(0, rates.shape[1] - 1), min_size=rates.size, max_size=rates.size
    ) | st.just([0] * rates.size)
    consumers = np.array(draw(ids), dtype=np.int32).reshape(rates.shape)
    consumers[np.isnan(rates)] = -1
    return rates, consumers, capacity


@given(
    assigned_streams(),
    st.sampled_from([0.5, 1.0, 1.33, 4.0]),
    st.sampled_from([0.9, 40.5, 300.0]),
    st.sampled_from([0.0, 5.0, 1e-3]),
)
def test_summary_is_that_of_the_enumeration(
    stream: tuple[cases.Rates, cases.Consumers, float],
    margin: float,
    units: float,
    rebalance: float,
) -> None:
    """For any assignment; ``units`` is what one partition at full speed writes per iteration."""
    rates, consumers, capacity = stream
    check(rates, consumers, margin * capacity, units / capacity, rebalance)


@pytest.mark.parametrize("name", [*registry.names(), "kd_1", "kd_2"])
@pytest.mark.parametrize("kind", cases.KINDS)
def test_summary_under_every_algorithm(kind: str, name: str) -> None:
    """With assignments as they occur, where consumers keep their ids from one to the next."""
    for shape in ((25, 9), (12, 33)):
        rates, capacity = cases.draw(kind, shape, 5)
        consumers = cases.run(name, rates, capacity, 5)
        check(rates, consumers, 1.33 * capacity, 50.0 / capacity, 8.0 / capacity)


def test_a_backlog_grows_and_is_worked_off() -> None:
    """One consumer of 10 bytes/s, iterations of 2 s; writes 20, 20, 5 and 5 bytes/s.

    40 units at m = 1/10 - 1/20 = 0.05: 0, 0.05 .. 1.95. Then 10 units from 1.95 at m = -0.1:
    1.95 .. 1.05, and 10 more from 1.05: 1.05 .. 0.15. The backlog ends at the last sample.
    """
    rates = np.array([[7.0], [20.0], [5.0], [5.0]])
    summary = check(rates, np.zeros((4, 1), np.int32), 10.0, 2.0)
    assert (summary.n_samples, summary.n_positive) == (60, 59)
    assert summary.max == pytest.approx(1.95)
    assert summary.mean_consumers == 1.0


def test_a_backlog_ends_at_the_last_sample_not_one_later() -> None:
    """Within one iteration 1 of 1 samples waits 0; the next one starts from there, not from m."""
    rates = np.array([[1.0], [1.0], [1.0]])
    summary = check(rates, np.zeros((3, 1), np.int32), 0.5, 1.0)
    assert (summary.n_samples, summary.n_positive) == (2, 0)


def test_moved_partitions_wait_for_the_rebalance() -> None:
    """Partition 1 joins consumer 0: R_F = 4, R_R = 6, W_R = 3: m = 1/6 - 1/3 from 5 s on."""
    rates = np.array([[4.0, 3.0], [4.0, 3.0]])
    consumers = np.array([[0, 1], [0, 0]], dtype=np.int32)
    summary = check(rates, consumers, 10.0, 30.0, 5.0)
    assert (summary.n_samples, summary.n_positive) == (120 + 90, 30)
    assert summary.max == 5.0
    assert summary.p50 == pytest.approx(2.5 + 1 / 12)
    assert summary.mean_consumers == 1.5


def test_a_fixed_queue_that_only_just_keeps_up_stays_late() -> None:
    """While partitions are moved to it, a consumer reads its fixed queue no faster than written."""
    rates = np.array([[5.0, 1.0], [20.0, 1.0], [5.0, 1.0], [5.0, 1.0]])
    consumers = np.array([[0, 1], [0, 1], [0, 0], [0, 0]], dtype=np.int32)
    summary = check(rates, consumers, 10.0, 2.0, 0.0)
    # 1.95 s late after the second iteration (as above), for all ten units of the third, and at
    # the beginning of the fourth.
    assert np.count_nonzero(summary.histogram) > 1
    assert summary.max == pytest.approx(1.95)
    assert summary.p90 == pytest.approx(1.95)


def test_a_consumer_that_was_not_there_has_no_backlog() -> None:
    """It loses its partition and 1.95 s of backlog with it; a returning partition starts from 0.

    The longest wait is at consumer 1 in between, which has 10 - 1 bytes/s left for it.
    """
    rates = np.array([[20.0, 1.0]] * 5)
    away = np.array([[0, 1], [0, 1], [1, 1], [0, 1], [0, 1]], dtype=np.int32)
    stays = np.array([[0, 1]] * 5, dtype=np.int32)
    longest = 0.1 + 39 * (1 / 9 - 1 / 20)
    assert check(rates, away, 10.0, 2.0, 0.1).max == pytest.approx(longest)
    assert check(rates, stays, 10.0, 2.0, 0.1).max == pytest.approx(4 * 1.95)


def test_a_queue_without_a_sample_has_no_backlog_after_it() -> None:
    """An idle iteration: nothing is sampled, and the next one starts from 0."""
    rates = np.array([[1.0], [20.0], [0.0], [5.0]])
    summary = check(rates, np.zeros((4, 1), np.int32), 10.0, 2.0)
    assert (summary.n_samples, summary.n_positive) == (50, 39)


def test_an_unserved_queue_waits_forever() -> None:
    """Consumer 0 reads 10, which its own partition takes all of: R_R = 0.

    The fixed queue neither gains nor loses. Of the other's 60 units the first one waits for the
    rebalance and 59 are never read.
    """
    rates = np.array([[10.0, 2.0], [10.0, 2.0]])
    consumers = np.array([[0, 1], [0, 0]], dtype=np.int32)
    summary = check(rates, consumers, 10.0)
    assert (summary.n_samples, summary.n_positive) == (360, 60)
    assert (summary.p50, summary.p90, summary.p99, summary.max) == (INF, INF, INF, INF)
    assert summary.histogram[-1] == 59


def test_a_few_unserved_units_leave_the_median_finite() -> None:
    """Infinite and finite samples are pooled: percentiles are infinite from their share on."""
    rates = np.array([[10.0, 1.0, 100.0], [10.0, 1.0, 100.0]])
    consumers = np.array([[0, 1, 2], [0, 0, 2]], dtype=np.int32)
    summary = check(rates, consumers, 10.0)
    assert summary.p50 < summary.p90 < summary.p99 < INF == summary.max
    assert summary.histogram[-1] == 29


def test_arrivals_are_moved_partitions_and_departures_are_nothing() -> None:
    """A partition that appears is new to its consumer, whichever held it long ago."""
    rates = np.array([[2.0, NAN], [2.0, 3.0], [2.0, NAN], [2.0, 3.0]])
    consumers = np.array([[0, -1], [0, 0], [0, -1], [0, 0]], dtype=np.int32)
    summary = check(rates, consumers, 10.0, 2.0, 5.0)
    assert summary.n_samples == 4 + 6 + 4 + 4 + 6
    # 5 s, falling by 1/3 - 1/8 per unit: all of both arrivals' six units are above 0.
    assert summary.n_positive == 12


@pytest.mark.parametrize("iterations", [1, 2])
def test_nothing_is_sampled_at_the_first_iteration(iterations: int) -> None:
    """Everything is new there."""
    summary = check(np.full((iterations, 2), 8.0), np.zeros((iterations, 2), np.int32), 10.0)
    assert summary.n_samples == 480 * (iterations - 1)
    assert math.isnan(summary.p50) == (iterations == 1)


def test_every_partition_absent() -> None:
    """No consumers, no samples; not an error."""
    summary = check(np.full((3, 2), NAN), np.full((3, 2), -1, np.int32), 10.0)
    assert (summary.mean_consumers, summary.n_samples, summary.n_positive) == (0.0, 0, 0)
    assert summary.histogram.tolist() == [0] * 82


@given(assigned_streams(), st.randoms(use_true_random=False))
def test_consumer_ids_are_only_names(
    stream: tuple[cases.Rates, cases.Consumers, float], random: Any
) -> None:
    """Renaming the consumers of a whole stream changes nothing."""
    rates, consumers, capacity = stream
    names = list(range(rates.shape[1]))
    random.shuffle(names)
    renamed = np.array([*names, -1], dtype=np.int32)[consumers]
    before, after = (summarise(rates, ids, capacity) for ids in (consumers, renamed))
    np.testing.assert_array_equal(before.histogram, after.histogram)
    np.testing.assert_array_equal(before[:-1], after[:-1])


@given(assigned_streams())
def test_numbers_of_a_summary_fit_together(
    stream: tuple[cases.Rates, cases.Consumers, float],
) -> None:
    """At real capacities too, where nothing could be enumerated."""
    rates, consumers, capacity = stream
    summary = summarise(rates * 1e6, consumers, 0.9e6 * capacity)
    assert summary.histogram.sum() == summary.n_positive <= summary.n_samples
    if summary.n_positive:
        assert 0.0 < summary.p50 <= summary.p90 <= summary.p99 <= summary.max


@pytest.mark.parametrize("name", ["MWF", "FF", "kd_8"])
def test_a_finer_unit_multiplies_samples_and_keeps_latencies(name: str) -> None:
    """Bytes instead of MB: 1e6 times the samples at the same latencies."""
    coarse = random_walk.generate(32, 60, 10.0, 100.0, None, seed=4)
    consumers = cases.run(name, coarse, 100.0, 4)
    few = summarise(coarse, consumers, 133.0)
    many = summarise(coarse * 1e6, consumers, 133e6)
    assert many.n_samples == pytest.approx(few.n_samples * 1e6, rel=1e-3)
    assert many.n_positive == pytest.approx(few.n_positive * 1e6, rel=2e-2)
    for percent in ("p50", "p90", "p99", "max"):
        assert getattr(many, percent) == pytest.approx(getattr(few, percent), rel=2e-2)


def test_bins_are_ten_per_decade() -> None:
    """The contract of the table `latency` describes these 82 bins."""
    assert HISTOGRAM_EDGES.size == 83
    assert HISTOGRAM_EDGES[0] == 0.0
    assert HISTOGRAM_EDGES[-1] == INF
    decades = [1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5]
    assert HISTOGRAM_EDGES[1:-1:10].tolist() == decades
    np.testing.assert_allclose(np.diff(np.log10(HISTOGRAM_EDGES[1:-1])), 0.1, rtol=1e-12)
    assert not HISTOGRAM_EDGES.flags.writeable


def test_arguments_are_left_alone() -> None:
    """Read-only arrays and views that are not contiguous are as good as any."""
    rates, capacity = cases.draw("absences", (20, 8), 1)
    consumers = cases.run("MBF", rates, capacity, 1)
    expected = summarise(rates, consumers, capacity)
    strange_rates = np.asfortranarray(rates)
    strange_consumers = np.asfortranarray(consumers)
    for array in (strange_rates, strange_consumers):
        array.setflags(write=False)
    summary = summarise(strange_rates, strange_consumers, capacity)
    np.testing.assert_array_equal(summary[:-1], expected[:-1])
    np.testing.assert_array_equal(strange_rates, rates)


FINE: dict[str, Any] = {
    "rates": np.array([[1.0, 2.0], [3.0, NAN]]),
    "consumers": np.array([[0, 1], [0, -1]], dtype=np.int32),
    "consumer_capacity": 10.0,
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rates": np.array([[1.0, 2.0], [-3.0, NAN]])}, r"rates\[1, 0\]"),
        ({"rates": np.array([[1.0, 2.0], [3.0, 4.0]])}, r"consumers\[1, 1\] .*iteration 2.*got -1"),
        ({"rates": np.array([[1.0, NAN], [3.0, NAN]])}, r"consumers\[0, 1\] .* rate of nan"),
        ({"rates": np.array([[1.0, 2.0], [3e15, NAN]])}, "2\\*\\*53.*larger unit"),
        ({"rates": np.array([[1.0, 2.0], [1e308, NAN]])}, "2\\*\\*53.*larger unit"),
        ({"rates": np.ones((3, 2))}, "shape"),
        ({"consumers": np.array([[0, 2], [0, -1]], dtype=np.int32)}, "between 0 and 1"),
        ({"consumers": np.array([[0, 1], [0, -2]], dtype=np.int32)}, "between 0 and 1"),
        ({"consumers": np.array([[0, 1], [0, -1]])}, "int64"),
        ({"consumer_capacity": 0.0}, "consumer_capacity must .*got 0.0"),
        ({"consumer_capacity": INF}, "consumer_capacity must .*got inf"),
        ({"iteration_seconds": 0.0}, "iteration_seconds must be above 0"),
        ({"iteration_seconds": NAN}, "iteration_seconds must .*got nan"),
        ({"iteration_seconds": 1e10}, "at most 1e\\+09 s"),
        ({"rebalance_seconds": -1.0}, "rebalance_seconds must be at least 0"),
        ({"rebalance_seconds": INF}, "rebalance_seconds must .*got inf"),
    ],
)
def test_invalid_arguments_are_refused(wrong: dict[str, Any], message: str) -> None:
    """By name, value and limit."""
    assert summarise(**FINE).n_samples == 90
    with pytest.raises(InvalidParameterError, match=message):
        summarise(**FINE | wrong)


def test_the_other_reading_of_the_model_would_be_noticed() -> None:
    """Thirty seconds of 32 partitions: a backlog ending one unit later changes the counts.

    The stream is drawn here; on the authors' own one the same reading gives the published figures
    (see the notes of `summarise`).
    """
    rates = np.round(random_walk.generate(32, 100, 5.0, 100.0, None, seed=9))
    consumers = cases.run("kd_15", rates, 100.0, 9)
    summary = check(rates, consumers, 133.0)
    assert summary.n_positive != _positive_if_ended_one_later(rates, consumers, 133.0)


def _positive_if_ended_one_later(
    rates: cases.Rates, consumers: cases.Consumers, capacity: float
) -> int:
    count = 0
    latency = np.zeros(15)
    for k in range(1, len(rates)):
        for c in range(15):
            written = rates[k][consumers[k] == c].sum()
            slope, units = 1 / capacity - 1 / written, 30 * written
            count += np.count_nonzero(slope * np.arange(units) + latency[c] > 0)
            latency[c] = max(slope * units + latency[c], 0.0)
    return count
