"""A trace of the series that a file has: recognised as rates or offsets, one per partition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces import moments
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import Floats, Times, Trace, check_name, make
from pipeline.inputs.traces.moments import Writer
from pipeline.inputs.traces.rates import (
    metric_labels,
    metric_names,
    replicas,
    series_notes,
    value_kinds,
)
from pipeline.inputs.traces.rates.metric_names import MESSAGES, UNKNOWN, Kind, Meaning
from pipeline.inputs.traces.rates.sampled_series import (
    Rates,
    Series,
    longest_gap,
    rates_of,
    usual_step,
)

RATES, OFFSETS = "rates", "offsets"
VALUES = (RATES, OFFSETS)
"""What the samples of a file can be; offsets are turned into rates."""


class Labelled(NamedTuple):
    """A series as a file has it."""

    metric: str
    """Name of the metric; empty if the file does not say."""
    labels: Mapping[str, str]
    """Its labels."""
    times: Floats
    values: Floats
    """`times`, `values`: samples as in `Series`."""


@dataclass(frozen=True)
class Source:
    """What is known about a file with series."""

    path: Path
    """The file."""
    form: str
    """Format of the file, in words."""
    values: str | None = None
    """`RATES` or `OFFSETS`; None to recognise them."""
    unit: str = UNKNOWN
    """Unit of rates, as far as the file says."""
    at: Writer = moments.iso
    """Text of a time, s; ISO 8601 in UTC by default."""
    notes: tuple[str, ...] = ()
    """What the reader should know about the file's values, in sentences."""


def of_labelled(source: Source, labelled: Sequence[Labelled]) -> Trace:
    """A trace of series with labels; a single one without a partition is a total rate.

    Replicas of a partition differ only in labels such as ``instance``: the highest offset or rate
    counts.

    Raises
    ------
    InputError
        If the labels do not name partitions, no rate of writing follows from the metric, offsets
        have one sample, or values can be rates and offsets.
    """
    metrics = sorted({one.metric for one in labelled})
    if len(metrics) > 1:
        raise InputError(
            f"{source.path}: must have one metric (got {len(metrics)}: "
            f"{', '.join(map(metric_labels.shown, metrics[:3]))}); query them one at a time; {SEE}"
        )
    meaning = _meaning(source.path, metrics[0], labelled)
    if len(labelled) == 1 and metric_labels.partition_of(labelled[0].labels) is None:
        series = [Series("total", labelled[0].times, labelled[0].values)]
        return of_series(source, series, metrics[0], is_total=True, meaning=meaning)
    names = [_name(source.path, one.labels) for one in labelled]
    _check_replicas(source.path, names, labelled)
    series = [Series(n, one.times, one.values) for n, one in zip(names, labelled, strict=True)]
    return of_series(source, series, metrics[0], meaning=meaning)


def _meaning(path: Path, metric: str, labelled: Sequence[Labelled]) -> Meaning:
    """What a metric is about, from its name and labels."""
    groups = [metric_labels.group_label(one.labels) for one in labelled]
    group = next((label for label in groups if label is not None), None)
    described = _described(metric, labelled)
    plain = metric_names.meaning(described)
    meaning = metric_names.meaning(described, group is not None)
    if meaning.kind not in metric_names.REFUSED:
        return meaning
    if plain.kind is not meaning.kind and group is not None:
        raise InputError(
            f"{path}: the series are about a consumer group (label {metric_labels.shown(group)}), "
            f"not about what is written; query the end offsets, max by (topic, partition) (…); "
            f"{SEE}"
        )
    raise InputError(f"{path}: {metric_names.REFUSED[meaning.kind]}; {SEE}")


def _described(metric: str, labelled: Sequence[Labelled]) -> str:
    """A metric's name, with what the JMX exporter's default rules put into the label ``name``."""
    names = {one.labels.get("name", "") for one in labelled}
    kind = metric_names.meaning(metric).kind
    if not metric or len(names) > 1 or kind not in (Kind.UNKNOWN, Kind.COUNTS, Kind.RATES):
        return metric
    return f"{names.pop()}_{metric}"


def _name(path: Path, labels: Mapping[str, str]) -> str:
    name = metric_labels.partition_of(labels)
    if name is None:
        raise InputError(
            f"{path}: each series must have a label partition (got labels "
            f"{', '.join(map(metric_labels.shown, labels)) or 'none'}); query sum by (topic, "
            f"partition) (…); {SEE}"
        )
    check_name(str(path), len(name))
    return name


def _check_replicas(path: Path, names: Sequence[str], labelled: Sequence[Labelled]) -> None:
    """Raise `InputError` if series of a partition differ in more than where they were measured."""
    first: dict[str, Mapping[str, str]] = {}
    for name, one in zip(names, labelled, strict=True):
        other = first.setdefault(name, one.labels)
        for label in sorted(set(other) | set(one.labels)):
            if other.get(label) != one.labels.get(label) and not metric_labels.is_of_replica(label):
                raise InputError(
                    f"{path}: partition {named(name)} has several series that differ in "
                    f"{metric_labels.phrase(label)}; query max by (topic, partition) (…), or "
                    f"one value of the label; {SEE}"
                )


def of_series(
    source: Source,
    series: Sequence[Series],
    metric: str = "",
    is_total: bool = False,
    meaning: Meaning | None = None,
) -> Trace:
    """A trace of series, of which several can be replicas of one partition.

    Parameters
    ----------
    meaning
        What the name of the metric says; None if there is none.

    Raises
    ------
    InputError
        If offsets have one sample each, values can be offsets and rates, or the trace is too
        large.
    """
    series = [one for one in series if len(one.times)]
    if not series:
        raise InputError(f"{source.path}: must have at least one sample (got none); {SEE}")
    kind, decided = _kind(source, series, meaning)
    found, names = _rates(source.path, series, kind)
    if not len(found.times):
        raise InputError(f"{source.path}: no two offsets are close enough for a rate; {SEE}")
    names, rates = _merged(names, found.rates)
    of_metric = f" of {metric}" if metric else ""
    as_rates = ", rates" if kind is Kind.RATES else ", offsets turned into rates"
    times = _times(found.times, source.at)
    form = f"{source.form}{of_metric}{as_rates}"
    trace = make(source.path, names, rates, form, times, is_total)
    notes = series_notes.of(len(series), len(names), found, kind, source.at)
    unit = _unit(source, kind, meaning)
    return replace(trace, unit=unit, notes=(*source.notes, *decided, *notes))


def _kind(
    source: Source, series: Sequence[Series], meaning: Meaning | None
) -> tuple[Kind, tuple[str, ...]]:
    """What the values are: as set, by the metric's name, or by the values, with a note on that."""
    by_name = Kind.UNKNOWN if meaning is None else meaning.kind
    if source.values == RATES:
        return Kind.RATES, ()
    if source.values == OFFSETS:
        return (by_name if by_name is Kind.COUNTS else Kind.OFFSETS), ()
    if by_name is not Kind.UNKNOWN:
        return by_name, ()
    evidence = value_kinds.of_values(series)
    if evidence.are_offsets is None:
        raise InputError(
            f"{source.path}: values can be offsets or rates, since they {evidence.why}; add "
            f"--values offsets or --values rates; {SEE}"
        )
    one, other = (OFFSETS, RATES) if evidence.are_offsets else (RATES, OFFSETS)
    note = (
        f"Values count as {one}, since they {evidence.why}. If they are {other}, add --values "
        f"{other}."
    )
    is_plain = not any(part.values.any() for part in series)
    return Kind.OFFSETS if evidence.are_offsets else Kind.RATES, () if is_plain else (note,)


def _rates(path: Path, series: Sequence[Series], kind: Kind) -> tuple[Rates, list[str]]:
    """Rates, and the partition of each of their columns."""
    step = usual_step(series)
    if kind is not Kind.RATES and step is None and len({one.times[0] for one in series}) < 2:
        raise InputError(
            f"{path}: offsets at two or more times are needed for a rate (got one); {SEE}"
        )
    # Brokers count what they lead, so only offsets of replicas can be compared with each other.
    joined = replicas.joined(series, longest_gap(step or 1.0)) if kind is Kind.OFFSETS else series
    are_joined = step is not None and len(joined) < len(series)
    found = rates_of(path, joined, kind is not Kind.RATES, series if are_joined else None)
    return found, [one.name for one in joined]


def _unit(source: Source, kind: Kind, meaning: Meaning | None) -> str:
    if source.unit != UNKNOWN:
        return source.unit
    unit = UNKNOWN if meaning is None else meaning.unit
    return MESSAGES if unit == UNKNOWN and kind is not Kind.RATES else unit


def _times(at: Floats, text: Writer) -> Times:
    # A microsecond is more than the digits of a double in seconds since 1970 hold.
    since = np.round(at - at[0], 6)
    return Times("timestamp", since, text(float(at[0])), text(float(at[-1])))


def _merged(names: Sequence[str], rates: Floats) -> tuple[list[str], Floats]:
    """Partitions, and the highest rate of their replicas."""
    columns: dict[str, list[int]] = {}
    for column, name in enumerate(names):
        columns.setdefault(name, []).append(column)
    merged = [np.fmax.reduce(rates[:, own], axis=1) for own in columns.values()]
    return list(columns), np.stack(merged, axis=1)
