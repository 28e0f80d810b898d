"""Simulations from which claims are judged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from algorithms.autoscaling.candidates import candidate
from algorithms.core.arrays import Floats
from algorithms.simulation import simulate
from algorithms.simulation.group_result import Actions, Detailed, Result, Trajectory
from algorithms.simulation.group_settings import PAPER_GROUP
from algorithms.workloads.partition_splits import split
from algorithms.workloads.three_peaks import three_peaks
from live.live_settings import BURSTS, DRIFT
from pipeline.experiments.autoscaling.kernels import claim_kernel
from pipeline.experiments.autoscaling.kernels.claim_kernel import ClaimPlan, late_after
from pipeline.experiments.autoscaling.paper.open_settings import (
    OPEN_SETTINGS,
    OpenSetting,
    Played,
    played,
)

pytestmark = pytest.mark.unit

RATES = split(three_peaks(600), 5)
GROUP = {**PAPER_GROUP, "heartbeat_s": 3.0, "assignor": "range"}
CANDIDATES = (candidate("least_loaded_2", heartbeat_s=0.5), candidate("linear"))


CHOSEN = [next(one for one in OPEN_SETTINGS if one.arrivals == name) for name in (BURSTS, DRIFT)]


def simulated(folder: Path, numbers: Sequence[int] = (2,)) -> list[dict[str, Any]]:
    tasks = [{"experiment": "x", "number": number, "seed": 5} for number in numbers]
    plans = {"x": ClaimPlan(RATES, CANDIDATES, GROUP)}
    batches = claim_kernel.simulate(plans, folder)([pa.RecordBatch.from_pylist(tasks)])
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("setting", CHOSEN, ids=lambda setting: setting.arrivals)
def test_rows_are_those_of_the_simulation(
    setting: OpenSetting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Called by itself with all settings spelt out."""
    monkeypatch.setattr(claim_kernel, "OPEN_SETTINGS", [setting])
    rows = simulated(tmp_path)
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


def test_seeds_that_are_kept_are_not_simulated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claim_kernel, "OPEN_SETTINGS", CHOSEN[:1])
    first = simulated(tmp_path / "claims")
    made: list[int] = []

    def noted(rates: Floats, setting: OpenSetting, seed: int) -> Played:
        made.append(seed)
        return played(rates, setting, seed)

    monkeypatch.setattr(claim_kernel, "played", noted)
    both = simulated(tmp_path / "claims", (2, 3))
    assert made == [5]
    assert both[: len(first)] == first
    assert [row["number"] for row in both] == [2, 2, 3, 3]
    # Nothing but whole files stays.
    assert sorted(file.name for file in (tmp_path / "claims").iterdir()) == [
        "x-2.arrow",
        "x-3.arrow",
    ]


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
