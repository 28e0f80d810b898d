"""Blocks hold what the rows hold, however these are cut into batches and blocks are mixed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.experiments.assignment.kernels import row_blocks

Row = tuple[str, str, int, list[int | None]]

WIDTH = 3
IDS = st.one_of(st.none(), st.integers(0, 200), st.integers(0, 2**31 - 1))


def batch(rows: Sequence[Row]) -> pa.RecordBatch:
    """Rows of `assignments` as Spark hands them over."""
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": pa.array([row[0] for row in rows], pa.string()),
            "experiment": pa.array(["e"] * len(rows), pa.string()),
            "delta": pa.array([None] * len(rows), pa.float64()),
            "algorithm": pa.array([row[1] for row in rows], pa.string()),
            "iteration": pa.array([row[2] for row in rows], pa.int32()),
            "rscore": pa.array([row[2] / 7 for row in rows], pa.float64()),
            "consumers": pa.array([row[3] for row in rows], pa.list_(pa.int32())),
        }
    )


def rates(name: str, values: Sequence[Sequence[float | None]]) -> pa.RecordBatch:
    """Rows of `measurements`."""
    n = len(values)
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": [name] * n,
            "experiment": ["e"] * n,
            "delta": pa.array([5.0] * n),
            "iteration": pa.array(range(1, n + 1), pa.int32()),
            "rates": pa.array(values, pa.list_(pa.float64())),
        }
    )


def blocks(batches: Sequence[pa.RecordBatch], arrays: str) -> pa.Table:
    """Blocks in the order in which Spark would sort them."""
    packed = pa.Table.from_batches(list(row_blocks.pack(arrays)(batches)))
    return packed.append_column("seed", pa.array([11] * packed.num_rows, pa.int64())).sort_by(
        [("stream_id", "ascending"), ("algorithm", "ascending")]
    )


@st.composite
def batches_of_rows(draw: st.DrawFn) -> list[list[Row]]:
    """Rows of a few series, each iteration once, in any order and cut anywhere."""
    keys = draw(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xy")), unique=True))
    rows: list[Row] = []
    for stream, algorithm in keys:
        n = draw(st.integers(1, 4))
        ids = st.lists(IDS, min_size=WIDTH, max_size=WIDTH)
        rows += [(stream, algorithm, k, draw(ids)) for k in range(1, n + 1)]
    rows = draw(st.permutations(rows))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=3)))
    return [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]


@given(batches_of_rows())
@settings(max_examples=60, deadline=None)
def test_round_trip(parts: list[list[Row]]) -> None:
    """For any order and batches, series come back whole and by iteration."""
    packed = blocks([batch(part) for part in parts], "consumers") if any(parts) else None
    all_series = list(row_blocks.unpack(packed.to_batches(2))) if packed else []
    expected: dict[tuple[str, str], list[Row]] = {}
    for row in sorted((row for part in parts for row in part), key=lambda row: row[:3]):
        expected.setdefault(row[:2], []).append(row)
    assert [(s.stream_id, s.algorithm) for s in all_series] == list(expected)
    for series, rows in zip(all_series, expected.values(), strict=True):
        cells = [[-1 if cell is None else cell for cell in row[3]] for row in rows]
        assert series.cells is not None
        assert series.cells.dtype == np.int32
        assert series.cells.tolist() == cells
        assert series.numbers["iteration"].tolist() == [row[2] for row in rows]
        assert series.numbers["rscore"].tolist() == [row[2] / 7 for row in rows]
        assert "n_consumers" not in series.numbers
        assert (series.seed, series.delta) == (11, None)


@pytest.mark.parametrize(("greatest", "bytes_per_id"), [(127, 1), (128, 2), (40_000, 4)])
def test_ids_take_as_few_bytes_as_they_need(greatest: int, bytes_per_id: int) -> None:
    """A shuffle of ids below 128 moves a quarter of what a table's integers take."""
    packed = blocks([batch([("a", "x", 1, [0, None, greatest])])], "consumers")
    assert len(packed["cells"][0].as_py()) == 3 * bytes_per_id


def test_absent_rates_are_nan() -> None:
    """A partition that is not there has no speed, which is not a speed of zero."""
    (series,) = row_blocks.unpack(
        blocks([rates("a", [[1.5, None], [0.0, 2.0]])], "rates").to_batches()
    )
    assert series.algorithm is None
    np.testing.assert_array_equal(series.cells, [[1.5, np.nan], [0.0, 2.0]])


def test_arrays_of_different_lengths_make_no_matrix() -> None:
    """The audit reports a damaged table, so it must get that far."""
    rows: list[Row] = [("a", "x", 1, [0, 1]), ("a", "x", 2, [0])]
    (series,) = row_blocks.unpack(blocks([batch(rows)], "consumers").to_batches())
    assert series.cells is None
    assert series.numbers["iteration"].tolist() == [1, 2]


def test_series_meet_the_rates_of_their_own_stream() -> None:
    """Algorithms without rates, and rates without algorithms, are left out."""
    held: list[Row] = [("a", "x", 1, [0, 1]), ("a", "y", 1, [0, 0]), ("c", "x", 1, [0, 0])]
    measured = [rates("a", [[1.0, 2.0]]), rates("b", [[3.0, 4.0]])]
    both = pa.concat_tables([blocks([batch(held)], "consumers"), blocks(measured, "rates")])
    nulls_first = both.sort_by(
        [("stream_id", "ascending", "at_start"), ("algorithm", "ascending", "at_start")]
    )
    pairs = list(row_blocks.by_algorithm(nulls_first.to_batches()))
    assert [(s.stream_id, s.algorithm) for _, s in pairs] == [("a", "x"), ("a", "y")]
    assert all(stream_rates.tolist() == [[1.0, 2.0]] for stream_rates, _ in pairs)
