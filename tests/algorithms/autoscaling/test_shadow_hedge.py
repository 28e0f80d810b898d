"""Our own strategy: its levels, its experts, and that it sees only its past."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from algorithms.autoscaling import Group, Seen, registry
from algorithms.autoscaling.action_delays import delays_of
from algorithms.autoscaling.compiled_decisions import decide_once
from algorithms.autoscaling.shadow import (
    count_levels,
    hedge,
    late_events,
    loss_guard,
    plan_experts,
    rate_statistics,
    rehearsal,
    rule_experts,
    shadow_groups,
)
from algorithms.autoscaling.shadow.shadow_groups import Prices
from algorithms.core.arrays import Floats
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from tests.algorithms.autoscaling import cases, plain_placement

pytestmark = pytest.mark.unit

ONE, SPACE = np.ones(1), np.empty((2, 8))


def observed_statistics(rates: list[float], decision_s: float = 1.0) -> rate_statistics.Statistics:
    statistics = rate_statistics.create(decision_s, 7.0)
    for rate in rates:
        rate_statistics.observe(statistics, rate)
    return statistics


def test_statistics_of_the_past() -> None:
    """Maxima over their windows, and exponential means by their definition."""
    rng = np.random.default_rng(3)
    rates = rng.uniform(0.0, 500.0, 700).tolist()
    values = observed_statistics(rates).values
    for i, window in enumerate(rate_statistics.WINDOWS_S):
        assert values[i] == max(rates[-int(window) :])
    level = slow = rates[0]
    distance = trend = 0.0
    for rate in rates:
        distance += 0.05 * (abs(rate - level) - distance)
        trend += 0.1 * (0.3 * (rate - level) - trend)
        level += 0.3 * (rate - level)
        slow += 0.05 * (rate - slow)
    forecast = max(max(rates[-1], level) + trend * 10.0, 0.0)
    upper = max(level, slow) + 2.5 * distance
    assert values[7:] == pytest.approx([level, slow, forecast, upper], rel=1e-9)


def test_windows_of_rare_decisions_have_at_least_one_rate() -> None:
    assert observed_statistics([5.0, 4.0, 3.0], 30.0).values[:7].tolist() == [3, 3, 3, 3, 4, 5, 5]


def test_few_replicas_are_all_considered_and_many_in_32_steps() -> None:
    group = cases.GROUP._replace(partitions=200, max_replicas=200)
    counts = count_levels.counts_of(group).tolist()
    assert (len(counts), counts[0], counts[-1]) == (32, 1, 200)
    assert counts == sorted(set(counts))
    assert max(b / a for a, b in pairwise(counts[8:])) < 1.25
    more = cases.GROUP._replace(min_replicas=2, initial_replicas=2, max_replicas=50)
    assert count_levels.counts_of(more).tolist() == [2, 3, 4, 5]
    assert count_levels.counts_of(more._replace(min_replicas=9, initial_replicas=9)).tolist() == [9]


@pytest.mark.parametrize("burst", [False, True])
def test_levels_serve_what_a_packing_allows(burst: bool) -> None:
    rng = np.random.default_rng(1)
    group = cases.GROUP._replace(partitions=8, max_replicas=8, burst=burst)
    levels, weights = count_levels.create(group), np.round(rng.uniform(1.0, 30.0, 8))
    count_levels.spread(levels, weights, weights.sum())
    capacity = 49.5 if burst else 100.0
    tops = [plain_placement.packed(weights.tolist(), n) / weights.sum() for n in range(1, 9)]
    assert levels.enough.tolist() == pytest.approx(
        [capacity / min(tops[: n + 1]) for n in range(8)]
    )
    assert [levels.shares[n, : n + 1].sum() for n in range(8)] == pytest.approx([1.0] * 8)
    for rate in (0.0, 60.0, 140.0, 1e9):
        enough = [n for n in range(8) if levels.enough[n] >= rate]
        assert count_levels.least_for(levels, rate) == (enough[0] if enough else 7)


def group_of(**fields: Any) -> Group:
    """Five partitions, 100 events/s and member, evenly, half a second per rebalance."""
    return cases.GROUP._replace(**fields)


def shadows_of(group: Group, prices: Prices) -> hedge.Hedge:
    return hedge.create(group, prices)


def serve(one: hedge.Hedge, events: float) -> None:
    shadow_groups.advance(one.shadows, one.levels, one.service, one.delays, one.prices, events)


def test_shadow_groups_pay_for_starting_replicas_and_serve_when_they_have_joined() -> None:
    """From 1 to 3 replicas: 2 s to start and 1 s to the rebalance, with 150 events/s for 100.

    Then half a second without service; after it, two members with two fifths have 120 for 100.
    """
    one = shadows_of(group_of(startup_s=2.0, heartbeat_s=1.0), Prices(0.0, 0.0))
    shadow_groups.begin(one.shadows, one.levels, one.delays, one.prices, 0, 2)
    lags, losses = [], []
    for _ in range(5):
        serve(one, 150.0)
        lags.append(float(one.shadows.lags[0]))
        losses.append(float(one.shadows.losses[0]))
    assert losses == [3.0, 6.0, 9.0, 12.0, 15.0]
    assert lags == pytest.approx([50.0, 100.0, 150.0, 150.0, 40.0])


def test_shadow_groups_shrink_at_once() -> None:
    """From 5 to 1 of five equal members: nothing waits but the four fifths that move."""
    group = group_of(initial_replicas=5, protocol="incremental")
    one = shadows_of(group, Prices(late=2.0, moves=10.0))
    shadow_groups.begin(one.shadows, one.levels, one.delays, one.prices, 0, 0)
    assert one.shadows.losses[0] == 8.0
    assert not shadow_groups.is_settled(one.shadows, 0)
    serve(one, 50.0)
    usual, _ = late_events.step(one.service, ONE, SPACE, 50.0, 0.0, 0.0)
    paused, _ = late_events.step(one.service, ONE, SPACE, 50.0, 0.0, 0.5)
    late = usual + 0.8 * (paused - usual)
    assert one.shadows.losses[0] == pytest.approx(8.0 + 1.0 + 2.0 * late)
    assert shadow_groups.is_settled(one.shadows, 0)


def test_shadow_groups_with_one_level_are_served_as_each_alone() -> None:
    """Lags 0, 60, 60 and 90 in one step: the second and the third alike, and no others."""
    together = shadows_of(group_of(), Prices(2.0, 0.0))
    together.shadows.lags[:4] = lags = [0.0, 60.0, 60.0, 90.0]
    serve(together, 80.0)
    for e, lag in enumerate(lags):
        alone = shadows_of(group_of(), Prices(2.0, 0.0))
        alone.shadows.lags[0] = lag
        serve(alone, 80.0)
        assert together.shadows.lags[e] == alone.shadows.lags[0]
        assert together.shadows.losses[e] == alone.shadows.losses[0]
    assert len(set(together.shadows.lags[:4].tolist())) == 3


def test_rules_are_headroom_without_lag() -> None:
    """The 8-s maximum times 1.2, for which the fewest replicas are enough."""
    one = shadows_of(group_of(), Prices(0.1, 0.0))
    for rate in (10.0, 240.0, 30.0, 60.0):
        rate_statistics.observe(one.statistics, rate)
    rule_experts.decide(one.statistics, one.shadows, one.levels, one.service, one.wanted)
    rules = {rule_experts.describe(i): int(one.wanted[i]) for i in range(rule_experts.COUNT)}
    assert len(rules) == rule_experts.COUNT == 330
    # Two fifths of 288 are above 100; a fifth is not. One replica serves 60 times 1.2.
    assert [rules[2, 1.2, kind] for kind in range(3)] == [4, 4, 4]
    assert [rules[0, 1.2, kind] for kind in range(3)] == [0, 0, 0]


def test_rules_with_lag() -> None:
    """Lag is ignored, keeps the group from shrinking, or is added to the events of a second."""
    one = shadows_of(group_of(initial_replicas=3), Prices(0.1, 0.0))
    rate_statistics.observe(one.statistics, 60.0)
    for lag, expected in ((25.0, [0, 0, 0]), (26.0, [0, 2, 0]), (200.0, [0, 2, 4])):
        one.shadows.lags[:] = lag
        rule_experts.decide(one.statistics, one.shadows, one.levels, one.service, one.wanted)
        rules = {rule_experts.describe(i): int(one.wanted[i]) for i in range(rule_experts.COUNT)}
        assert [rules[0, 1.0, kind] for kind in range(3)] == expected


def decided(one: hedge.Hedge, rates: list[float]) -> list[int]:
    return [hedge.decide(one, rate, np.array([rate]), 0.0, 1) for rate in rates]


@pytest.mark.parametrize(("price", "level"), [(0.001, 0), (0.2, 1)])
def test_planners_weigh_late_events_against_replicas(price: float, level: int) -> None:
    """Of bursts of 90 events, 49.5 are in time with one member, and all with two."""
    one = shadows_of(group_of(partitions=60, burst=True), Prices(price, 0.0))
    decided(one, [90.0] * 60)
    planners = one.shadows.levels[rule_experts.COUNT :]
    assert planners.size == plan_experts.COUNT == 48
    assert int(np.median(planners)) == level


@pytest.mark.parametrize(
    ("given_lag", "more"), [(0.0, 0), (110.0, 0), (130.0, 1), (500.0, 1), (1000.0, 3)]
)
def test_the_group_ends_lag_that_its_experts_do_not_have(given_lag: float, more: int) -> None:
    """At 70 events/s, of 100 that one member serves: lag should end in 4 s."""
    settled = shadows_of(group_of(partitions=60, max_replicas=9, rebalance_s=0.0), Prices(0.1, 0.0))
    decided(settled, [70.0] * 400)
    level = hedge.decide(settled, 70.0, np.array([70.0]), 0.0, 1)
    assert level == 0
    assert settled.shadows.lags[int(np.argmin(settled.shadows.losses))] == 0.0
    assert hedge.decide(settled, 70.0, np.array([70.0]), given_lag, 1) == level + more


@pytest.mark.parametrize(("rebalance_s", "burst", "grows"), [
    (0.0, False, True), (1.0, False, False), (0.0, True, False),
])  # fmt: skip
def test_lag_of_a_pause_or_a_burst_is_tolerated(
    rebalance_s: float, burst: bool, grows: bool
) -> None:
    """135 waiting events, at 70 events/s: 65 more than a burst, and no more than a pause makes."""
    group = group_of(partitions=60, rebalance_s=rebalance_s, burst=burst)
    one = shadows_of(group, Prices(0.001, 0.0))
    decided(one, [70.0] * 100)
    level = hedge.decide(one, 70.0, np.array([70.0]), 0.0, 1)
    assert (hedge.decide(one, 70.0, np.array([70.0]), 135.0, 1) > level) == grows


def test_a_dear_change_is_made_later() -> None:
    """Work functions grow by the difference of a decision, and a change has to pay for itself."""
    waits = []
    for move_cost in (0.0, 30.0):
        one = shadows_of(group_of(initial_replicas=5), Prices(0.1, move_cost))
        steps = 0
        while one.shadows.levels[-1] > 0 and steps < 200:
            decided(one, [20.0])
            steps += 1
        waits.append(steps)
    assert waits[0] < waits[1] < 200


def plain_followed(losses: Floats, aims: list[int], temperature: float) -> int:
    """Weighted median, from sorted pairs."""
    weights = np.exp(-(losses - losses.min()) / temperature)
    total, so_far = weights.sum(), 0.0
    for level in sorted(set(aims)):
        so_far += weights[np.array(aims) == level].sum()
        if so_far >= 0.5 * total:
            return level
    raise AssertionError


@pytest.mark.parametrize("seed", range(5))
def test_the_median_of_the_experts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    losses, aims = rng.uniform(0.0, 600.0, 40), rng.integers(0, 6, 40)
    weights = np.empty(6)
    loss_guard.weigh(losses, aims, 80.0, weights)
    median = plain_followed(losses, aims.tolist(), 80.0)
    assert loss_guard.quantile(weights, 0.5) == median
    assert loss_guard.followed(weights, 0, 0.0) == median
    quantiles = [loss_guard.quantile(weights, share) for share in (0.3, 0.7)]
    followed = [loss_guard.followed(weights, now, 0.2) for now in range(6)]
    assert followed == [min(max(now, quantiles[0]), quantiles[1]) for now in range(6)]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("patience", [0.05, 1.0 / 6.0, 0.2])
def test_the_guard_keeps_to_its_bound(seed: int, patience: float) -> None:
    """The three inequalities of docs/own-strategy.md, on seconds that differ at random.

    The load jumps, so that experts at constant and at changing levels take turns at being best.
    """
    rng = np.random.default_rng(seed)
    experts, levels, seconds, temperature = 30, 6, 400, 12.0
    boundaries = rng.uniform(0.1, 1.5, levels - 1)
    places = np.concatenate([[0.0], np.cumsum(boundaries)])
    aims, losses = rng.integers(0, levels, experts), np.zeros(experts)
    now, hedged, hedged_changes, paid, changes, most = 0, 0.0, 0.0, 0.0, 0.0, 0.0
    weights, load = np.empty(levels), 3.0
    for second in range(seconds):
        loss_guard.weigh(losses, aims, temperature, weights)
        shares = np.exp(-(losses - losses.min()) / temperature)
        shares /= shares.sum()
        followed = loss_guard.followed(weights, now, patience)
        changes += abs(places[followed] - places[now]) if second > 0 else 0.0
        now = followed
        load = rng.uniform(0.0, 6.0) if rng.random() < 0.05 else load
        late = np.maximum(load - np.arange(levels), 0.0) * rng.uniform(0.0, 2.0)
        cost = np.arange(1, levels + 1) * 0.5 + late
        moving = np.where(rng.random(experts) < 0.2, rng.integers(0, levels, experts), aims)
        moved = np.abs(places[moving] - places[aims])
        loss = cost[aims] + moved
        hedged, hedged_changes = hedged + shares @ loss, hedged_changes + shares @ moved
        paid, most = paid + cost[now], max(most, loss.max())
        losses, aims = losses + loss, moving
    total, scale = boundaries.sum(), most / temperature
    factor = scale / (1.0 - np.exp(-scale))
    assert hedged <= factor * (losses.min() + temperature * np.log(experts))
    assert paid <= 2.0 / (1.0 - 2.0 * patience) * (hedged - hedged_changes)
    share = hedged_changes + total * hedged / temperature
    assert 0.0 < changes <= total + share / (2.0 * patience)


def test_the_rehearsal_is_always_the_same() -> None:
    one, other = (rehearsal.rehearsed(group_of(), Prices(0.1, 0.0)) for _ in range(2))
    assert one.shadows.losses.tobytes() == other.shadows.losses.tobytes()
    assert one.planners.learned.expected.tobytes() == other.planners.learned.expected.tobytes()
    assert (one.shadows.losses > 0.0).all()
    dearer = rehearsal.rehearsed(group_of(), Prices(10.0, 0.0)).shadows.losses
    # The dearer late events are, the larger the margin of the rule that was cheapest.
    best = [rule_experts.describe(int(np.argmin(x[:330])))[1] for x in (one.shadows.losses, dearer)]
    assert best[0] <= best[1]


def test_delays_follow_from_the_protocol() -> None:
    group = group_of(rebalance_s=0.5, move_pause_s=0.25, startup_s=3.0, heartbeat_s=1.0)
    stays = {"eager": 0.5, "cooperative": 0.0, "incremental": 0.0}
    moves = {"eager": 0.75, "cooperative": 1.25, "incremental": 0.75}
    for protocol in stays:
        delays = delays_of(group._replace(protocol=protocol))
        assert delays == (3.0, 1.0, stays[protocol], moves[protocol], 0.75)


def counts_of(group: Group, seen: list[Seen], **arguments: float) -> list[tuple[int, list[int]]]:
    state = registry.get("shadow_hedge").start(group, **arguments)
    answers = []
    for one in seen:
        after = np.full(group.partitions, -9)
        replicas, _ = decide_once(state, one, after)
        answers.append((replicas, after.tolist() if replicas > 0 else []))
    return answers


def test_the_future_changes_no_earlier_decision() -> None:
    """Two workloads that are the same for 200 of 300 s: so is everything up to then."""
    rng = np.random.default_rng(4)
    rates = rng.uniform(0.0, 90.0, (300, 5))
    other = rates.copy()
    other[200:] = rng.uniform(0.0, 300.0, (100, 5))
    first, second = (
        simulate_in_detail(each, "shadow_hedge", {"w": 0.2}, PAPER_GROUP | {"mu": 100.0})
        for each in (rates, other)
    )
    assert first.result.replicas[:200].tolist() == second.result.replicas[:200].tolist()
    assert first.result.replicas[200:].tolist() != second.result.replicas[200:].tolist()
    again = simulate_in_detail(rates, "shadow_hedge", {"w": 0.2}, PAPER_GROUP | {"mu": 100.0})
    assert again.result.partitions_moved == first.result.partitions_moved
    assert again.trajectory.lag.tobytes() == first.trajectory.lag.tobytes()


def test_dearer_late_events_make_fewer_of_them_at_more_replicas() -> None:
    """On a wave with noise: neither figure is better at every price."""
    rng = np.random.default_rng(8)
    wave = 160.0 + 130.0 * np.sin(np.arange(1500) / 70.0)
    rates = rng.poisson(np.repeat(wave[:, None] / 5.0, 5, axis=1)).astype(float)
    results = [
        simulate_in_detail(rates, "shadow_hedge", {"w": w}, PAPER_GROUP | {"mu": 100.0}).result
        for w in (0.01, 0.2, 5.0)
    ]
    late = [100.0 - (result.sla_percent or 0.0) for result in results]
    paid = [result.replica_minutes for result in results]
    assert late[0] > late[1] > late[2]
    assert paid[0] < paid[1] < paid[2]


def test_a_group_keeps_within_its_bounds() -> None:
    """Also where the greatest number of replicas is above that of partitions."""
    rng = np.random.default_rng(2)
    rates = rng.uniform(0.0, 400.0, (120, 3))
    for least, most in ((0, 9), (2, 2), (4, 6)):
        settings = {"min_replicas": least, "max_replicas": most, "initial_replicas": max(least, 1)}
        replicas = simulate_in_detail(rates, "shadow_hedge", {}, settings).result.replicas
        assert max(least, 1) <= replicas.min()
        assert replicas.max() <= most
