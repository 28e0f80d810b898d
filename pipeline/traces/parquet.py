"""Parquet in long form: a row per time and partition."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from pipeline.errors import InputError
from pipeline.fields import shown
from pipeline.limits import MAX_RATES
from pipeline.traces import header, times
from pipeline.traces.columns import Codes, codes, first, floats, merged, numbers, row_of
from pipeline.traces.long import Rows, assemble
from pipeline.traces.model import ABSENT, RATE, Floats, Times, Trace

_COLUMNS = "timestamp (or iteration), partition and rate"


def read(path: Path) -> Trace:
    """Read a Parquet file with columns ``timestamp`` or ``iteration``, ``partition``, ``rate``.

    Raises
    ------
    InputError
        If a column or value is not as it should be; names the row, from 1.
    """
    try:
        with pq.ParquetFile(path) as file:
            column = _check_columns(path, file.schema_arrow)
            _check_rows(path, file.metadata.num_rows)
            table = file.read([column, "partition", "rate"]).combine_chunks()
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path}: is not readable as Parquet ({error}); write it anew") from error
    where = _where(path)
    found, moments = _times(_single(table[column]), column, where)
    partitions, names = _partitions(_single(table["partition"]), where)
    rates = _rates(_single(table["rate"]), where)
    return assemble(path, "Parquet", Rows(found, moments, partitions, names, rates), where)


def _single(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks()


def _where(path: Path) -> Callable[[int], str]:
    return lambda row: f"{path}: row {row + 1}"


def _check_columns(path: Path, schema: pa.Schema) -> str:
    """Name of the time column."""
    # pandas adds its index under such a name.
    names = {name for name in schema.names if not name.startswith("__index_level_")}
    found = [name for name in header.TIMES if name in names]
    if len(found) != 1 or names != {*header.LONG, *found}:
        raise InputError(
            f"{path}: has columns {', '.join(sorted(names)) or 'none'}: must be exactly "
            f"{_COLUMNS}; keep or name them so"
        )
    return found[0]


def _check_rows(path: Path, rows: int) -> None:
    if rows == 0:
        raise InputError(f"{path}: has no rows; add a row for each rate")
    if rows > MAX_RATES:
        raise InputError(f"{path}: has {rows:,} rows: at most {MAX_RATES:,} are allowed; split it")


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _encoded(column: pa.Array, name: str, where: Callable[[int], str]) -> pa.DictionaryArray:
    """A column as places in its distinct values; none may be missing."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    row = first(pc.is_null(column))
    if row is not None:
        raise InputError(f"{where(row)}: {name} is null: each row needs one; give it")
    return column.dictionary_encode()


def _times(column: pa.Array, name: str, where: Callable[[int], str]) -> tuple[Codes, Times]:
    encoded = _encoded(column, name, where)
    values = encoded.dictionary
    kind = values.type
    if _is_text(kind):
        found, moments = _ranks_of_texts(encoded, name, where)
        return np.array(found, dtype=np.int64)[codes(encoded)], moments
    if not (
        pa.types.is_integer(kind)
        or (name == "timestamp" and (pa.types.is_temporal(kind) or pa.types.is_floating(kind)))
    ):
        raise InputError(
            f"{where(0)}: {name} has the type {kind}: must be a time, number or text; convert it"
        )
    _check_finite(encoded, name, where)
    ranks = numbers(pc.rank(values, sort_keys="ascending")).astype(np.int64) - 1
    return ranks[codes(encoded)], _moments(values, name)


_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


def _moments(values: pa.Array, name: str) -> Times:
    """Distinct times in order, in seconds since the first; of integers before any rounding."""
    ordered = values.take(pc.sort_indices(values))
    kind = values.type
    first, last = (_text(ordered[place : place + 1]) for place in (0, len(ordered) - 1))
    scale = 1.0
    if pa.types.is_date32(kind):
        ordered, scale = ordered.cast(pa.int32()), 86_400.0
    elif pa.types.is_temporal(kind):
        ordered = ordered.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64())
        scale = 1.0 / _PER_SECOND[getattr(kind, "unit", "ms")]
    found = numbers(ordered)
    if found.dtype.kind in "iu":
        # A difference of 64-bit integers may not fit one with a sign, but always one without.
        whole = found.astype(np.int64)
        found = (whole - whole[0]).view(np.uint64)
    else:
        found = found.astype(np.float64) - float(found[0])
    return Times(name, found.astype(np.float64) * scale, first, last)


def _text(value: pa.Array) -> str:
    """A time as text; Arrow's own way to Python values would import pandas."""
    try:
        return str(pc.cast(value, pa.string())[0])
    except pa.ArrowException:
        return str(numbers(value.cast(pa.int64()))[0])


def _ranks_of_texts(
    encoded: pa.DictionaryArray, name: str, where: Callable[[int], str]
) -> times.Ranked:
    try:
        return times.ranks(name, encoded.dictionary.to_pylist())
    except times.TimeError as error:
        row = row_of(encoded, error.position)
        raise InputError(f"{where(row)}: {name} is {error}") from error


def _check_finite(encoded: pa.DictionaryArray, name: str, where: Callable[[int], str]) -> None:
    values = encoded.dictionary
    place = first(pc.invert(pc.is_finite(values))) if pa.types.is_floating(values.type) else None
    if place is not None:
        row = row_of(encoded, place)
        raise InputError(f"{where(row)}: {name} is {values[place]}: must be finite; correct it")


def _partitions(column: pa.Array, where: Callable[[int], str]) -> tuple[Codes, list[str]]:
    encoded = _encoded(column, "partition", where)
    kind = encoded.dictionary.type
    if not (_is_text(kind) or pa.types.is_integer(kind)):
        raise InputError(
            f"{where(0)}: partition has the type {kind}: must be text or integer; convert it"
        )
    texts = [str(name).strip() for name in encoded.dictionary.to_pylist()]
    if "" in texts:
        row = row_of(encoded, texts.index(""))
        raise InputError(f"{where(row)}: partition is empty; give its name")
    places, names = merged(texts)
    return places[codes(encoded)], names


def _rates(column: pa.Array, where: Callable[[int], str]) -> Floats:
    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise InputError(f"{where(0)}: rate has the type {kind}: {RATE}; convert it")
    found, present = floats(pc.cast(column, pa.float64(), safe=False))
    wrong = np.flatnonzero(present & ~(np.isfinite(found) & (found >= 0.0)))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(f"{where(row)}: rate is {shown(column[row].as_py())}: {RATE}; {ABSENT}")
    return found
