"""The least-loaded packing, and the strategies that scale by it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import Group
from algorithms.autoscaling.least_loaded import pack
from tests.algorithms.autoscaling import cases, plain_packing
from tests.algorithms.bounds import plain_replicas

pytestmark = pytest.mark.unit

AMOUNTS = st.one_of(
    st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.7, 5.0, 10.0]),
    st.floats(0.0, 15.0, allow_subnormal=False),
)


@given(
    st.lists(st.tuples(AMOUNTS, AMOUNTS), min_size=1, max_size=12),
    st.sampled_from([0.3, 1.0, 10.0]),
    st.sampled_from([0.0, 0.3, 10.0, 25.0]),
    st.integers(1, 14),
)
def test_packing_is_the_plain_one(
    partitions: list[tuple[float, float]], rate_cap: float, lag_cap: float, n0: int
) -> None:
    rates, lags = (list(values) for values in zip(*partitions, strict=True))
    expected = plain_packing.pack(rates, lags, rate_cap, lag_cap, n0)
    assert pack(rates, lags, rate_cap, lag_cap, n0) == expected


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("partitions", [5, 40, 150])
def test_large_packings_are_the_plain_ones(kind: str, partitions: int) -> None:
    """Here many numbers of bins are skipped; the plain packing tries them all."""
    rng = np.random.default_rng([partitions, len(kind)])
    for _ in range(3):
        rates, lags = cases.KINDS[kind](rng, partitions), cases.draw(rng, partitions)
        expected = plain_packing.pack(rates.tolist(), lags.tolist(), 90.0, 45.0)
        assert pack(rates, lags, 90.0, 45.0) == expected


def test_bins_with_equal_rates_left_keep_their_order() -> None:
    """After 6 and 6 the order is 2, 1, 0: bin 1 was before bin 0 when it came to 4 left as well.

    With 3 and 3 in bin 2 all have 4 left, and the order stays, so 1 goes to bin 2. Sorted afresh
    by number it would go to bin 0.
    """
    assert pack([6.0, 6.0, 3.0, 3.0, 1.0], [0.0] * 5, 10.0, 1.0, n0=3) == [[0], [1], [2, 3, 4]]


def test_what_is_left_is_subtracted_one_by_one() -> None:
    """1 - 0.7 - 0.2 leaves 0.10000000000000003, but 1 - 0.8 - 0.1 only 0.09999999999999995."""
    assert pack([0.7, 0.2, 0.1], [0.0] * 3, 1.0, 0.0) == [[0, 1, 2]]
    assert pack([0.8, 0.1, 0.1], [0.0] * 3, 1.0, 0.0) == [[0], [1, 2]]


def test_partitions_above_a_capacity_fill_a_bin() -> None:
    """Cut rates are equal, so the order is that of the indices, not that of the rates."""
    assert pack([120.0, 150.0, 1.0], [0.0, 0.0, 500.0], 100.0, 50.0) == [[0], [1], [2]]


def test_a_lag_that_does_not_fit_goes_to_the_next_bin_in_the_order() -> None:
    """The bin of the second partition has more rate left, but only 1 of its lag."""
    assert pack([5.0, 4.0, 1.0], [1.0, 9.0, 5.0], 10.0, 10.0) == [[0, 2], [1]]


def capacities(group: Group) -> plain_packing.Capacities:
    return plain_packing.Capacities(group.mu, group.wsla_s, group.rebalance_s)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("number", [1, 2])
def test_least_loaded_strategies_are_the_plain_ones(number: int, seed: int) -> None:
    """Fifty groups each; all kinds of decisions occur."""
    rng = np.random.default_rng([number, seed])
    plain = (plain_packing.least_loaded_1, plain_packing.least_loaded_2)[number - 1]
    kinds = set()
    for _ in range(50):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        kind, answer = plain(
            seen.rates.tolist(),
            seen.lags.tolist(),
            seen.owners.tolist(),
            seen.replicas,
            capacities(group),
        )
        kinds.add(kind)
        ((replicas, form, after),) = cases.decided(f"least_loaded_{number}", group, seen)
        if answer is None:
            assert replicas == -1
        else:
            assert (replicas, form, after) == (answer.replicas, 1, answer.bins)
    assert kinds == {"up", "down", "reassign", "none"}


def even(rate: float, lag: float = 0.0, **fields: object) -> cases.Seen:
    """Five partitions alike."""
    rng = np.random.default_rng(0)
    whole = {"rates": np.full(5, rate), "lags": np.full(5, lag)}
    return cases.seen(rng, cases.GROUP, **whole, **fields)


def test_down_needs_room_at_the_lower_factor() -> None:
    """Three members for 5 x 20: at 40 of 100 three bins are needed, at 5 x 8 one is enough."""
    owners = np.array([0, 0, 1, 1, 2])
    stays = cases.decided("least_loaded_1", cases.GROUP, even(20.0, owners=owners, replicas=3))
    assert stays[0][0] == -1
    falls = cases.decided("least_loaded_1", cases.GROUP, even(8.0, owners=owners, replicas=3))
    assert falls[0] == (1, 1, [0] * 5)


def test_an_overloaded_member_starts_a_reassignment_over_all_replicas() -> None:
    """Two members are enough for 5 x 30, but one that holds four is above 90 events/s."""
    owners = np.array([0, 0, 0, 0, 7])
    (answer,) = cases.decided("least_loaded_1", cases.GROUP, even(30.0, owners=owners, replicas=2))
    assert answer == (2, 1, [0, 1, 1, 0, 0])


def test_the_second_algorithm_counts_the_lag_of_the_rebalance() -> None:
    """45 events of lag fill a replica: 5 x 20 events/s x 0.5 s are 50 more."""
    owners = np.array([0, 0, 0, 0, 0])
    seen = even(20.0, owners=owners, replicas=1)
    assert cases.decided("least_loaded_1", cases.GROUP, seen)[0][0] == 2
    assert cases.decided("least_loaded_2", cases.GROUP, seen)[0][0] == 2
    seen = even(18.0, 8.0, owners=owners, replicas=1)
    assert cases.decided("least_loaded_1", cases.GROUP, seen)[0][0] == -1
    waiting = even(18.0, 9.5, owners=owners, replicas=1)
    assert cases.decided("least_loaded_1", cases.GROUP, waiting)[0][0] == 2
    # Each partition then has 18.5 events, of which two fit into 45.
    assert cases.decided("least_loaded_2", cases.GROUP, waiting)[0][0] == 3


@pytest.mark.parametrize("replan", [False, True])
def test_exact_packings_decide_as_the_plain_strategies_do(
    replan: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count is that of the plain strategy whose packings are the best of all divisions."""

    def exactly(
        rates: Sequence[float], lags: Sequence[float], rate_cap: float, lag_cap: float, n0: int = 1
    ) -> plain_packing.Bins:
        caps = round(rate_cap * 1e6), round(lag_cap * 1e6)
        first, second = ([round(each * 1e6) for each in values] for values in (rates, lags))
        fewest = plain_replicas.fewest(first, second, caps)
        return [[]] * max(fewest, n0)

    monkeypatch.setattr(plain_packing, "pack", exactly)
    monkeypatch.setattr(plain_packing, "bin_of_each", lambda bins: [])
    plain = (plain_packing.least_loaded_1, plain_packing.least_loaded_2)[replan]
    rng = np.random.default_rng(int(replan))
    kinds = set()
    for _ in range(40):
        group = cases.group(rng, partitions=int(rng.integers(1, 6)))
        seen = cases.seen(rng, group)
        observed = seen.rates.tolist(), seen.lags.tolist(), seen.owners.tolist(), seen.replicas
        kind, answer = plain(*observed, capacities(group))
        kinds.add(kind)
        ((replicas, _, after),) = cases.decided("ilp", group, seen, replan=replan)
        assert replicas == (-1 if answer is None else answer.replicas)
        if answer is not None:
            assert max(after) < replicas
    assert kinds == {"up", "down", "reassign", "none"}


def test_an_exact_packing_is_used_where_the_least_loaded_one_takes_more() -> None:
    """50 + 40 and 50 + 30 leave no room for 30, but 40 + 30 + 30 are one replica."""
    group = cases.GROUP._replace(mu=1000.0 / 9.0)
    seen = even(0.0, replicas=1, owners=np.zeros(5, np.int64))
    seen = seen._replace(rates=np.array([50.0, 50.0, 40.0, 30.0, 30.0]))
    assert cases.decided("least_loaded_1", group, seen)[0][0] == 3
    ((replicas, kind, after),) = cases.decided("ilp", group, seen, replan=False)
    assert (replicas, kind) == (2, 1)
    assert after[0] == after[1] != after[2] == after[3] == after[4]


@pytest.mark.parametrize("seed", range(4))
def test_optimal_is_the_plain_strict_packing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(50):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        capacity = float(rng.choice([85.0, 45.0, 100.0]))
        zeros = [0.0] * group.partitions
        bins = plain_packing.pack(seen.rates.tolist(), zeros, capacity, 0.0, strict=True)
        answer = cases.decided("optimal", group, seen, capacity=capacity)[0]
        assert answer == (len(bins), 1, plain_packing.bin_of_each(bins))


def test_optimal_fits_strictly_except_into_an_empty_bin() -> None:
    """Two of 42.5 would fill 85 exactly; one of 90 is above it."""
    seen = even(42.5)
    assert cases.decided("optimal", cases.GROUP, seen)[0][0] == 5
    assert cases.decided("optimal", cases.GROUP, even(42.4))[0][0] == 3
    assert cases.decided("optimal", cases.GROUP, even(90.0))[0] == (5, 1, [0, 1, 2, 3, 4])


@pytest.mark.parametrize("seed", range(4))
def test_overprovision_is_the_plain_packing_of_the_peaks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(20):
        group = cases.group(rng, decision_s=float(rng.integers(1, 4)))
        assert group.peaks is not None
        peaks = group.peaks.tolist()
        caps = capacities(group).at(0.9)
        bins = plain_packing.pack(peaks, [peak * group.decision_s for peak in peaks], *caps)
        answers = cases.decided("overprovision", group, *(cases.seen(rng, group) for _ in range(3)))
        assert answers == [(len(bins), 1, plain_packing.bin_of_each(bins))] * 3


def test_overprovision_of_five_equal_partitions_takes_five_replicas() -> None:
    """As published for both workloads, whose peaks are 350 and 368 events/s, at mu 200."""
    for peak in (350.0, 368.0):
        group = cases.GROUP._replace(mu=200.0, peaks=np.full(5, peak / 5.0))
        assert cases.decided("overprovision", group, even(1.0))[0][0] == 5
