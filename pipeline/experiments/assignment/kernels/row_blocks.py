"""Packs rows that hold arrays into blocks, and blocks back into whole series.

Tables have a row per iteration because that is easy to query. Sorting tens of millions of rows
to bring a stream together would be most of the work of later stages. A block holds consecutive
rows of one stream and algorithm as plain bytes, so Spark moves a few large rows instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.experiments.assignment.kernels import Workload, Workloads
from pipeline.warehouse.spark import arrow
from pipeline.warehouse.spark.stream_tasks import BatchKernel

Array = NDArray[Any]
Block = Mapping[str, Any]

KEYS = ("stream_id", "experiment", "delta", "algorithm")
TOLD = (*KEYS, "seed")
OF_STREAMS = ("delta", "replicate", "initial_rate")
"""Columns that a stage joins from table `streams`."""

NUMBERS: Mapping[str, type] = {
    "iteration": np.int32,
    "n_consumers": np.int32,
    "n_migrations": np.int32,
    "min_consumers": np.int32,
    "rscore": np.float64,
}
"""Columns with one number per row, and how a block stores them."""

BLOCKS = (
    "stream_id string, experiment string, delta double, algorithm string, width int, cells binary, "
    + ", ".join(f"{name} binary" for name in NUMBERS)
)


class Series(NamedTuple):
    """All rows of one stream, or of one stream and algorithm, by iteration."""

    stream_id: str
    experiment: str
    delta: float | None
    algorithm: str | None
    """None for rates."""
    seed: int | None
    """Seed of the stream, None for one that is not in `streams`."""
    numbers: Mapping[str, Array]
    """Columns with one number per row that were packed, always ``iteration`` among them."""
    cells: Array | None
    """``float64[N, P]`` rates, NaN where a partition is absent, or ``int32[N, P]`` consumer ids, -1
    there; None if the arrays differ in length, or none were packed."""


RowOfSeries = Callable[[Array, Series, Workload], Mapping[str, object]]

ROWS_PER_BATCH = 500


def pack(arrays: str | None) -> BatchKernel:
    """Rows with `KEYS`, some of `NUMBERS` and a column of ``arrays`` to `BLOCKS`.

    arrays: ``rates``, ``consumers``, or None for numbers alone.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if batch.num_rows:
                yield _packed(batch, arrays)

    return run


def _packed(batch: pa.RecordBatch, arrays: str | None) -> pa.RecordBatch:
    widths, cells = _cells(batch, arrays)
    starts = _starts(batch, widths)
    rows = np.append(starts, batch.num_rows)
    ends = np.concatenate(([0], np.cumsum(widths, dtype=np.int64)))[rows]
    columns: dict[str, pa.Array] = {name: _key(batch, name, starts) for name in KEYS}
    columns["width"] = pa.array(widths[starts], pa.int32())
    columns["cells"] = pa.array(
        [_narrow(cells[low:high]).tobytes() for low, high in pairwise(ends)], pa.binary()
    )
    for name, kind in NUMBERS.items():
        columns[name] = _numbers(batch, name, kind, rows)
    return pa.RecordBatch.from_pydict(columns)


def _starts(batch: pa.RecordBatch, widths: Array) -> Array:
    """Rows at which another stream, algorithm or array length begins."""
    changes = widths[1:] != widths[:-1]
    for name in KEYS:
        if name in batch.schema.names:
            codes = batch.column(name).dictionary_encode().indices.fill_null(-1).to_numpy()
            changes = changes | (codes[1:] != codes[:-1])
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def _key(batch: pa.RecordBatch, name: str, starts: Array) -> pa.Array:
    if name not in batch.schema.names:
        return pa.nulls(len(starts), pa.string())
    return batch.column(name).take(pa.array(starts))


def _cells(batch: pa.RecordBatch, arrays: str | None) -> tuple[Array, Array]:
    """Lengths of the arrays, and all their elements."""
    if arrays is None:
        return np.zeros(batch.num_rows, np.int32), np.empty(0)
    lists = batch.column(arrays)
    flat = lists.flatten()
    if flat.null_count:
        flat = flat.fill_null(pa.scalar(np.nan if arrays == "rates" else -1, flat.type))
    widths = lists.value_lengths().fill_null(0)
    return widths.to_numpy(), flat.to_numpy(zero_copy_only=False)


def _narrow(cells: Array) -> Array:
    """Ids as the smallest integers that hold them; rates as they are."""
    if cells.dtype.kind == "f" or not cells.size:
        return cells
    low, high = int(cells.min()), int(cells.max())
    fitting = (t for t in (np.int8, np.int16) if np.iinfo(t).min <= low and high <= np.iinfo(t).max)
    return cells.astype(next(fitting, np.int32))


def _numbers(batch: pa.RecordBatch, name: str, kind: type, rows: Array) -> pa.Array:
    if name not in batch.schema.names:
        return pa.nulls(len(rows) - 1, pa.binary())
    values = pc.cast(batch.column(name), pa.from_numpy_dtype(kind)).to_numpy(zero_copy_only=False)
    parts = [values[low:high].tobytes() for low, high in pairwise(rows)]
    return pa.array(parts, pa.binary())


def unpack(batches: Iterable[pa.RecordBatch]) -> Iterator[Series]:
    """Whole series of blocks, in which those of one stream and algorithm are neighbours.

    Blocks have the columns of `BLOCKS` and the ``seed`` of their stream.
    """
    for _, blocks in groupby(_blocks(batches), key=lambda b: (b["stream_id"], b["algorithm"])):
        yield _joined(list(blocks))


def by_algorithm(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[Array, Series]]:
    """Series of each algorithm with its stream's rates, which come first; without rates, none."""
    stream_id, rates = None, None
    for series in unpack(batches):
        if series.algorithm is None:
            stream_id, rates = series.stream_id, series.cells
        elif rates is not None and series.stream_id == stream_id:
            yield rates, series


def per_algorithm(workloads: Workloads, row: RowOfSeries, schema: pa.Schema) -> BatchKernel:
    """Blocks of rates and assignments to one row per stream and algorithm.

    row: Returns the row, given the rates of the stream, the series of the algorithm and the
        workload.
    """

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        pairs = by_algorithm(batches)
        rows = (row(rates, series, workloads[series.experiment]) for rates, series in pairs)
        return arrow.in_batches(rows, ROWS_PER_BATCH, schema)

    return run


def _blocks(batches: Iterable[pa.RecordBatch]) -> Iterator[Block]:
    for batch in batches:
        texts = {name: batch.column(name).to_pylist() for name in (*TOLD, "width")}
        binary = {name: batch.column(name) for name in ("cells", *NUMBERS)}
        for i in range(batch.num_rows):
            block = {name: values[i] for name, values in texts.items()}
            buffers = {name: values[i].as_buffer() for name, values in binary.items()}
            yield block | {name: buffer for name, buffer in buffers.items() if buffer is not None}


def _joined(blocks: Sequence[Block]) -> Series:
    keys = {name: blocks[0][name] for name in TOLD}
    numbers = {
        name: np.concatenate([np.frombuffer(block[name], kind) for block in blocks])
        for name, kind in NUMBERS.items()
        if name in blocks[0]
    }
    order = np.argsort(numbers["iteration"], kind="stable")
    numbers = {name: values[order] for name, values in numbers.items()}
    return Series(**keys, numbers=numbers, cells=_matrix(blocks, order))


def _matrix(blocks: Sequence[Block], order: Array) -> Array | None:
    """Cells of all blocks as a matrix with a row per iteration; None if rows differ in length."""
    width = blocks[0]["width"]
    if any(block["width"] != width for block in blocks) or width == 0:
        return None
    rates = blocks[0]["algorithm"] is None
    parts = [_wide(block, rates).reshape(-1, width) for block in blocks]
    return np.concatenate(parts)[order]


def _wide(block: Block, rates: bool) -> Array:
    if rates:
        return np.frombuffer(block["cells"], np.float64)
    rows = len(block["iteration"]) // np.dtype(NUMBERS["iteration"]).itemsize
    size = len(block["cells"]) // (rows * block["width"])
    return np.frombuffer(block["cells"], f"i{size}").astype(np.int32)
