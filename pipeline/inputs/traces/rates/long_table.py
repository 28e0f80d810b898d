"""What a file holds, whatever its form: a long table, with a row per time and series."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipeline.inputs.traces import moments
from pipeline.inputs.traces.model import Floats, Times
from pipeline.inputs.traces.moments import Writer
from pipeline.inputs.traces.rates.metric_names import UNKNOWN
from pipeline.inputs.traces.rates.sampled_series import Series
from pipeline.inputs.traces.recorded_group import RecordedGroup

Codes = NDArray[np.int64]

RATES, OFFSETS = "rates", "offsets"
"""What values can be; offsets are turned into rates."""


class Labels(NamedTuple):
    """What a metric tool says about a series."""

    metric: str
    """Name of the metric; empty if the file does not say."""
    labels: Mapping[str, str]


class Measurements(NamedTuple):
    """Times at which a file has a value of every partition that exists."""

    size: int
    """Number of measurements."""
    ranks: Codes
    """``int64[R]``: measurement of each row, from 0 in order of time."""
    times: Times | None
    """Times of the measurements as written; None if the file has none."""
    where: Callable[[int], str]
    """Returns the position of a row in the file, by its number from 0."""
    in_columns: bool = False
    """Whether the file has a column per partition, and the time in the first one."""

    @property
    def in_seconds(self) -> bool:
        """Whether the file says when measurements were made."""
        return self.times is not None and self.times.in_seconds


@dataclass(frozen=True, eq=False)
class LongTable:
    """R rows of a file in its order, each a value of one of S series at a time."""

    path: Path
    form: str
    """Format of the file, in words."""
    series: Codes
    """``int64[R]``: index of each row's series."""
    times: Floats
    """``float64[R]``, s: since 1970, or since the first time where `measurements` are written."""
    values: Floats
    """``float64[R]``: checked one by one, 0 or more; NaN where a cell is empty."""
    names: Sequence[str] = ()
    """Names of the S series: those of partitions; empty if `labels` tell the partition."""
    labels: Sequence[Labels] = ()
    """Metric and labels of the S series; empty where the file has none."""
    kind: str | None = None
    """`RATES` or `OFFSETS`, as the user or the file says; None to recognise them."""
    unit: str = UNKNOWN
    """Unit of rates, as far as the file says."""
    text: Writer = moments.iso
    """Text of a time, s; ISO 8601 in UTC by default."""
    notes: tuple[str, ...] = ()
    """What the reader should know about the file's values, in sentences."""
    warnings: tuple[str, ...] = ()
    """What the source of the values has said of them, in sentences."""
    is_total: bool = False
    """Whether the only series is the total rate of a topic."""
    measurements: Measurements | None = None
    """None for samples, which each series can have at times of its own."""
    group: Callable[[Sequence[str]], RecordedGroup | None] | None = None
    """Returns the consumer group that the file shows, over partitions by name."""


def stacked(samples: Sequence[tuple[Floats, Floats]]) -> tuple[Codes, Floats, Floats]:
    """Columns of series, times and values, from the times and values of each series."""
    lengths = [len(times) for times, _ in samples]
    return (
        np.repeat(np.arange(len(samples)), lengths),
        np.concatenate([np.empty(0), *(times for times, _ in samples)]),
        np.concatenate([np.empty(0), *(values for _, values in samples)]),
    )


def series_of(table: LongTable) -> list[Series]:
    """The rows with a value of each series that has some, in order of time."""
    rows = np.flatnonzero(~np.isnan(table.values))
    series, times = table.series[rows], table.times[rows]
    is_next = np.diff(series)
    if not ((is_next > 0) | ((is_next == 0) & (np.diff(times) > 0.0))).all():
        order = np.lexsort((times, series))
        rows, series, times = rows[order], series[order], times[order]
    ends = np.cumsum(np.bincount(series, minlength=len(table.names)))[:-1]
    parts = zip(np.split(times, ends), np.split(table.values[rows], ends), strict=True)
    named = zip(table.names, parts, strict=True)
    return [Series(name, at, values) for name, (at, values) in named if len(at)]
