"""Writes a trace in long form: CSV with a row per time and partition, below its warnings."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import TextIO

import numpy as np

from pipeline.inputs.traces import moments
from pipeline.inputs.traces.file_head import NOTE
from pipeline.inputs.traces.model import Floats, Trace


def write(trace: Trace, file: TextIO) -> None:
    """Write a trace to a file without newline translation; it reads back bit for bit."""
    column = "iteration" if trace.times is None else trace.times.column
    # Quotation marks would make cells of several lines.
    file.writelines(f"{NOTE}{note.replace(chr(34), chr(39))}\n" for note in trace.warnings)
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow([column, "rate"] if trace.is_total else [column, "partition", "rate"])
    time = _times(trace)
    for place, rates in enumerate(trace.rates):
        if trace.is_total:
            rows.writerow([time(place), repr(float(rates[0]))])
        else:
            rows.writerows(_rows(time(place), trace.partitions, rates))


def _times(trace: Trace) -> Callable[[int], str]:
    if trace.times is None:
        return lambda place: str(place + 1)
    at, text = trace.times.at, moments.writer(trace.times)
    return lambda place: text(float(at[place]))


def _rows(time: str, names: tuple[str, ...], rates: Floats) -> list[list[str]]:
    """Rows of the partitions that exist; one without a rate, if there are none."""
    present = np.flatnonzero(~np.isnan(rates)).tolist()
    if not present:
        return [[time, names[0], ""]]
    return [[time, names[j], repr(float(rates[j]))] for j in present]
