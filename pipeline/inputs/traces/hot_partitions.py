"""Hot partitions: faster than one consumer, so that every strategy falls behind."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces import moments
from pipeline.inputs.traces.model import Floats, Trace

MOST = 20
"""Maximum number of partitions that are named."""

_LISTED = 3


class Peak(NamedTuple):
    """The highest rate of a partition."""

    name: str
    """Name of the partition."""
    rate: float
    """The rate, in the unit of the trace."""
    at: str
    """When, as text."""


def fastest(recorded: Trace, rates: Floats) -> tuple[Peak, ...]:
    """Peaks of the fastest partitions, at most `MOST`, fastest first.

    recorded: The trace as recorded, for the times.
    rates: ``float64[N, P]``: its rates in the iterations of a run.
    """
    peaks = peak_rates(rates)
    order = np.argsort(-peaks, kind="stable")[:MOST].tolist()
    return tuple(
        Peak(recorded.partitions[j], float(peaks[j]), _when(recorded, j)) for j in order if peaks[j]
    )


def _when(recorded: Trace, partition: int) -> str:
    """Time of a partition's highest rate."""
    row = int(np.nan_to_num(recorded.rates[:, partition], nan=-1.0).argmax())
    if recorded.times is None:
        return f"iteration {row + 1:,}"
    text = moments.writer(recorded.times)(float(recorded.times.at[row]))
    return text if recorded.times.in_seconds else f"iteration {text}"


def peak_rates(rates: Floats) -> Floats:
    """Highest rate of each partition, ``float64[P]``; 0 for one that is always absent."""
    peaks: Floats = np.nan_to_num(rates, nan=0.0).max(axis=0)
    return peaks


def are_hot(peaks: Sequence[float] | Floats, consumer_capacity: float) -> NDArray[np.bool_]:
    """Whether one consumer cannot read a partition at its peak, for each of some peaks."""
    above: NDArray[np.bool_] = np.asarray(peaks, dtype=np.float64) > consumer_capacity
    return above


def count(peaks: Sequence[float] | Floats, consumer_capacity: float) -> int:
    """Number of hot partitions, from the peaks of all partitions."""
    return int(are_hot(peaks, consumer_capacity).sum())


def hot(peaks: Sequence[Peak], consumer_capacity: float) -> list[Peak]:
    """Those of some partitions that are hot."""
    above = are_hot([peak.rate for peak in peaks], consumer_capacity)
    return [peak for peak, is_hot in zip(peaks, above, strict=True) if is_hot]


def sentence(
    peaks: Sequence[Peak],
    consumer_capacity: float,
    setting: str = "consumer_capacity",
    total: int | None = None,
) -> str:
    """What hot partitions mean, in sentences; empty without any.

    peaks: From `fastest`.
    consumer_capacity, setting: Rate that one consumer reads, and the name of the setting.
    total: Number of hot partitions, from `count`: `peaks` has at most `MOST` of them. By default
        those of `peaks`.
    """
    over = hot(peaks, consumer_capacity)
    if not over:
        return ""
    many = len(over) if total is None else total
    listed = "; ".join(
        f"{peak.name}, up to {peak.rate / consumer_capacity:.3g} × {setting} at {peak.at}"
        for peak in over[:_LISTED]
    )
    more = many - len(over[:_LISTED])
    rest = f"; and {more:,} more" if more > 0 else ""
    they = "it" if many == 1 else "them"
    partitions = "Hot partition" if many == 1 else f"{many:,} hot partitions"
    return (
        f"{partitions}: {listed}{rest}. Every strategy falls behind there, since one consumer must "
        f"read a whole partition: split {they} (more partitions, or a key that spreads better), or "
        "speed up the consumer."
    )


def load_without(
    rates: Floats, capacity: float, consumer_capacity: float
) -> tuple[float, int] | None:
    """Peak load of the other partitions, and the consumers it needs at least.

    Returns: rate and number of consumers of ``capacity``; None without hot partitions.
    """
    is_hot = are_hot(peak_rates(rates), consumer_capacity)
    if not is_hot.any():
        return None
    peak = float(np.nansum(rates[:, ~is_hot], axis=1).max())
    return peak, max(1, math.ceil(peak / capacity))
