"""What holds for every group, whatever its workload and strategy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.simulation import Result, partition_moves, simulate
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.group_state import UNOWNED, Members, Partitions
from algorithms.workloads import load_profiles, partition_splits
from tests.algorithms.simulation import scenarios, scripted

pytestmark = pytest.mark.unit

LATENCY = ("mean", "p50", "p90", "p95", "p99", "p999", "max")


def loads(seed: int, steps: int = 60, partitions: int = 4) -> Any:
    """Rates that overload two consumers at times."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.0, 160.0, (steps, partitions)) * rng.uniform(0.2, 1.5, (steps, 1))


@pytest.mark.parametrize("arrivals", ["uniform", "burst"])
@pytest.mark.parametrize("protocol", ["eager", "cooperative", "incremental"])
def test_nothing_is_lost_and_nothing_departs_early(arrivals: str, protocol: str) -> None:
    """What arrived has departed or is still there, and no more than that, at every step."""
    for seed in range(5):
        rates = loads(seed)
        settings = PAPER_GROUP | {"arrivals": arrivals, "protocol": protocol, "startup_s": 2.5}
        result, trajectory, actions = simulate_in_detail(rates, "linear", settings=settings)
        arrived, served = np.cumsum(trajectory.arrived), np.cumsum(trajectory.served)
        assert served + trajectory.lag == pytest.approx(arrived, rel=1e-12)
        assert (trajectory.lag >= 0.0).all()
        assert (trajectory.late <= trajectory.served + 1e-9).all()
        assert trajectory.stalled_s.sum() == pytest.approx(result.stalled_s)
        assert trajectory.paid_s.sum() == pytest.approx(60.0 * result.replica_minutes)
        assert result.peak_lag >= trajectory.lag.max()
        assert result.unconsumed == trajectory.lag[-1]
        assert actions.moved.sum() == result.partitions_moved
        assert len(actions.time_s) == result.n_up + result.n_down + result.n_reassign > 0
        assert trajectory.lag.max() > 1.0


@given(st.integers(0, 10**6))
def test_each_partition_is_served_by_one_member_at_most(seed: int) -> None:
    """Partitions are divided among the members that own them, and those that wait."""
    rng = np.random.default_rng(seed)
    p, n = int(rng.integers(1, 9)), int(rng.integers(0, 6))
    ids = np.sort(rng.choice(10, n, replace=False)).astype(np.int64)
    places = np.full(11, UNOWNED, np.int64)
    places[ids] = np.arange(n)
    owners = np.append(ids, UNOWNED)[rng.integers(0, n + 1, p)]
    resumes = rng.integers(0, 3, p).astype(np.float64)
    empty = np.zeros(p, np.int64)
    partitions = Partitions(
        np.zeros(p), owners, owners, resumes, empty, np.zeros(p), np.zeros(p, np.bool_)
    )
    served, starts = np.zeros(p, np.int64), np.zeros(n + 2, np.int64)
    ranked = np.zeros(p, np.int64)
    members = Members(ids, places, np.zeros(n), served, ranked, starts, np.zeros(n))
    partition_moves.group_by_member(n, 1.0, partitions, members, np.zeros(11, np.bool_))
    assert ranked.tolist() == served.tolist()
    groups = [
        members.served[members.starts[m] : members.starts[m + 1]].tolist() for m in range(n + 1)
    ]
    serving = np.where(resumes <= 1.0, owners, UNOWNED)
    for m in range(n):
        assert groups[m] == np.flatnonzero(serving == ids[m]).tolist()
    assert groups[n] == np.flatnonzero(serving == UNOWNED).tolist()


def test_partitions_have_a_member_or_no_owner() -> None:
    for seed in range(100):
        case = scenarios.scenario(seed)
        scripted_strategy = scripted.strategy(case.answers)
        simulate(case.workload, scripted_strategy, settings=case.settings)
        script = scripted.STARTED[-1]
        owners = script.notes[: script.calls[0], 2]
        assert ((owners >= UNOWNED) & (owners < 2 * case.settings["max_replicas"])).all()


@pytest.mark.parametrize("service_s", [0.5, 1.0])
def test_shorter_steps_change_nothing(service_s: float) -> None:
    """The result does not depend on how time is cut."""
    for seed in range(6):
        rates = loads(seed)
        settings: dict[str, Any] = {"initial_replicas": 2, "wsla_s": service_s, "decision_s": 2.0}
        whole = simulate(rates, "constant", settings=settings)
        halves = simulate(
            np.repeat(rates, 2, axis=0), "constant", settings=settings | {"step_s": 0.5}
        )
        assert halves.replicas[1::2].tolist() == whole.replicas.tolist()
        for field in Result._fields[1:]:
            assert getattr(halves, field) == pytest.approx(getattr(whole, field), rel=1e-7), field


@pytest.mark.parametrize("arrivals", ["uniform", "burst"])
@pytest.mark.parametrize("factor", [0.01, 3.0, 1e6])
def test_the_unit_of_events_does_not_matter(arrivals: str, factor: float) -> None:
    """Rates and mu times c: every latency keeps what it has beyond half a service time."""
    for seed in range(4):
        rates = loads(seed)
        settings: dict[str, Any] = PAPER_GROUP | {
            "arrivals": arrivals,
            "heartbeat_s": 1.0,
            "wsla_s": 100.0,
        }
        one = simulate(rates, "linear", settings=settings | {"mu": 150.0})
        other = simulate(rates * factor, "linear", settings=settings | {"mu": 150.0 * factor})
        assert other.replicas.tolist() == one.replicas.tolist()
        assert other.peak_lag == pytest.approx(one.peak_lag * factor)
        for field in LATENCY:
            waited = getattr(one, field) - 1.0 / 300.0
            expected = pytest.approx(waited + 1.0 / (300.0 * factor), abs=1e-9)
            assert getattr(other, field) == expected, field


def test_same_inputs_same_bits() -> None:
    settings = PAPER_GROUP | {"poisson": True, "service_cv": 0.7, "seed": 5, "assignor": "sticky"}
    for strategy in ("linear", "keda_hpa"):
        one, other = (
            simulate_in_detail(loads(1), strategy, settings=settings | {"decision_s": 1.0})
            for _ in range(2)
        )
        for first, second in zip(one, other, strict=True):
            for a, b in zip(first, second, strict=True):
                assert np.array_equal(np.asarray(a), np.asarray(b), equal_nan=True)
    other = simulate_in_detail(loads(1), "linear", settings=settings | {"seed": 6})
    assert other.result.mean != one.result.mean


def test_the_bits_are_pinned() -> None:
    """Tables of runs are compared with earlier ones: a moved bit is a changed model."""
    total = load_profiles.generate("bursts", 600, 100.0, 700.0, seed=4)
    rates = partition_splits.split(total, 5, "skew")
    settings = PAPER_GROUP | {
        "service_cv": 1.0,
        "poisson": True,
        "seed": 9,
        "protocol": "cooperative",
    }
    result = simulate(rates, "linear", settings=settings)
    assert (result.n_up, result.n_down, result.partitions_moved) == (69, 69, 292)
    assert result.mean is not None
    assert result.mean.hex() == "0x1.8b28a920fc7f3p-7"
    assert result.peak_lag.hex() == "0x1.7e83dcdcbb100p+8"
    assert result.replica_minutes.hex() == "0x1.4aaaaaaaaaaabp+4"


def test_arrivals_that_add_up_to_the_rate_leave_no_lag() -> None:
    """In floats they add up to slightly more, which must not make an event wait for ever."""
    rates = np.array([[50.0, 350.0 / 3.0, 100.0 / 3.0]] * 6)
    assert rates[0].sum() > 200.0
    result = simulate(rates, "constant", settings={"drain_limit_s": 0.0})
    assert result.peak_lag == 0.0
    assert result.max == 0.0025


def test_what_is_left_through_rounding_has_departed() -> None:
    """Draining ends when the last event departs: 0.1 s at three thirds of the rate."""
    rates = np.array([[220.0 / 3.0] * 3])
    result = simulate(rates, "constant", settings={"drain_limit_s": 0.1})
    assert result.max == pytest.approx(0.1 + 0.0025)


def test_without_events_there_is_no_latency() -> None:
    result = simulate(np.zeros((5, 3)), "linear")
    assert result.sla_percent is None
    assert [getattr(result, field) for field in LATENCY] == [None] * 7
    assert result.replica_minutes == pytest.approx(5 / 60)
    assert (result.peak_lag, result.unconsumed, result.stalled_s) == (0.0, 0.0, 0.0)


def test_without_consumers_all_partitions_wait() -> None:
    """Scaled to zero for good: nothing departs, and all latencies are infinite."""
    result, trajectory, _ = simulate_in_detail(
        np.full((6, 2), 5.0), "constant", settings={"min_replicas": 0, "initial_replicas": 0}
    )
    assert result.replicas.tolist() == [0] * 6
    assert result.replica_minutes == 0.0
    assert result.sla_percent == 0.0
    assert (result.p50, result.mean, result.max) == (np.inf, np.inf, np.inf)
    assert result.unconsumed == result.peak_lag == 60.0
    assert result.stalled_s == 12.0
    assert not trajectory.served.any()


def test_more_replicas_cost_more_and_never_wait_longer() -> None:
    rates = loads(3)
    runs = [simulate(rates, "constant", settings={"initial_replicas": n}) for n in (1, 2, 4)]
    assert [run.replica_minutes for run in runs] == pytest.approx([1.0, 2.0, 4.0])
    means = [run.mean or 0.0 for run in runs]
    assert means[0] > means[1] > means[2]
