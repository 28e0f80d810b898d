"""The part of a recording for which replicas are known as well."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np

from algorithms.core.arrays import Floats
from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.confirmation.observed_samples import Samples
from pipeline.experiments.autoscaling.workloads.workload import Workload
from pipeline.inputs.traces import moments
from pipeline.inputs.traces.recorded_group import RecordedGroup

LEAST_S = 3_600.0
"""Least time for which replicas and rates must both be known."""


def common(load: Workload, replicas: Samples) -> tuple[Workload, Floats]:
    """The recording from the first to the last step with replicas, and these, ``[N]``.

    Within, they are NaN where unknown.
    Raises InputError if that is less than an hour, or the recording has no clock.
    """
    begun_at = started_at(load)
    observed = replicas.at(begun_at.timestamp(), len(load.rates), load.step_s)
    (known,) = np.nonzero(~np.isnan(observed))
    if len(known) * load.step_s < LEAST_S:
        raise _too_short(load, begun_at.timestamp(), len(known) * load.step_s, replicas)
    first, end = int(known[0]), int(known[-1]) + 1
    begun_at += timedelta(seconds=first * load.step_s)
    group = load.group
    if group is not None:
        group = _between(group, begun_at.timestamp(), (end - first) * load.step_s)
    part = load._replace(rates=load.rates[first:end], started_at=begun_at, group=group)
    return part, observed[first:end]


def started_at(load: Workload) -> datetime:
    """Start of a recording. Raises InputError if it has no clock."""
    if load.started_at is None:
        raise InputError(
            f"--from {load.name}: must have times since 1970 or ISO 8601, since replicas are laid "
            "over it by the clock; write such times"
        )
    return load.started_at


def _too_short(load: Workload, start: float, known_s: float, replicas: Samples) -> InputError:
    end = start + len(load.rates) * load.step_s
    first, second = (
        f"{moments.iso(float(low))} to {moments.iso(float(high))}"
        for low, high in ((start, end), (replicas.times[0], replicas.times[-1]))
    )
    return InputError(
        f"--from {load.name}: must have at least an hour in common with the replicas (got "
        f"{known_s / 60.0:.0f} min: {first}, and replicas {second}); record longer, or write both "
        "with the same time zone (--timestamps sets the unit)"
    )


def _between(group: RecordedGroup, start: float, seconds: float) -> RecordedGroup:
    """The snapshots of a time; all of them if there are less than two."""
    within = (group.times >= start) & (group.times <= start + seconds)
    if np.count_nonzero(within) < 2:
        return group
    return group._replace(
        times=group.times[within],
        committed=group.committed[within],
        ends=group.ends[within],
        owners=group.owners[within],
    )
