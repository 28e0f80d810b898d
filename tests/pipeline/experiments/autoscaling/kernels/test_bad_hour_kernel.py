"""Simulations of the busiest hour."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from algorithms.simulation import incident_figures
from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.workloads import poisson_counts
from pipeline.experiments.autoscaling.kernels import bad_hour_kernel
from pipeline.experiments.autoscaling.kernels.bad_hour_kernel import BadHourPlan
from pipeline.experiments.autoscaling.stages import simulate_bad_hours
from pipeline.settings.load import resolve
from pipeline.settings.presets import BAD_HOUR
from pipeline.settings.scaling_experiment import ScalingExperiment

pytestmark = pytest.mark.slow

SETS = (
    "step_s=1",
    "iterations=14400",
    "partitions=4",
    "high=0.5",
    "initial_replicas=2",
    "strategies=constant:initial_replicas=3,linear",
    "events=outage:10m,crash,warm_up",
    "bad_hour_seeds=2",
)


def experiment(*sets: str) -> ScalingExperiment:
    (one,) = resolve(BAD_HOUR, None, [*SETS, *sets], []).autoscaling
    return one


def plan(*sets: str) -> BadHourPlan:
    return simulate_bad_hours.hour_plan(experiment(*sets), {}, 3)


def simulated(own: BadHourPlan, **task: Any) -> list[dict[str, Any]]:
    whole = {"experiment": "x", "place": 0, "number": 1, "seed": 5, **task}
    batches = bad_hour_kernel.simulate({"x": own})([pa.RecordBatch.from_pylist([whole])])
    return [row for batch in batches for row in batch.to_pylist()]


def test_the_plan_is_the_time_around_noon() -> None:
    """Two days of two hours each: the whole first hour, and all that is left after it."""
    own = plan()
    assert own.rates.shape == (14_400, 4)
    assert [(each.text, each.at_s) for each in own.incidents] == [
        ("outage:10m", 1_800.0),
        ("crash", 1_800.0),
        ("warm_up", 0.0),
    ]
    long = plan("iterations=172800")
    assert len(long.rates) == 3_600 + 8 * 3_600 + 600
    # The hour begins half an hour before noon.
    assert long.rates[5_400].sum() == long.rates.sum(axis=1).max() == pytest.approx(400.0)
    assert long.incidents[0].at_s == 3_600.0


def test_tasks_are_strategies_and_seeds() -> None:
    config = resolve(BAD_HOUR, None, list(SETS), [])
    tasks = list(simulate_bad_hours.tasks(config))
    assert [(task["number"], task["place"]) for task in tasks] == [(1, 0), (1, 1), (2, 0), (2, 1)]
    assert len({task["seed"] for task in tasks}) == 2


def test_rows_are_those_of_simulations_with_the_same_arrivals() -> None:
    """Called by itself, on counts that are drawn before."""
    own = plan()
    rows = simulated(own, place=1)
    drawn = poisson_counts.draw(own.rates, 1.0, 5)
    settings = {**own.group, "seed": 5}
    quiet = simulate_in_detail(drawn, "linear", settings=settings)
    for row, incident in zip(rows, own.incidents, strict=True):
        hit = simulate_in_detail(drawn, "linear", settings=settings, incidents=[incident])
        assert row["replica_minutes"] == hit.result.replica_minutes
        assert row["quiet_minutes"] == quiet.result.replica_minutes
        assert (row["strategy"], row["setting"], row["event"]) == ("linear", "", incident.text)
        if incident.kind == "warm_up":
            continue
        over_s = hit.actions.over_s[0]
        found = incident_figures.recovery(incident, over_s, hit, quiet, 1.0)
        assert row["late_events"] == found.late
        assert row["greatest_age_s"] == found.longest_s
        assert row["lag_gone_after_s"] == found.gone_after_s


def test_what_lasts_counts_to_the_end() -> None:
    own = plan()
    (row,) = (each for each in simulated(own, place=1) if each["kind"] == "warm_up")
    assert row["lag_gone_after_s"] is None
    hit, quiet = (
        simulate_in_detail(
            own.rates, "linear", settings={**own.group, "poisson": True, "seed": 5}, incidents=which
        )
        for which in (own.incidents[2:], ())
    )
    late = float((hit.trajectory.late - quiet.trajectory.late).sum())
    assert row["late_events"] == pytest.approx(max(late, 0.0), rel=1e-6, abs=1e-3)


def test_a_group_that_is_too_small_does_not_recover() -> None:
    """One replica of 200 events/s, with 360 events/s at noon and 40 at night."""
    own = plan("strategies=constant:initial_replicas=1", "events=outage:10m", "iterations=9000")
    (row,) = simulated(own)
    assert row["lag_gone_after_s"] == math.inf
    assert row["late_events"] > 0.0


def test_decisions_are_made_in_whole_steps() -> None:
    """Linear decides each second by itself."""
    own = plan("step_s=5", "iterations=2880", "events=crash")
    (row,) = simulated(own, place=1)
    assert row["lag_gone_after_s"] % 5.0 == 0.0


def test_strategies_have_the_same_arrivals() -> None:
    own = plan()
    one, two = (simulated(own, place=place)[0]["greatest_age_s"] for place in (0, 1))
    # What arrives as the outage begins is the oldest under both.
    assert one == pytest.approx(two, abs=1.0)
    assert np.isclose(one, 600.0, atol=1.0)
