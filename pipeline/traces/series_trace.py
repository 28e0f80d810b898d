"""A trace of the series that a file has: recognised as rates or offsets, one per partition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.errors import InputError
from pipeline.text.quoting import named
from pipeline.traces import metric_labels, moments
from pipeline.traces.model import Floats, Times, Trace, check_name, make
from pipeline.traces.moments import Writer
from pipeline.traces.sampled_series import Rates, Series, look_like_counters, rates_of, usual_step

RATES, OFFSETS = "rates", "offsets"
VALUES = (RATES, OFFSETS)
"""What the samples of a file can be; offsets are turned into rates."""

MESSAGES, BYTES, UNKNOWN = "messages/s", "bytes/s", "per second"
"""Units of rates."""

SEE = "see docs/traces.md"
_STILL = 1 / 3
_MOST_RESETS = 3


class Labelled(NamedTuple):
    """A series as a file has it.

    Attributes
    ----------
    metric
        Name of the metric; empty if the file does not say.
    labels
        Its labels.
    times, values
        Samples as in `Series`.
    """

    metric: str
    labels: Mapping[str, str]
    times: Floats
    values: Floats


@dataclass(frozen=True)
class Source:
    """What is known about a file with series.

    Attributes
    ----------
    path
        The file.
    form
        Format of the file, in words.
    values
        `RATES` or `OFFSETS`; None to recognise them.
    unit
        Unit of rates, as far as the file says.
    at
        Text of a time, s; ISO 8601 in UTC by default.
    notes
        What the reader should know about the file's values, in sentences.
    """

    path: Path
    form: str
    values: str | None = None
    unit: str = UNKNOWN
    at: Writer = moments.iso
    notes: tuple[str, ...] = ()


def of_labelled(source: Source, labelled: Sequence[Labelled]) -> Trace:
    """A trace of series with labels; a single one without a partition is a total rate.

    Of replicas of a partition, which differ only in labels such as ``instance``, the highest rate
    counts.

    Raises
    ------
    InputError
        If the labels do not name partitions, a series is a lag, or offsets have one sample.
    """
    metrics = sorted({one.metric for one in labelled})
    if len(metrics) > 1:
        raise InputError(
            f"{source.path}: must have one metric (got {len(metrics)}: "
            f"{', '.join(map(named, metrics[:3]))}); query them one at a time; {SEE}"
        )
    if metric_labels.is_lag(metrics[0]):
        raise InputError(
            f"{source.path}: the metric is a lag, and no rate follows from it; query the end "
            f"offsets, such as kafka_topic_partition_current_offset; {SEE}"
        )
    if len(labelled) == 1 and metric_labels.partition_of(labelled[0].labels) is None:
        series = [Series("total", labelled[0].times, labelled[0].values)]
        return of_series(source, series, metrics[0], is_total=True)
    names = [_name(source.path, one.labels) for one in labelled]
    _check_replicas(source.path, names, labelled)
    series = [Series(n, one.times, one.values) for n, one in zip(names, labelled, strict=True)]
    return of_series(source, series, metrics[0])


def _name(path: Path, labels: Mapping[str, str]) -> str:
    name = metric_labels.partition_of(labels)
    if name is None:
        raise InputError(
            f"{path}: each series must have a label partition (got labels "
            f"{', '.join(map(named, labels)) or 'none'}); query sum by (topic, partition) (…); "
            f"{SEE}"
        )
    check_name(str(path), len(name))
    return name


def _check_replicas(path: Path, names: Sequence[str], labelled: Sequence[Labelled]) -> None:
    """Raise `InputError` if series of a partition differ in more than where they were measured."""
    first: dict[str, Mapping[str, str]] = {}
    for name, one in zip(names, labelled, strict=True):
        other = first.setdefault(name, one.labels)
        for label in sorted(set(other) | set(one.labels)):
            if label not in metric_labels.OF_REPLICAS and other.get(label) != one.labels.get(label):
                raise InputError(
                    f"{path}: partition {named(name)} has several series that differ in the "
                    f"label {_shown(label)}; query max by (topic, partition) (…), or one value of "
                    f"the label; {SEE}"
                )


def _shown(label: str) -> str:
    """Name of a label, quoted where it is short or well known."""
    return repr(label) if label in metric_labels.OF_CONSUMERS else named(label)


def of_series(
    source: Source, series: Sequence[Series], metric: str = "", is_total: bool = False
) -> Trace:
    """A trace of series, of which several can be replicas of one partition.

    Raises
    ------
    InputError
        If offsets have one sample each, or the trace is too large.
    """
    series = [one for one in series if len(one.times)]
    if not series:
        raise InputError(f"{source.path}: must have at least one sample (got none); {SEE}")
    are_counters = _are_counters(source, series, metric)
    if are_counters and usual_step(series) is None:
        raise InputError(
            f"{source.path}: offsets at two or more times are needed for a rate (got one); {SEE}"
        )
    found = rates_of(source.path, series, are_counters)
    if not len(found.times):
        raise InputError(f"{source.path}: no two offsets are close enough for a rate; {SEE}")
    names, rates = _merged(series, found.rates)
    unit = _unit(are_counters, metric) if source.unit == UNKNOWN else source.unit
    of_metric = f" of {metric}" if metric else ""
    as_rates = ", offsets turned into rates" if are_counters else ", rates"
    trace = make(
        source.path,
        names,
        rates,
        f"{source.form}{of_metric}{as_rates}",
        _times(found.times, source.at),
        is_total,
    )
    notes = _notes(series, len(names), found, are_counters, source.at)
    return replace(trace, unit=unit, notes=(*source.notes, *notes))


def _are_counters(source: Source, series: Sequence[Series], metric: str) -> bool:
    if source.values is not None:
        return source.values == OFFSETS
    by_name = metric_labels.is_counter(metric) if metric else None
    return look_like_counters(series) if by_name is None else by_name


def _unit(are_counters: bool, metric: str) -> str:
    if "byte" in metric.lower():
        return BYTES
    return MESSAGES if are_counters else UNKNOWN


def _times(at: Floats, text: Writer) -> Times:
    # A microsecond is more than the digits of a double in seconds since 1970 hold.
    since = np.round(at - at[0], 6)
    return Times("timestamp", since, text(float(at[0])), text(float(at[-1])))


def _merged(series: Sequence[Series], rates: Floats) -> tuple[list[str], Floats]:
    """Partitions by their first rate, in natural order, and the highest rate of their replicas."""
    columns: dict[str, list[int]] = {}
    for column, one in enumerate(series):
        columns.setdefault(one.name, []).append(column)
    merged = np.stack([np.fmax.reduce(rates[:, own], axis=1) for own in columns.values()], axis=1)
    present = ~np.isnan(merged)
    first = np.where(present.any(axis=0), present.argmax(axis=0), len(rates))
    names = list(columns)
    order = sorted(range(len(names)), key=lambda j: (first[j], metric_labels.natural(names[j])))
    return [names[j] for j in order], merged[:, order]


def _notes(
    series: Sequence[Series],
    partitions: int,
    found: Rates,
    are_counters: bool,
    text: Writer,
) -> Iterator[str]:
    if len(series) > partitions:
        yield (
            f"{len(series):,} series are replicas of {partitions:,} partitions; the highest rate "
            "of each partition counts."
        )
    if found.is_aligned:
        yield "Partitions have times of their own; rates are means over steps of the usual length."
    if found.resets:
        listed = "; ".join(
            f"{text(reset.time)} ({reset.name})" for reset in found.resets[:_MOST_RESETS]
        )
        more = len(found.resets) - _MOST_RESETS
        rest = f" and {more:,} more" if more > 0 else ""
        yield (
            f"Offsets fall at {listed}{rest}. This counts as a reset "
            "to 0, as in Prometheus; remove the samples around it if the partition only lost data."
        )
    if are_counters and found.still >= _STILL:
        yield (
            f"No offset moves in {found.still:.0%} of the steps. If the step of the query is "
            "shorter than the scrape interval, query with a step of one scrape interval or more."
        )
