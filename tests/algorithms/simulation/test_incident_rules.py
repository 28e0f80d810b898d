"""What must hold of every incident, and examples that can be computed by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import incident_figures
from algorithms.simulation.group_result import Detailed
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_figures import Recovery
from algorithms.simulation.incident_kinds import (
    READINGS,
    Blind,
    Crash,
    Limit,
    Outage,
    Parameters,
    Restart,
    Spot,
)
from algorithms.simulation.incident_times import Incident

pytestmark = pytest.mark.slow

STEADY = np.full((3_600, 4), 25.0)
"""100 events/s for an hour."""

QUICK: dict[str, Any] = {"startup_s": 0.0, "heartbeat_s": 0.0, "max_poll_records": 0}


def simulated(
    parameters: Parameters | None,
    replicas: int = 2,
    rates: np.ndarray = STEADY,
    **settings: Any,
) -> Detailed:
    """A constant group, to which something happens after ten minutes."""
    own = {"initial_replicas": replicas, "max_replicas": replicas, **settings}
    incidents = [] if parameters is None else [Incident("one", 600.0, parameters, "one")]
    return simulate_in_detail(rates, "constant", settings=own, incidents=incidents)


def recovered(parameters: Parameters, replicas: int = 2, **settings: Any) -> Recovery:
    hit, quiet = (simulated(each, replicas, **settings) for each in (parameters, None))
    incident = Incident("one", 600.0, parameters)
    return incident_figures.recovery(incident, hit.actions.over_s[0], hit, quiet, 1.0)


def same(first: Detailed, second: Detailed) -> bool:
    """Whether all figures, steps and actions have the same bits, whenever incidents are over."""
    pairs = zip(
        (*first.result, *first.trajectory, *first.actions[:-1]),
        (*second.result, *second.trajectory, *second.actions[:-1]),
        strict=True,
    )
    return all(np.array_equal(a, b, equal_nan=a is not None) for a, b in pairs)


def walk(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.abs(np.cumsum(rng.normal(0.0, 3.0, (1_200, 4)), axis=0) + 30.0)


@pytest.mark.parametrize("parameters", [Outage(outage_s=0.0), Limit(limit_rate=600.0)])
def test_no_outage_and_a_limit_that_all_can_reach_change_nothing(parameters: Parameters) -> None:
    for seed in range(5):
        hit, quiet = (simulated(each, 3, walk(seed)) for each in (parameters, None))
        # The interval of the incident's instant is cut in two, so sums differ by rounding.
        assert np.allclose(hit.trajectory.lag, quiet.trajectory.lag, rtol=1e-9, atol=1e-6)
        assert hit.result.sla_percent == pytest.approx(quiet.result.sla_percent)
        assert hit.result.max == pytest.approx(quiet.result.max)
        assert hit.actions.time_s.size == 0


def test_a_limit_is_not_over_while_it_holds() -> None:
    """It slows the group once the rate exceeds it: 30 events/s wait for 300 s, and 300 are left."""
    rates = STEADY.copy()
    rates[900:1_200] = 45.0
    limit = Incident("limit", 600.0, Limit(limit_rate=150.0, limit_s=600.0))
    hit, quiet = (
        simulate_in_detail(
            rates, "constant", settings=QUICK | {"initial_replicas": 2}, incidents=own
        )
        for own in ([limit], [])
    )
    found = incident_figures.recovery(limit, hit.actions.over_s[0], hit, quiet, 1.0)
    assert found.gone_after_s == pytest.approx(600.0 + 30.0, abs=1.0)
    assert found.late > 0.0


def test_what_holds_to_the_end_counts_to_the_end() -> None:
    """A limit that does not matter at night does at noon: 30 events/s wait from then on."""
    rates = STEADY.copy()
    rates[1_800:] = 45.0
    limit = Incident("limit", 0.0, Limit(limit_rate=150.0))
    hit, quiet = (
        simulate_in_detail(
            rates, "constant", settings=QUICK | {"initial_replicas": 2}, incidents=own
        )
        for own in ([limit], [])
    )
    found = incident_figures.recovery(limit, hit.actions.over_s[0], hit, quiet, 1.0)
    assert math.isnan(found.gone_after_s)
    # All that come from noon on wait, but for those of the first seconds.
    assert found.late == pytest.approx(1_800.0 * 180.0, rel=0.02)


def test_a_limit_from_the_start_is_the_setting() -> None:
    limit = Incident("limit", 0.0, Limit(limit_rate=150.0), "limit")
    own = {"initial_replicas": 3, "max_replicas": 3}
    for seed in range(5):
        hit = simulate_in_detail(walk(seed), "constant", settings=own, incidents=[limit])
        assert same(hit, simulate_in_detail(
            walk(seed), "constant", settings={**own, "shared_limit": 150.0}
        ))  # fmt: skip


def test_more_capacity_never_lengthens_the_time_to_drain() -> None:
    every: Sequence[Parameters] = (Outage(outage_s=300.0), Crash(), Restart())
    for parameters in every:
        for faster in (
            [recovered(parameters, 2, mu=mu).gone_after_s for mu in (60.0, 80.0, 120.0, 400.0)],
            [recovered(Outage(outage_s=300.0), n, mu=120.0).gone_after_s for n in (1, 2, 4)],
        ):
            times = [np.inf if np.isnan(time) else time for time in faster]
            assert times == sorted(times, reverse=True)


def test_an_outage_by_hand() -> None:
    """90,000 events wait; twice the rate serves them in as long as they took to arrive."""
    recovery = recovered(Outage(outage_s=900.0), 1, mu=200.0)
    assert recovery.gone_after_s == 1_800.0
    assert recovery.longest_s == pytest.approx(900.0 + 0.5 / 200.0)
    # An event that arrives t s after the start waits 900 - t / 2 s.
    on_time = (0.5 - 0.5 / 200.0) * 2.0 * 100.0
    assert recovery.late == pytest.approx(180_000.0 - on_time)


def test_a_crash_by_hand() -> None:
    """Half of the partitions wait for the session and a heartbeat; then one member has all."""
    recovery = recovered(
        Crash(), startup_s=100.0, heartbeat_s=2.0, rebalance_s=1.0, max_poll_records=0, commit_s=0.0
    )
    # Eager: after 45 + 2 s all stop for 1 s.
    assert recovery.longest_s == pytest.approx(48.0 + 0.5 / 200.0)
    detailed = simulated(
        Crash(), startup_s=100.0, heartbeat_s=2.0, rebalance_s=1.0, max_poll_records=0, commit_s=0.0
    )
    assert detailed.trajectory.lag[640] == pytest.approx(41.0 * 50.0)
    # The new replica joins 100 s after the session, and all stop again.
    assert detailed.actions.over_s[0] == pytest.approx(600.0 + 45.0 + 100.0 + 2.0 + 1.0)
    assert detailed.trajectory.replicas.tolist() == [2] * 3_600


def test_a_crash_serves_again_what_was_not_committed() -> None:
    detailed = simulated(Crash(), commit_s=5.0, **QUICK)
    assert 0.0 < detailed.result.reprocessed <= 5.0 * 50.0
    assert simulated(Crash(), commit_s=0.0, **QUICK).result.reprocessed == 0.0


@pytest.mark.parametrize(
    ("surge", "unavailable", "least", "most", "actions"),
    [(1, 0, 4, 5, 5), (0, 1, 3, 4, 4), ("25%", "25%", 3, 5, 3), ("100%", 0, 4, 8, 2)],
)
def test_a_restart_keeps_its_limits(
    surge: int | str, unavailable: int | str, least: int, most: int, actions: int
) -> None:
    restart = Restart(surge=surge, unavailable=unavailable)
    detailed = simulated(
        restart, 4, startup_s=10.0, heartbeat_s=0.0, rebalance_s=0.0, max_poll_records=0
    )
    paid = detailed.trajectory.paid_s[600:700]
    assert detailed.actions.time_s.size == actions
    assert (detailed.actions.after.min(), detailed.actions.after.max()) == (4, most)
    assert detailed.result.n_up == detailed.result.n_down == detailed.result.n_reassign == 0
    assert round(paid.max()) == most
    assert detailed.trajectory.replicas[-1] == 4
    assert least <= detailed.trajectory.replicas.min()


def test_static_members_come_back_to_their_partitions() -> None:
    """Nothing moves, but the partitions of one member after the other wait for its start."""
    detailed = simulated(
        Restart(), 2, static_members=True, startup_s=10.0, rebalance_s=0.0, heartbeat_s=0.0
    )
    assert detailed.result.partitions_moved == 0
    assert detailed.result.stalled_s == pytest.approx(4 * 10.0)
    assert detailed.trajectory.lag[609] == pytest.approx(2 * 25.0 * 10.0)


@pytest.mark.parametrize("reads", READINGS)
@pytest.mark.parametrize("strategy", ["headroom", "keda_hpa", "keda_http:linear", "ds2"])
def test_no_time_without_a_metric_changes_nothing(strategy: str, reads: str) -> None:
    blind = Incident("blind", 600.5, Blind(blind_s=0.0, reads=reads), "blind")
    own = {"max_replicas": 4}
    hit, quiet = (
        simulate_in_detail(walk(1), strategy, settings=own, incidents=each)
        for each in ([blind], [])
    )
    assert np.array_equal(hit.trajectory.replicas, quiet.trajectory.replicas)
    assert np.allclose(hit.trajectory.lag, quiet.trajectory.lag, rtol=1e-9, atol=1e-6)


def test_the_share_that_ends_is_replaced_before_it_does() -> None:
    """Two of four: two more for the notice, without which two are missing while others start."""
    soon, late = (
        simulated(Spot(notice_s=notice_s, share=0.3), 4, startup_s=10.0, rebalance_s=0.0)
        for notice_s in (120.0, 5.0)
    )
    assert soon.trajectory.replicas[[599, 609, 700, 719, 725]].tolist() == [4, 6, 6, 6, 4]
    assert soon.actions.time_s.tolist() == pytest.approx([600.0, 720.0])
    assert late.actions.time_s.tolist() == pytest.approx([605.0])
    assert late.trajectory.replicas.min() == 4


def test_restarts_that_overlap_are_refused() -> None:
    restarts = [Incident("restart", at_s, Restart(), f"restart@{at_s:g}") for at_s in (10.0, 15.0)]
    with pytest.raises(InvalidParameterError, match=r"restart@15: begins at 15 s, when a restart"):
        simulate_in_detail(STEADY, "constant", incidents=restarts)
