"""Fewest consumers: over which algorithms they are taken, in scores and in bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pytest

from algorithms import bounds
from algorithms.bounds.result import PATTERNS
from pipeline.experiments.assignment.kernels import (
    bounds_kernel,
    row_blocks,
    scores_kernel,
)
from pipeline.experiments.assignment.kernels.gaps_kernel import measure_gaps

pytestmark = pytest.mark.unit

# The least that any of the twelve needs at each of four iterations.
TWELVE = (4, 5, 5, 8)


def assigned(counts: Mapping[str, Sequence[int]]) -> pa.RecordBatch:
    """Rows of `assignments` of one stream, by algorithm, with so many consumers."""
    rows = [(name, k, n) for name in sorted(counts) for k, n in enumerate(counts[name])]
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": ["s"] * len(rows),
            "experiment": ["e"] * len(rows),
            "delta": pa.array([5.0] * len(rows)),
            "algorithm": [name for name, _, _ in rows],
            "iteration": pa.array([k + 1 for _, k, _ in rows], pa.int32()),
            "n_consumers": pa.array([n for _, _, n in rows], pa.int32()),
            "n_migrations": pa.array([k for _, k, _ in rows], pa.int32()),
            "min_consumers": pa.array([TWELVE[k] for _, k, _ in rows], pa.int32()),
            "rscore": pa.array([k / 8 for _, k, _ in rows]),
            "consumers": pa.array([[0, 1]] * len(rows), pa.list_(pa.int32())),
        }
    )


def rates() -> pa.RecordBatch:
    """Rows of `measurements` of the same stream."""
    return pa.RecordBatch.from_pydict(
        {
            "stream_id": ["s"] * 4,
            "experiment": ["e"] * 4,
            "delta": pa.array([5.0] * 4),
            "iteration": pa.array([1, 2, 3, 4], pa.int32()),
            "rates": pa.array([[6.0, 7.0]] * 4, pa.list_(pa.float64())),
        }
    )


def blocks(rows: pa.RecordBatch, arrays: str | None) -> list[pa.RecordBatch]:
    """Pack rows as Spark hands them on."""
    packed = pa.Table.from_batches(list(row_blocks.pack(arrays)([rows])))
    seeds = pa.array([11] * packed.num_rows, pa.int64())
    return list(packed.append_column("seed", seeds).to_batches())


def scores(counts: Mapping[str, Sequence[int]]) -> dict[str, dict[str, object]]:
    """Rows of `scores` by algorithm."""
    table = pa.Table.from_batches(list(scores_kernel.score(blocks(assigned(counts), None))))
    return {row["algorithm"]: row for row in table.to_pylist()}


def test_the_common_minimum_is_over_all_that_keep_capacity() -> None:
    """`SR_inf` needs one less at the second and the last iteration; `kd_1` does not count."""
    rows = scores(
        {"BFD": (4, 5, 5, 8), "NF": (5, 6, 6, 9), "SR_inf": (4, 4, 5, 7), "kd_1": (1, 1, 1, 1)}
    )
    assert rows["SR_inf"]["cbs"] == -(1 / 5 + 1 / 8) / 4
    assert rows["SR_inf"]["cbs_common"] == 0.0
    assert rows["BFD"]["cbs"] == 0.0
    assert rows["BFD"]["cbs_common"] == pytest.approx((1 / 4 + 1 / 7) / 4, abs=1e-15)
    assert rows["NF"]["cbs_common"] == pytest.approx((1 / 4 + 2 / 4 + 1 / 5 + 2 / 7) / 4, abs=1e-15)
    assert rows["kd_1"]["cbs_common"] < 0.0
    assert [name for name in rows if not rows[name]["reference"]] == ["SR_inf", "kd_1"]


def test_the_common_minimum_takes_the_best_at_each_iteration() -> None:
    """Here one is ahead, there another, here the twelve, of which not all need have been run."""
    rows = scores({"BFD+M+P": (4, 4, 6, 9), "SR_3": (3, 6, 6, 9)})
    assert rows["BFD+M+P"]["cbs_common"] == pytest.approx(
        (1 / 3 + 0 + 1 / 5 + 1 / 8) / 4, abs=1e-15
    )
    assert rows["SR_3"]["cbs_common"] == pytest.approx((0 + 2 / 4 + 1 / 5 + 1 / 8) / 4, abs=1e-15)


@pytest.mark.parametrize(
    "counts",
    [
        {"BFD": (4, 5, 5, 8)},
        {"BFD": (4, 5, 5, 8), "SR_inf": (4, 4, 5, 7)},
        {"MBF+M+P": (4, 3, 5, 9)},
        {"NF": (5, 6, 6, 9), "kd_1": (1, 1, 1, 1)},
    ],
)
def test_a_bound_that_is_not_proved_ends_at_the_best_of_the_twelve(
    counts: Mapping[str, Sequence[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether they were run or not, and independent of others."""
    nothing = bounds.Bound(2.0, 20.0, PATTERNS, None)
    monkeypatch.setattr(bounds, "fewest_consumers", lambda *_: nothing)
    plans = {"e": bounds_kernel.BoundsPlan(10.0, 2, 1.0, ())}
    batches = [*blocks(rates(), "rates"), *blocks(assigned(counts), "consumers")]
    table = pa.Table.from_batches(list(bounds_kernel.bound(plans, {"s": 4})(batches)))
    assert table["iteration"].to_pylist() == [2, 4]
    assert table["lower"].to_pylist() == [2.0, 2.0]
    assert table["upper"].to_pylist() == [5, 8]
    assert table["proved"].to_pylist() == [False, False]


@pytest.mark.parametrize(
    ("algorithm", "used", "low"),
    [
        ("BFD", (5, 8), 0.0),
        ("NF", (6, 9), (1 / 5 + 1 / 8) / 2),
        ("SR_inf", (4, 9), 1 / 8 / 2),
        ("kd_1", (1, 1), (-4 / 5 - 7 / 8) / 2),
    ],
)
def test_an_own_assignment_ends_the_own_interval(
    algorithm: str, used: tuple[int, int], low: float
) -> None:
    """The optimum is at most what one has oneself, unless one has no regard to capacity."""
    rows = pa.table(
        {
            "stream_id": ["s", "s"],
            "algorithm": [algorithm] * 2,
            "n_consumers": pa.array(used, pa.int32()),
            "rscore": [0.0, 0.0],
            "fewest_lower": [2.0, 2.0],
            "fewest_upper": [5.0, 8.0],
            "least_lower": pa.array([None, None], pa.float64()),
            "least_upper": pa.array([None, None], pa.float64()),
        }
    )
    row = measure_gaps(rows).to_pylist()[0]
    assert row["cbs_optimum_low"] == pytest.approx(low, abs=1e-15)
    assert row["cbs_optimum_high"] == sum((n - 2) / 2 for n in used) / 2
