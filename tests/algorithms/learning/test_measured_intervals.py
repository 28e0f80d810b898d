"""Measured rows as a cluster: draws, exact expectations by simulation, and what is refused."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_model, measured_intervals
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.measured_intervals import MeasuredCluster, nearest_rank_ms
from algorithms.learning.measured_latencies import MeasuredRow
from tests.live.brokers.deciding import measured_row_cases

pytestmark = pytest.mark.unit

ROWS = measured_row_cases.rows()


def cluster() -> MeasuredCluster:
    return measured_intervals.cluster_of(ROWS, 0.25, 3, 5)


def test_an_interval_without_a_change_is_a_row() -> None:
    draws = np.random.default_rng(1)
    found = {cluster().drawn(4, 4, draws).p95_ms for _ in range(50)}
    # The greatest of its four latencies.
    assert found == {max(row.latencies_ms) for row in ROWS if row.brokers == 4}


def test_a_change_has_the_first_half_of_the_old_number_and_the_metrics_of_the_new() -> None:
    draws = np.random.default_rng(2)
    own = [cluster().drawn(3, 4, draws) for _ in range(200)]
    old, new = ([row for row in ROWS if row.brokers == n] for n in (3, 4))
    pairs = itertools.product(old, new)
    assert {one.p95_ms for one in own} == {
        max(*a.latencies_ms[:2], *b.latencies_ms[2:]) for a, b in pairs
    }
    assert {one.metrics[0] for one in own} == {4.0}


@pytest.mark.parametrize("reward", ["count", "violations", "weighted"])
def test_the_optimum_is_the_best_of_all_plans(reward: str) -> None:
    """All ways to go through three steps, with expectations by simulation."""
    settings = BrokerSettings(min_brokers=3, max_brokers=5, steps=3)
    draws = np.random.default_rng(3)

    def expected(before: int, after: int) -> float:
        samples = [cluster().drawn(before, after, draws).p95_ms for _ in range(4000)]
        values = broker_model.reward_of(
            settings, reward, np.full(4000, float(after)), np.array(samples), np
        )
        return float(values.mean())

    numbers = range(3, 6)
    worth = {(a, b): expected(a, b) for a in numbers for b in numbers if abs(a - b) <= 1}
    plan = cluster().optimum(settings, reward)
    for start in numbers:
        best = max(
            sum(worth[pair] for pair in itertools.pairwise((start, *path)))
            for path in itertools.product(numbers, repeat=3)
            if all(pair in worth for pair in itertools.pairwise((start, *path)))
        )
        assert plan.values[0, start - 3] == pytest.approx(best, abs=0.03)


@pytest.mark.parametrize(
    ("rows", "arguments", "message"),
    [
        ((), (0.25, 3, 5), "no metrics of 3 to 5 brokers were measured; measure them with"),
        (ROWS, (0.25, 6, 7), "no metrics of 6 to 7 brokers were measured"),
        (ROWS, (1.0, 3, 5), "load must be one of 0.25 of 4,000 records/s (got 1)"),
        (ROWS, (0.25, 3, 7), "measured at load 0.25 (got 3 to 7, without 6)"),
    ],
)
def test_what_was_not_measured_is_refused(
    rows: list[MeasuredRow], arguments: tuple[float, int, int], message: str
) -> None:
    with pytest.raises(InvalidParameterError) as caught:
        measured_intervals.cluster_of(rows, *arguments)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_inputs_may_leave_their_range_by_the_margin() -> None:
    low, high = cluster().limits(0.0)
    wide = cluster().limits(0.5)
    np.testing.assert_allclose(wide.high - high, 0.5 * (high - low))
    np.testing.assert_allclose(low - wide.low, 0.5 * (high - low))
    above = high.copy()
    above[7] += 0.25 * (high[7] - low[7])
    assert measured_intervals.refused(above, cluster().limits(0.5)) == ""
    said = measured_intervals.refused(above, cluster().limits(0.0))
    assert said.startswith("messages_in_mean must be between 1.4 and ")
    above[4] = np.nan
    for limits in (cluster().limits(0.0), None):
        assert measured_intervals.refused(above, limits).startswith("bytes_in_p95 is missing")


def test_the_95th_percentile_is_by_nearest_rank() -> None:
    assert nearest_rank_ms(range(1, 101)) == 95.0  # type: ignore[arg-type]
    assert nearest_rank_ms([float(n) for n in range(1, 21)]) == 19.0
    assert nearest_rank_ms([]) == np.inf
