"""Recorded traces: the write speed of each partition over time, read from a file.

`format_list` has the forms of files. Each is read into a `rates.long_table.LongTable`, and all that
follows works on that table.

A trace has one measurement per distinct time, in ascending order. Each is one iteration, unless
the times are timestamps that are not regular: then `resampled` makes iterations of one length. A
missing cell means that the partition does not exist at that time. Rates are in bytes/s. The order
of the partitions matters, for example to Kafka's static assignments: it is that of Kafka, by topic
and number, whatever the order of rows and columns in the file.

A total rate is the only column of its trace and never missing. Only simulations take such a trace.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.inputs.traces import moments, trace_notes
from pipeline.inputs.traces.model import Times, Trace
from pipeline.inputs.traces.reading import RECOGNIZED, Reading, of_options
from pipeline.inputs.traces.resample import grid, median_step, resampled

BYTES, MESSAGES, UNKNOWN = "bytes/s", "messages/s", "per second"
"""Units of rates."""

__all__ = [
    "BYTES",
    "MESSAGES",
    "UNKNOWN",
    "Reading",
    "Times",
    "Trace",
    "grid",
    "load",
    "median_step",
    "read",
    "resampled",
]


def load(
    path: Path,
    message_size: float | None = None,
    values: str | None = None,
    timestamps: str | None = None,
) -> Trace:
    """Read a recorded trace.

    path: CSV, Parquet, JSON or text file.
    message_size: Mean size of a message, bytes, by which rates in messages/s become bytes/s; None
        leaves them.
    values, timestamps: As in `Reading`.
    Raises InputError as `read`, or if rates are in bytes/s already.
    """
    trace = read(path, of_options(values, timestamps))
    if message_size is None:
        return trace
    if trace.unit == BYTES:
        raise InputError(f"{path}: rates are in bytes/s already; remove --message-size")
    return trace.in_bytes(message_size)


def read(path: Path, reading: Reading = RECOGNIZED) -> Trace:
    """Read a recorded trace: its rows by its form, and rates of the rows.

    Raises InputError if the file cannot be read or is not a trace; names the file, the line if
        there are lines, what was found and what is allowed.
    """
    from pipeline.inputs.traces import format_list
    from pipeline.inputs.traces.rates import rates_as_read

    table = format_list.read(path, reading)
    trace = rates_as_read.trace_of(table)
    return replace(
        trace,
        started_at=None if trace.times is None else moments.started_at(trace.times),
        notes=(*table.warnings, *trace.notes, *trace_notes.of(trace)),
        warnings=table.warnings,
    )
