"""Simulations from which claims are judged."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from algorithms.autoscaling.candidates import candidate
from algorithms.simulation import simulate
from algorithms.simulation.group_result import Actions, Detailed, Result, Trajectory
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, DRIFT
from pipeline.experiments.autoscaling.kernels import claim_kernel
from pipeline.experiments.autoscaling.kernels.claim_kernel import ClaimPlan, late_after
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS, played

pytestmark = pytest.mark.unit

RATES = split(three_peaks(600), 5)
GROUP = {**PAPER_GROUP, "heartbeat_s": 3.0, "assignor": "range"}
CANDIDATES = (candidate("least_loaded_2", heartbeat_s=0.5), candidate("linear"))


def simulated(arrivals: str) -> list[dict[str, object]]:
    places = [i for i, one in enumerate(OPEN_SETTINGS) if one.arrivals == arrivals]
    task = {"experiment": "x", "number": 2, "seed": 5, "place": places[0]}
    plans = {"x": ClaimPlan(RATES, CANDIDATES, GROUP)}
    batches = claim_kernel.simulate(plans)([pa.RecordBatch.from_pylist([task])])
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("arrivals", [BURSTS, DRIFT])
def test_rows_are_those_of_the_simulation(arrivals: str) -> None:
    """Called by itself with all settings spelt out."""
    rows = simulated(arrivals)
    setting = next(one for one in OPEN_SETTINGS if one.arrivals == arrivals)
    rates, own = played(RATES, setting, 5)
    for row, heartbeat_s in zip(rows, (0.5, 3.0), strict=True):
        whole = {**GROUP, **own, "heartbeat_s": heartbeat_s, "seed": 5}
        result = simulate(rates, str(row["strategy"]), settings=whole)
        assert row["sla_percent"] == pytest.approx(result.sla_percent)
        assert row["replica_minutes"] == pytest.approx(result.replica_minutes)
        assert (row["n_up"], row["n_down"]) == (result.n_up, result.n_down)
        assert row["max"] == pytest.approx(result.max)
    assert [row["setting"] for row in rows] == ["heartbeat_s=0.5", ""]
    assert {row["swept"] for row in rows} == {setting.words}


def detailed(late: list[float], times_s: list[float]) -> Detailed:
    """A group of which nothing is known but late events and times of actions."""
    none = np.empty(0)
    whole = np.zeros(len(times_s), np.int64)
    steps = Trajectory(whole, none, none, none, np.array(late), none, none, none)
    actions = Actions(np.array(times_s), whole, whole, whole, none)
    return Detailed(Result(*[0] * len(Result._fields)), steps, actions)  # type: ignore[arg-type]


@pytest.mark.parametrize("step_s", [1.0, 0.5])
def test_late_events_count_for_ten_seconds(step_s: float) -> None:
    """Against a plain count, at the end of the run too."""
    late = [float(k % 7) for k in range(60)]
    times = [0.0, 3.0, 29.0 * step_s, 58.0 * step_s]
    group = detailed(late, times)
    steps = round(10.0 / step_s)
    plain = [sum(late[int(t / step_s) : int(t / step_s) + steps]) for t in times]
    chosen = np.array([True] * 4)
    assert late_after(group, chosen, step_s) == pytest.approx(sum(plain) / 4)
    last = np.array([False, False, False, True])
    assert late_after(group, last, step_s) == pytest.approx(plain[-1])


def test_without_actions_there_is_nothing() -> None:
    assert late_after(detailed([1.0], []), np.empty(0, bool), 1.0) is None
