"""Groups of constant size by their members, against the simulation of the whole group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import group_costs
from algorithms.simulation.constant_groups import ConstantGroups
from algorithms.simulation.drawn_placements import has_history, owners
from algorithms.simulation.group_simulation import simulate_in_detail

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("arrivals", ["uniform", "burst"])
def test_lateness_is_that_of_the_whole_group(seed: int, arrivals: str) -> None:
    """Bursty loads with gaps: queues fill and empty within blocks and across them."""
    draw = np.random.default_rng(seed)
    n, p = 90, 7
    rates = draw.gamma(0.4, 60.0, (n, p)) * (draw.random((n, 1)) < 0.6)
    edges = np.array([0, 20, 21, 60, 90])
    settings: dict[str, Any] = {"mu": 90.0, "wsla_s": 1.5, "step_s": 2.0, "arrivals": arrivals}
    groups = ConstantGroups(rates, edges, settings)
    for assignor in ("range", "roundrobin", "sticky"):
        for members in range(1, p + 1):
            whole = simulate_in_detail(
                rates, "constant",
                settings={**settings, "assignor": assignor, "initial_replicas": members},
            )  # fmt: skip
            expected = group_costs.block_totals(whole, edges, 2.0)
            parts = groups.lateness(owners(assignor, members, (p,)))
            assert parts is not None
            np.testing.assert_allclose(parts.late, expected.late, rtol=1e-7, atol=1e-6)
            np.testing.assert_allclose(parts.events, expected.events, rtol=1e-7, atol=1e-6)
            lag = whole.trajectory.lag[edges[1:-1] - 1]
            np.testing.assert_allclose(parts.carried, lag, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("assignor", ["range", "roundrobin", "sticky", "kip848_uniform"])
def test_drawn_placements_are_those_of_the_simulated_group(assignor: str) -> None:
    """Rates differ, so that each placement has a lateness of its own."""
    p, topics = 9, (5, 4)
    draw = np.random.default_rng(4)
    rates = draw.gamma(0.5, 70.0, (40, p)) * np.linspace(0.2, 2.0, p)
    settings: dict[str, Any] = {"mu": 120.0, "wsla_s": 1.0, "step_s": 2.0}
    groups = ConstantGroups(rates, np.array([0, 40]), settings)
    late = set()
    for k in range(1, 7):
        own = {"assignor": assignor, "initial_replicas": 4, "placement_draw": k, "seed": 5}
        whole = simulate_in_detail(rates, "constant", settings={**settings, **own}, topics=topics)
        parts = groups.lateness(owners(assignor, 4, topics, k, 5))
        assert parts is not None
        expected = group_costs.block_totals(whole, np.array([0, 40]), 2.0)
        np.testing.assert_allclose(parts.late, expected.late, rtol=1e-7, atol=1e-6)
        late.add(round(float(parts.late[0]), 3))
    assert (len(late) > 1) == has_history(assignor)


@pytest.mark.parametrize("members", [1, 3])
def test_members_serve_their_part_of_a_shared_limit(members: int) -> None:
    rates = np.random.default_rng(1).gamma(0.8, 60.0, (60, 6))
    edges = np.array([0, 60])
    settings: dict[str, Any] = {"mu": 300.0, "wsla_s": 2.0, "step_s": 1.0}
    group_settings = {**settings, "initial_replicas": members, "shared_limit": 450.0}
    expected = group_costs.block_totals(
        simulate_in_detail(rates, "constant", settings=group_settings), edges, 1.0
    )
    groups = ConstantGroups(rates, edges, {**settings, "shared_limit": 450.0 / members})
    parts = groups.lateness(owners("range", members, (6,)))
    assert parts is not None
    assert parts.late.sum() > 0.0
    np.testing.assert_allclose(parts.late, expected.late, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("arrivals", ["uniform", "burst"])
def test_groups_that_are_too_late_are_those_with_more_late_events(seed: int, arrivals: str) -> None:
    """Just below and above what is late, and far below, known from before or not."""
    draw = np.random.default_rng(seed)
    rates = draw.gamma(0.4, 60.0, (90, 7)) * (draw.random((90, 1)) < 0.6)
    settings: dict[str, Any] = {"mu": 90.0, "wsla_s": 1.5, "step_s": 2.0, "arrivals": arrivals}
    for members in range(1, 8):
        placed = owners("range", members, (7,))
        known = ConstantGroups(rates, np.array([0, 90]), settings)
        exact = known.lateness(placed)
        assert exact is not None
        late = float(exact.late.sum())
        for most_late in (0.0, 0.3 * late, late - 1e-6, late + 1e-6):
            for groups in (known, ConstantGroups(rates, np.array([0, 90]), settings)):
                lateness = groups.lateness(placed, most_late)
                assert (lateness is None) == (late > most_late)


def test_a_group_that_falls_ever_further_behind_is_not_simulated() -> None:
    """100 s with 150 events/s for 100: 5,000 wait in the end, all but 30 of them for too long."""
    groups = ConstantGroups(
        np.full((100, 1), 150.0), np.array([0, 100]), {"mu": 100.0, "wsla_s": 0.205, "step_s": 1.0}
    )
    assert groups.lateness(np.zeros(1, np.int64), 4_969.0) is None
    assert groups.simulated == 0
    exact = groups.lateness(np.zeros(1, np.int64), 4_971.0)
    assert exact is None
    assert groups.simulated == 100


def test_what_never_waits_is_not_simulated() -> None:
    groups = ConstantGroups(
        np.full((50, 4), 25.0), np.array([0, 50]), {"mu": 100.0, "wsla_s": 1.0, "step_s": 1.0}
    )
    lateness = groups.lateness(np.zeros(4, np.int64))
    assert lateness is not None
    assert (lateness.late.tolist(), lateness.events.tolist()) == ([0.0], [5000.0])
    assert groups.simulated == 0


def test_a_group_that_is_too_late_is_given_up() -> None:
    rates = np.full((50, 2), 80.0)
    groups = ConstantGroups(rates, np.array([0, 50]), {"mu": 100.0, "wsla_s": 1.0, "step_s": 1.0})
    assert groups.lateness(np.zeros(2, np.int64), 100.0) is None
    assert groups.lateness(np.array([0, 1]), 0.0) is not None


def test_times_of_service_that_vary_are_refused() -> None:
    settings = {"mu": 1.0, "wsla_s": 1.0, "step_s": 1.0, "service_cv": 1.0}
    with pytest.raises(InvalidParameterError, match="service_cv"):
        ConstantGroups(np.ones((3, 1)), np.array([0, 3]), settings)
