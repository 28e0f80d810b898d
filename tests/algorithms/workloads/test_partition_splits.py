"""One total rate, split over the partitions of a topic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.workloads.partition_splits import split

pytestmark = pytest.mark.unit

TOTAL = np.array([0.0, 0.1, 17.3, 200.0])


def test_an_equal_split_is_a_division() -> None:
    """Not a multiplication by 1/P, which often differs in the last bit."""
    assert split(TOTAL, 5).tolist() == [[rate / 5] * 5 for rate in TOTAL]


def test_two_partitions_get_half_of_a_skewed_topic() -> None:
    rates = split([80.0], 6, "skew")
    assert rates.tolist() == [[20.0, 20.0, 10.0, 10.0, 10.0, 10.0]]


@pytest.mark.parametrize(
    ("how", "weights"), [("equal", None), ("skew", None), ("weights", [0.0, 1, 2.5, 3])]
)
def test_nothing_is_lost(how: str, weights: list[float] | None) -> None:
    rates = split(TOTAL, 4, how, weights)
    assert rates.sum(axis=1) == pytest.approx(TOTAL, rel=1e-15)


def test_the_total_is_rounded_before_it_is_split() -> None:
    assert split([17.3, 18.0], 4, rounding="ceil").tolist() == [[4.5] * 4, [4.5] * 4]


def test_weights_are_proportions() -> None:
    assert split([9.0], 2, "weights", [2.0, 1.0]).tolist() == [[6.0, 3.0]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"total": []}, r"total must have shape \(steps,\).*\(0,\)"),
        ({"total": [[1.0]]}, r"total must have shape"),
        ({"total": [1.0, -1.0]}, r"total\[1\] must be finite and at least 0 events/s \(got -1.0"),
        ({"total": [np.nan]}, r"total\[0\] must be finite"),
        ({"partitions": 0}, "partitions"),
        ({"how": "half"}, "split must be one of equal, weights, skew .*'half'"),
        ({"how": "skew", "partitions": 2}, "partitions"),
        ({"how": "weights"}, "weights are required"),
        ({"weights": [1.0, 2.0, 3.0, 4.0]}, "weights are required by the split 'weights' and by"),
        ({"how": "weights", "weights": [1.0]}, r"weights must have shape \(4,\).*\(1,\)"),
        ({"how": "weights", "weights": [0.0] * 4}, "sum above 0"),
        ({"how": "weights", "weights": [1e308] * 4}, "finite sum above 0"),
        ({"how": "weights", "weights": [1.0, -1.0, 1.0, 1.0]}, "at least 0"),
        ({"rounding": "floor"}, "rounding must be one of none, ceil .*'floor'"),
    ],
)
def test_a_wrong_argument_is_refused(arguments: dict[str, Any], words: str) -> None:
    call: dict[str, Any] = {"total": [1.0], "partitions": 4} | arguments
    with pytest.raises(InvalidParameterError, match=words):
        split(**call)
