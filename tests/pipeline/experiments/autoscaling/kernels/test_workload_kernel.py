"""Generated workloads: reproducible, different by replicate, and as heavy as their profile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.workloads import load_profiles, partition_splits
from pipeline.experiments.autoscaling.kernels import workload_kernel
from pipeline.experiments.autoscaling.stages import scaling_plans, workload_streams
from pipeline.settings.scaling_experiment import PROFILES, ScalingExperiment

pytestmark = pytest.mark.unit

PROFILE: dict[str, Any] = {
    "profile": "diurnal",
    "iterations": 400,
    "low": 100.0,
    "high": 800.0,
    "partitions": 5,
    "split": "equal",
    "step_s": 1.0,
    "poisson": True,
}


def experiment(**changes: Any) -> ScalingExperiment:
    return ScalingExperiment.model_validate(
        {"name": "e", "strategies": ["constant"], "replicates": 3} | changes
    )


@pytest.mark.parametrize("profile", PROFILES)
def test_the_same_seed_gives_the_same_bits(profile: str) -> None:
    first, again = (workload_kernel.rates_of(PROFILE | {"profile": profile}, 7) for _ in range(2))
    assert first.tobytes() == again.tobytes()
    assert first.shape == (400, 5)
    assert (first >= 0.0).all()
    other = workload_kernel.rates_of(PROFILE | {"profile": profile}, 8)
    assert not np.array_equal(first, other)


def test_counts_are_those_of_the_seconds_of_a_step() -> None:
    """Rates times the length of the step are whole events."""
    rates = workload_kernel.rates_of(PROFILE | {"step_s": 4.0}, 7)
    np.testing.assert_array_equal(rates * 4.0, np.rint(rates * 4.0))
    assert not np.array_equal(rates, np.rint(rates))


@pytest.mark.parametrize("split", ["equal", "skew"])
def test_without_counts_rates_are_the_profile_split(split: str) -> None:
    steady = PROFILE | {"profile": "steady", "poisson": False, "split": split, "high": 100.0}
    rates = workload_kernel.rates_of(steady, 7)
    expected = partition_splits.split(np.full(400, 100.0), 5, split)
    np.testing.assert_allclose(rates, expected, rtol=1e-12)


def test_weights_of_an_experiment_reach_its_rates() -> None:
    shape = experiment(partitions=5, split=[8, 4, 2, 1, 1], profile="steady", poisson=False)
    plan = scaling_plans.plan_of(shape)
    rates = workload_kernel.rates_of(plan.profile, 7)
    np.testing.assert_allclose(rates[0], rates[0].sum() * np.array([8, 4, 2, 1, 1]) / 16)
    seeds = {
        stream.seed
        for split in ("equal", [8, 4, 2, 1, 1], [1, 1, 2, 4, 8])
        for stream in workload_streams.profiles(experiment(partitions=5, split=split), 1)
    }
    assert len(seeds) == 3 * 3


def test_counts_have_the_mean_of_the_profile() -> None:
    """Of 400 steps, four standard errors of a Poisson mean: 1 in 16,000 by chance, seed fixed."""
    means = workload_kernel.rates_of(PROFILE | {"poisson": False}, 7)
    drawn = workload_kernel.rates_of(PROFILE, 7)
    error = np.sqrt(means.sum(axis=0))
    assert (np.abs(drawn.sum(axis=0) - means.sum(axis=0)) < 4.0 * error).all()
    assert means.sum(axis=1).min() >= 100.0 - 1e-9
    assert means.sum(axis=1).max() <= 800.0 + 1e-9


def test_replicates_differ_and_groups_do_not_matter() -> None:
    """Experiments that differ only in their group have the same streams."""
    eager, cooperative, longer = (
        list(workload_streams.profiles(experiment(**changes), 1))
        for changes in (
            {},
            {"name": "f", "protocol": "cooperative", "mu": 100.0, "strategies": ["linear"]},
            {"iterations": 400},
        )
    )
    seeds = [stream.seed for stream in eager]
    assert len(set(seeds)) == 3
    assert [stream.seed for stream in cooperative] == seeds
    assert not set(seeds) & {stream.seed for stream in longer}
    assert [stream.stream_id for stream in cooperative] == [f"f-r{r:04d}" for r in (1, 2, 3)]
    other_root = [stream.seed for stream in workload_streams.profiles(experiment(), 2)]
    assert not set(seeds) & set(other_root)


def test_the_profiles_are_those_of_the_science() -> None:
    assert set(PROFILES) == set(load_profiles.names())
