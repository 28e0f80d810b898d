"""Rates of generated workloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.core.arrays import Floats
from algorithms.core.seeds import derive_seed
from algorithms.workloads import load_profiles, partition_splits, poisson_counts
from algorithms.workloads.published_shapes import SHAPES


def rates_of(profile: Mapping[str, Any], seed: int) -> Floats:
    """Rates of a stream, float64[N, P] in events/s.

    profile: ``profile``, ``iterations``, ``low`` and ``high`` in events/s, ``partitions``,
        ``split``, ``weights`` of such a split, ``step_s`` and ``poisson``; see
        `pipeline.settings.scaling_experiment.ScalingExperiment`.
    seed: Seed of the stream, for the shape and for the counts.
    """
    means = partition_splits.split(
        _total(profile, derive_seed(seed, "profile")),
        profile["partitions"],
        profile["split"],
        profile.get("weights"),
    )
    if not profile["poisson"]:
        return means
    return poisson_counts.draw(means, profile["step_s"], derive_seed(seed, "counts"))


def _total(profile: Mapping[str, Any], seed: int) -> Floats:
    """Total rates, float64[N] in events/s."""
    name, steps, high = profile["profile"], profile["iterations"], profile["high"]
    if name in SHAPES:
        return SHAPES[name].rates(steps, high)
    return load_profiles.generate(name, steps, profile["low"], high, seed)
