"""A trace of the series that a file has: recognised as rates or offsets, one per partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipeline.base.errors import InputError
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import Floats, Times, Trace, make
from pipeline.inputs.traces.moments import Writer
from pipeline.inputs.traces.rates import (
    long_table,
    replicas,
    series_names,
    series_notes,
    value_kinds,
)
from pipeline.inputs.traces.rates.long_table import OFFSETS, RATES, LongTable
from pipeline.inputs.traces.rates.metric_names import MESSAGES, UNKNOWN, Kind, Meaning
from pipeline.inputs.traces.rates.sampled_series import (
    Rates,
    Series,
    longest_gap,
    rates_of,
    usual_step,
)


def trace(table: LongTable) -> Trace:
    """A trace of series, of which several can be replicas of one partition: the highest counts.

    Raises InputError if labels or metric are not those of what is written, offsets have one sample
        each, values can be offsets and rates, or the trace is too large.
    """
    table, metric, meaning = series_names.of(table)
    series = long_table.series_of(table)
    if not series:
        raise InputError(f"{table.path}: must have at least one sample (got none); {SEE}")
    kind, decided = _kind(table, series, meaning)
    sampled, names = _rates(table.path, series, kind)
    if not len(sampled.times):
        raise InputError(f"{table.path}: no two offsets are close enough for a rate; {SEE}")
    names, rates = _merged(names, sampled.rates)
    of_metric = f" of {metric}" if metric else ""
    as_rates = ", rates" if kind is Kind.RATES else ", offsets turned into rates"
    times = _times(sampled.times, table.text)
    form = f"{table.form}{of_metric}{as_rates}"
    made = make(table.path, names, rates, form, times, table.is_total)
    notes = series_notes.of(len(series), len(names), sampled, kind, table.text)
    return replace(
        made,
        unit=_unit(table, kind, meaning),
        notes=(*table.notes, *decided, *notes),
        group=None if table.group is None else table.group(made.partitions),
    )


def _kind(
    table: LongTable, series: Sequence[Series], meaning: Meaning | None
) -> tuple[Kind, tuple[str, ...]]:
    """What the values are: as set, by the metric's name, or by the values, with a note on that."""
    by_name = Kind.UNKNOWN if meaning is None else meaning.kind
    if table.kind == RATES:
        return Kind.RATES, ()
    if table.kind == OFFSETS:
        return (by_name if by_name is Kind.COUNTS else Kind.OFFSETS), ()
    if by_name is not Kind.UNKNOWN:
        return by_name, ()
    evidence = value_kinds.of_values(series)
    if evidence.are_offsets is None:
        raise InputError(
            f"{table.path}: values can be offsets or rates, since they {evidence.why}; add "
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
    sampled = rates_of(path, joined, kind is not Kind.RATES, series if are_joined else None)
    return sampled, [one.name for one in joined]


def _unit(table: LongTable, kind: Kind, meaning: Meaning | None) -> str:
    if table.unit != UNKNOWN:
        return table.unit
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
