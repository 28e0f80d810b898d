"""The shuffled order of the online algorithms depends on (stream seed, iteration) alone."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from algorithms.core import seeds, shuffle
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("n_partitions", [1, 2, 3, 32, 200, 1000])
def test_order_is_a_permutation(n_partitions: int) -> None:
    """Every partition is taken exactly once."""
    for seed, iteration in itertools.product((0, 1, 2**63 - 1), (0, 1, 499)):
        order = shuffle.permutation(n_partitions, seed, iteration)
        assert sorted(order.tolist()) == list(range(n_partitions))


def test_pinned_orders() -> None:
    """The online algorithms' published results rest on these, bit for bit."""
    pinned = {
        (0, 0): [1, 4, 5, 0, 7, 6, 9, 8, 2, 3],
        (2024, 0): [0, 6, 3, 9, 4, 2, 8, 5, 1, 7],
        (2024, 1): [2, 3, 9, 0, 5, 7, 1, 8, 4, 6],
        (2**63 - 1, 499): [3, 0, 1, 2, 4, 9, 7, 6, 5, 8],
    }
    orders = {key: shuffle.permutation(10, *key).tolist() for key in pinned}
    assert orders == pinned


def test_order_depends_on_seed_and_iteration() -> None:
    """Neighbouring seeds and iterations share nothing, also where their sums are equal."""
    pairs = itertools.product(range(30), range(30))
    orders = {tuple(shuffle.permutation(20, seed, k).tolist()) for seed, k in pairs}
    assert len(orders) == 900


def test_order_depends_on_nothing_else() -> None:
    """No hidden state: asking for other orders in between changes nothing."""
    first = shuffle.permutation(50, 4, 7).tolist()
    shuffle.permutation(50, 4, 8)
    shuffle.permutation(10, 9, 7)
    assert shuffle.permutation(50, 4, 7).tolist() == first


@pytest.mark.parametrize("n_partitions", [2, 3, 4, 5])
def test_all_orders_are_equally_likely(n_partitions: int) -> None:
    """Chi-squared over all P! orders: a biased shuffle (i mod P) is far off already at 3."""
    n_orders = math.factorial(n_partitions)
    n_draws = 100 * n_orders
    counts: dict[tuple[int, ...], int] = {}
    for k in range(n_draws):
        order = tuple(shuffle.permutation(n_partitions, 2024, k).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == n_orders
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_every_partition_is_everywhere_equally_often() -> None:
    """Chi-squared of (position, partition) over the streams of an experiment, not iterations."""
    n_partitions = 16
    counts = np.zeros((n_partitions, n_partitions))
    for replicate in range(1600):
        seed = seeds.stream_seed(1, 5.0, replicate)
        counts[range(n_partitions), shuffle.permutation(n_partitions, seed, 3)] += 1
    expected = 1600 / n_partitions
    statistic = ((counts - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, (n_partitions - 1) ** 2) > 0.001


@pytest.mark.parametrize("name", cases.ONLINE)
def test_kernels_use_this_order(name: str) -> None:
    """Seen from outside: full partitions, all just arrived, open 0, 1, 2, ... in their order.

    Every second iteration is empty, so that nothing has a last consumer.
    """
    rates = np.full((20, 12), 10.0)
    rates[1::2] = math.nan
    consumers = cases.run(name, rates, 10.0, 5)
    for k, order in enumerate(cases.orders((20, 12), 5)):
        if k % 2 == 0:
            assert consumers[k, order].tolist() == list(range(12))


@pytest.mark.parametrize("name", cases.ONLINE)
def test_absent_partitions_are_skipped_in_the_order(name: str) -> None:
    """An absence leaves the order of the others as it is."""
    rates = np.full((1, 12), 10.0)
    rates[0, [0, 3, 11]] = math.nan
    consumers = cases.run(name, rates, 10.0, 5)[0]
    present = [j for j in cases.orders((1, 12), 5)[0] if j not in (0, 3, 11)]
    assert consumers[present].tolist() == list(range(9))
