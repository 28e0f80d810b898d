"""Parquet in long form: a row per time and partition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_ITERATIONS
from pipeline.base.text import quoting
from pipeline.inputs.traces import file_head, moments, times
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import cell_texts, csv_header, long_columns, parquet_file
from pipeline.inputs.traces.formats.arrow_columns import codes, first, floats, numbers, row_of
from pipeline.inputs.traces.model import ABSENT, RATE, Floats, Times
from pipeline.inputs.traces.rates.long_table import Codes, LongTable, Measurements
from pipeline.inputs.traces.reading import Reading


def read(path: Path, reading: Reading) -> LongTable:
    """Read Parquet with the columns of long CSV. Raises InputError, with the row from 1."""
    if not file_head.of(path).is_parquet:
        raise InputError(f"{path}: not a Parquet file despite its name")
    schema = parquet_file.schema(path)
    time, value, names = _check_columns(path, schema)
    table = parquet_file.read(path, list(names.values())).rename_columns(list(names))
    where = _where(path)
    ranks, written = _times(_single(table[time]), time, where, reading.timestamps)
    partition = _encoded(_single(table["partition"]), "partition", where)
    topic = _encoded(_single(table["topic"]), "topic", where) if "topic" in names else None
    series, partitions = long_columns.partitions(partition, topic, where)
    return LongTable(
        path,
        "Parquet",
        series,
        written.at[ranks],
        _values(_single(table[value]), value, where),
        partitions,
        kind=reading.values or csv_header.VALUES[value],
        text=moments.writer(written),
        measurements=Measurements(len(written.at), ranks, written, where),
    )


def _single(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()


def _where(path: Path) -> Callable[[int], str]:
    return lambda row: f"{path}: row {row + 1}"


def _check_columns(path: Path, schema: pa.Schema) -> tuple[str, str, dict[str, str]]:
    """Columns of times and of values, and the file's name of each, after checking all of them."""
    # pandas adds its index under a name like this.
    written = [name for name in schema.names if not name.startswith("__index_level_")]
    names = [cell_texts.column(name) for name in written]
    times = [name for name in csv_header.TIMES if name in names]
    values = [name for name in csv_header.VALUES if name in names]
    expected = {"partition", *times, *values, *({"topic"} & set(names))}
    if len(times) != 1 or len(values) != 1 or sorted(names) != sorted(expected):
        raise InputError(
            f"{path}: columns must be {csv_header.LONG_FORM} (got "
            f"{quoting.header(names, cell_texts.KNOWN)}); {SEE}"
        )
    for name, column in zip(names, written, strict=True):
        _check_type(path, name, schema.field(column).type)
    return times[0], values[0], dict(zip(names, written, strict=True))


def _check_type(path: Path, name: str, kind: pa.DataType) -> None:
    allowed, expected = _TYPES[name]
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not any(test(kind) for test in allowed):
        # The rest can name inner fields.
        plain = re.split(r"[<\[(]", str(kind), maxsplit=1)[0]
        raise InputError(f"{path}: {name} must be {expected} (got type {plain})")


_TEXT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_REAL = (pa.types.is_float32, pa.types.is_float64)
_AMOUNT = (pa.types.is_integer, *_REAL, pa.types.is_float16, pa.types.is_decimal)
_TIME = (pa.types.is_timestamp, pa.types.is_date, pa.types.is_time, pa.types.is_duration)
_TYPES: Mapping[str, tuple[tuple[Callable[[pa.DataType], bool], ...], str]] = {
    "timestamp": ((pa.types.is_integer, *_TEXT, *_REAL, *_TIME), "a time, number or text"),
    "iteration": ((pa.types.is_integer, *_TEXT), "an integer or text"),
    "topic": ((pa.types.is_integer, *_TEXT), "text or an integer"),
    "partition": ((pa.types.is_integer, *_REAL, *_TEXT), "text or an integer"),
    "rate": (_AMOUNT, "a number"),
    "offset": (_AMOUNT, "a number"),
}
"""Tests of a type, one of which must hold, and their description, by the column's name."""


def _is_text(kind: pa.DataType) -> bool:
    return any(test(kind) for test in _TEXT)


def _encoded(column: pa.Array, name: str, where: Callable[[int], str]) -> pa.DictionaryArray:
    """A column as indexes into its distinct values; none may be missing."""
    row = first(pc.is_null(column))
    if row is not None:
        raise InputError(f"{where(row)}: {name} must not be null")
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _times(
    column: pa.Array, name: str, where: Callable[[int], str], timestamps: str | None
) -> tuple[Codes, Times]:
    encoded = _encoded(column, name, where)
    values = encoded.dictionary
    if _is_text(values.type):
        return long_columns.written_times(encoded, name, where, timestamps)
    try:
        _check_finite(encoded, name, where)
        ranks = numbers(pc.rank(values, sort_keys="ascending")).astype(np.int64) - 1
        written = _moments(values, name)
        if name == "timestamp" and not pa.types.is_temporal(values.type):
            written = times.as_seconds(written, _distinct(values), timestamps)
    except times.TimeError as error:
        row = row_of(encoded, error.position)
        raise InputError(f"{where(row)}: {name} {error}") from error
    return ranks[codes(encoded)], written


def _distinct(values: pa.Array) -> list[Decimal]:
    """Distinct numbers in order; of too many for a trace, only the first and the last."""
    ordered = values.take(pc.sort_indices(values))
    if len(ordered) > MAX_ITERATIONS:
        ordered = ordered.take(pa.array([0, len(ordered) - 1]))
    return [Decimal(str(number)) for number in ordered.to_pylist()]


_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _moments(values: pa.Array, name: str) -> Times:
    """Distinct times in order, in seconds since the first; integers are subtracted unrounded."""
    ordered = values.take(pc.sort_indices(values))
    kind = values.type
    first, last = (_text(ordered[place : place + 1]) for place in (0, len(ordered) - 1))
    scale = 1.0
    if pa.types.is_date32(kind):
        ordered, scale = ordered.cast(pa.int32()), 86_400.0
    elif pa.types.is_temporal(kind):
        ordered = ordered.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        scale = 1.0 / _PER_SECOND[getattr(kind, "unit", "ms")]
    stamps = numbers(ordered)
    if stamps.dtype.kind in "iu":
        # A difference of 64-bit integers may not fit a signed integer, but always an unsigned one.
        whole = stamps.astype(np.int64)
        stamps = (whole - whole[0]).view(np.uint64)
    else:
        stamps = stamps.astype(np.float64) - float(stamps[0])
    return Times(name, stamps.astype(np.float64) * scale, first, last)


def _text(value: pa.Array) -> str:
    """A time as text; Arrow's own conversion to Python values would import pandas."""
    try:
        return str(pc.cast(value, pa.string())[0])
    except pa.ArrowException:
        return str(numbers(value.cast(pa.int64()))[0])


def _check_finite(encoded: pa.DictionaryArray, name: str, where: Callable[[int], str]) -> None:
    values = encoded.dictionary
    place = first(pc.invert(pc.is_finite(values))) if pa.types.is_floating(values.type) else None
    if place is not None:
        row = row_of(encoded, place)
        raise InputError(f"{where(row)}: {name} must be finite (got {values[place]})")


def _values(column: pa.Array, name: str, where: Callable[[int], str]) -> Floats:
    """Rates or offsets, NaN where there are none."""
    values, present = floats(pc.cast(column, pa.float64(), safe=False))
    wrong = np.flatnonzero(present & ~(np.isfinite(values) & (values >= 0.0)))
    if len(wrong):
        row = int(wrong[0])
        got = f"(got {quoting.shown(column[row].as_py())})"
        if name == "offset":
            raise InputError(f"{where(row)}: offset must be a number, 0 or more {got}")
        raise InputError(f"{where(row)}: {RATE} {got}; {ABSENT}")
    return values
