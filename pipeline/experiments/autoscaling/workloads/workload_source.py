"""The workload that a user names: a recorded file, or a generated profile."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import AlgorithmError
from algorithms.simulation.group_settings import GroupSettings
from algorithms.workloads import load_profiles, partition_splits
from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.workloads.workload import EQUAL, SplitChoice, Workload, cut
from pipeline.inputs.traces.partition_layout import Topic
from pipeline.inputs.traces.reading import RECOGNIZED, Reading, refuse

__all__ = ["SplitChoice", "Topic", "Workload", "generated", "load", "split_of"]

DEFAULT_STEPS = 7200
DEFAULT_PARTITIONS = 9

MOST_CONSUMERS = 4.0
BUSIEST = 0.8
LOWEST = 0.2
"""Default rates of a profile. The highest total keeps `MOST_CONSUMERS` consumers busy, or is less:
no partition gets more than the share `BUSIEST` of what one consumer serves. The lowest total is the
share `LOWEST` of the highest."""

MAX_RATE = limits.MAX_CAPACITY
"""Highest total rate, events/s: beyond it doubles do not distinguish single events."""

FILE_KEYS = ("rounding",)
PROFILE_KEYS = ("steps", "low", "high", *FILE_KEYS)
"""Settings of a recorded workload and of a profile, besides those of the group."""


def split_of(text: str | None) -> SplitChoice:
    """The split of a text: ``equal``, ``skew`` or weights, ``4,2,1``; InputError for others."""
    if text is None or text == "equal":
        return EQUAL
    if text == "skew":
        return SplitChoice("skew")
    try:
        return SplitChoice("weights", tuple(float(part) for part in text.split(",")))
    except ValueError:
        raise InputError(
            f"--split must be equal, skew, or a weight per partition such as 4,2,1 (got {text!r})"
        ) from None


def load(
    source: str,
    partitions: int | None,
    split: SplitChoice,
    settings: Mapping[str, Any],
    group: GroupSettings,
    reading: Reading = RECOGNIZED,
) -> Workload:
    """Read or generate a workload; steps are cut where they are longer than a decision.

    source: Name of a profile of `load_profiles.names`, else the path of a trace.
    partitions: Number of partitions that a total rate is split over. By default that of the
        weights; a profile without weights has 9.
    settings: Those of ``step_s`` and `PROFILE_KEYS` that differ from the defaults; see `generated`
        and `recorded_workloads.load`.
    group: Checked settings of the group: ``mu`` and ``seed`` also determine a profile, ``arrivals``
        whether steps can be cut.
    reading: How a file is read; not for profiles.
    """
    count = partitions
    if split.weights is not None:
        count = len(split.weights) if partitions is None else partitions
        if count != len(split.weights):
            raise InputError(
                f"--split must have a weight per partition (got {len(split.weights)} weights for "
                f"{count} partitions)"
            )
    try:
        if source in load_profiles.names():
            refuse(*reading, "to a generated profile")
            whole = generated(source, count, split, settings, group)
        else:
            whole = _recorded(source, count, split, settings, reading)
        return cut(whole, group.arrivals)
    except AlgorithmError as error:
        raise InputError(str(error)) from error


def generated(
    profile: str,
    partitions: int | None,
    split: SplitChoice,
    settings: Mapping[str, Any],
    group: GroupSettings,
) -> Workload:
    """Generate a workload from a profile.

    It has 7,200 ``steps`` of ``step_s``, 1 s. Its total rate is between ``low`` and ``high``, in
    events/s. The default of ``high`` is four times ``mu``, but at most 0.8 times ``mu`` on a
    partition; that of ``low`` is a fifth of ``high``.

    Raises InputError, AlgorithmError if a value is out of bounds.
    """
    count = check_count(
        "partitions",
        DEFAULT_PARTITIONS if partitions is None else partitions,
        1,
        limits.MAX_PARTITIONS,
    )
    steps = check_count("steps", settings.get("steps", DEFAULT_STEPS), 1, limits.MAX_ITERATIONS)
    limits.check_rates(f"{count:,} partitions × {steps:,} steps", count * steps, f"{profile}: ")
    shares = partition_splits.split([1.0], count, split.how, split.weights)
    low, high = _range(settings, group.mu, float(shares.max()))
    total = load_profiles.generate(profile, steps, low, high, group.seed)
    rates = partition_splits.split(
        total, count, split.how, split.weights, settings.get("rounding", "none")
    )
    return Workload(profile, rates, group.step_s, None)


def _range(settings: Mapping[str, Any], mu: float, largest_share: float) -> tuple[float, float]:
    """Lowest and highest total rate, events/s."""
    busy = min(MOST_CONSUMERS, BUSIEST / largest_share) * mu
    high = check_number("high", settings.get("high", busy), at_least=0.0, at_most=MAX_RATE)
    low = check_number("low", settings.get("low", LOWEST * high), at_least=0.0, at_most=high)
    return low, high


def _recorded(
    source: str,
    partitions: int | None,
    split: SplitChoice,
    settings: Mapping[str, Any],
    reading: Reading,
) -> Workload:
    # Reading files imports Arrow, which profiles do without.
    from pipeline.experiments.autoscaling.workloads import recorded_workloads

    for key in PROFILE_KEYS:
        if key in settings and key not in FILE_KEYS:
            raise InputError(
                f"--set {key}={settings[key]}: only applies to a generated profile "
                f"({', '.join(load_profiles.names())}); remove it for a file"
            )
    # A path that the system refuses, such as one too long, does not exist either.
    if not os.path.exists(source):  # noqa: PTH110
        raise InputError(
            f"{source}: not found; WORKLOAD must be a file or one of the profiles "
            f"{', '.join(load_profiles.names())}"
        )
    recorded = recorded_workloads.load(
        Path(source),
        partitions=partitions,
        split=split,
        rounding=settings.get("rounding", "none"),
        step_s=settings.get("step_s"),
        reading=reading,
    )
    with np.errstate(over="ignore"):
        greatest = float(recorded.rates.sum(axis=1).max())
    if greatest > MAX_RATE:
        raise InputError(
            f"{source}: the total rate can be at most {MAX_RATE:g} {recorded.unit} (got "
            f"{greatest:g})"
        )
    return recorded
