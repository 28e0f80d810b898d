"""Workloads of the contest: two published ones, and generated profiles, for training or not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from algorithms.core.arrays import Floats
from algorithms.workloads import load_profiles, partition_splits, poisson_counts
from tools.bench.contest.contest_settings import MU, WSLA_S, Setting

TRAINING, HELD_OUT = "training", "held-out"
SEEDS = {TRAINING: (101,), HELD_OUT: (8102, 8103, 8104)}
"""Seeds of profiles and Poisson counts. Held-out data judges a strategy once: after a change it
needs new seeds."""

TRAINED_SHARE = 0.6
"""Share of the second published workload that is for training; the rest is held out."""

PROFILES = ("ramp", "steps", "diurnal", "bursts", "flash_crowd")
PROFILE_STEPS, LOW = 1200, 0.1
PEAK, PEAK_QUANTILE = 0.8, 0.995
"""This quantile of the total rate is at this share of what all replicas can serve."""


class Entry(NamedTuple):
    """One workload."""

    source: str
    """What it was drawn from."""
    rates: Floats
    """Rates in events/s."""


class Published(NamedTuple):
    """Total rates of the published workloads, in units of their own."""

    first: Floats
    second: Floats


def read_published(first: Path, second: Path) -> Published:
    """Read the two files of the published workloads: the rate is in the second column."""
    return Published(*(_rates(path) for path in (first, second)))


def _rates(path: Path) -> Floats:
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    return np.array([float(line.split(",")[1]) for line in lines if line.strip()])


def entries(
    part: str, published: Published, setting: Setting, seeds: int | None = None
) -> list[Entry]:
    """Workloads of a part with its first seeds (all), with the partitions of a setting."""
    weights = _weights(setting)
    capacity = (MU * WSLA_S - 0.5 if setting.burst else MU) / weights.max()
    result = []
    for source, total, seed in _totals(part, published, SEEDS[part][:seeds]):
        scale = PEAK * capacity / float(np.quantile(total, PEAK_QUANTILE))
        rates = partition_splits.split(
            total * scale, setting.partitions, "weights", weights.tolist()
        )
        drawn = rates if seed is None else poisson_counts.draw(rates, 1.0, seed)
        result.append(Entry(source, np.ascontiguousarray(drawn)))
    return result


def _weights(setting: Setting) -> Floats:
    if not setting.skewed:
        return np.full(setting.partitions, 1.0 / setting.partitions)
    weights = np.full(setting.partitions, 0.5 / (setting.partitions - 2))
    weights[:2] = 0.25
    return weights


def _totals(
    part: str, published: Published, seeds: Sequence[int]
) -> Iterator[tuple[str, Floats, int | None]]:
    """Name, total rate and seed of the counts; the first of a recording is taken as it is."""
    cut = int(TRAINED_SHARE * published.second.size)
    for i, seed in enumerate(seeds):
        counted = seed if i > 0 else None
        if part == TRAINING:
            yield "W2", published.second[:cut], counted
        else:
            yield "W1", published.first, counted
            yield "W2", published.second[cut:], counted
        for profile in PROFILES:
            yield profile, load_profiles.generate(profile, PROFILE_STEPS, LOW, 1.0, seed), seed
