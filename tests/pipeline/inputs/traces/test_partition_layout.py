"""Layout of a recording's partitions: by topic and number, whatever their order in the file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.traces import partition_layout
from pipeline.inputs.traces.partition_layout import Layout, Topic

pytestmark = pytest.mark.unit

FILE = Path("t.csv")


def of(*names: str) -> Layout:
    return partition_layout.of(FILE, names)


@pytest.mark.parametrize(
    ("names", "labels", "columns"),
    [
        (("0", "2", "1", "3"), ("0", "1", "2", "3"), (0, 2, 1, 3)),
        (("t/10", "t/9", *(f"t/{n}" for n in range(9))), None, (*range(2, 11), 1, 0)),
        (("b/0", "a/1", "b/1", "a/0"), ("a/0", "a/1", "b/0", "b/1"), (3, 1, 0, 2)),
        (("b", "a"), ("a", "b"), (1, 0)),
        (("p10", "p2", "p1"), ("p1", "p2", "p10"), (2, 1, 0)),
        (("eu/b", "eu/a", "us/0"), ("eu/a", "eu/b", "us/0"), (1, 0, 2)),
        (("t/01", "t/00"), ("t/0", "t/1"), (1, 0)),
        (("t/1", "t/01"), ("t/01", "t/1"), (1, 0)),
        (("3", "1", "2"), ("1", "2", "3"), (1, 2, 0)),
        (("total",), ("total",), (0,)),
        (("orders.eu/7/0",), ("orders.eu/7/0",), (0,)),
    ],
)
def test_partitions_are_sorted_by_topic_and_number(
    names: tuple[str, ...], labels: tuple[str, ...] | None, columns: tuple[int, ...]
) -> None:
    layout = of(*names)
    assert layout.columns == columns
    assert layout.labels == (labels or tuple(f"t/{n}" for n in range(11)))
    assert layout.notes == ()


def test_missing_numbers_are_partitions_without_events() -> None:
    layout = of("b/3", "a/0", "b/1")
    assert layout.topics == (Topic("a", 1), Topic("b", 4))
    rates = layout.arranged(np.array([[3.0, 5.0, 1.0], [4.0, 6.0, np.nan]]))
    np.testing.assert_array_equal(rates, [[5, 0, 1, 0, 3], [6, 0, np.nan, 0, 4]])
    assert layout.notes == (
        "Partitions b/0, b/2 are not in the file; they count as partitions without events.",
    )
    assert of("a/1").notes == (
        "Partition a/0 is not in the file; it counts as one without events.",
    )
    assert "a/0, a/1, a/2 and 4 more are" in of("a/7").notes[0]


@pytest.mark.parametrize(("number", "is_read"), [(1000, True), (1001, False), (10**30, False)])
def test_how_many_partitions_may_be_missing(number: int, is_read: bool) -> None:
    if is_read:
        assert of(f"a/{number}").topics == (Topic("a", number + 1),)
        return
    with pytest.raises(InputError) as caught:
        of("b/0", f"a/{number}")
    message = str(caught.value)
    assert message.startswith("t.csv: at most 1,000 partitions can be missing between others (got ")
    assert f"go up to {number:,}, and the file has 1 of them" in message


def test_the_order_in_the_file_does_not_matter() -> None:
    """Any order of columns gives the same topics, labels and rates."""
    draw = np.random.default_rng(5)
    names = [*(f"t{t}/{n}" for t in range(3) for n in (0, 1, 2, 4, 11)), "a", "b", "x/y", "x/0"]
    rates = draw.random((4, len(names)))
    first = of(*names)
    for _ in range(50):
        order = draw.permutation(len(names))
        again = of(*(names[i] for i in order))
        assert (again.topics, again.labels) == (first.topics, first.labels)
        assert sorted(again.notes) == sorted(first.notes)
        np.testing.assert_array_equal(again.arranged(rates[:, order]), first.arranged(rates))


def test_rates_in_order_are_not_copied() -> None:
    rates = np.ones((2, 3))
    assert of("t/0", "t/1", "t/2").arranged(rates) is rates
