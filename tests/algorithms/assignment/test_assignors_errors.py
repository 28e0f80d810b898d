"""Wrong groups are refused by a message that names field, value and limit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.assignment import assignors
from algorithms.assignment.assignors import placement
from algorithms.core.input_errors import InvalidParameterError

pytestmark = pytest.mark.unit

GOOD: dict[str, Any] = {
    "name": "sticky",
    "partitions": 3,
    "members": [0, 1],
    "owners": [-1, 0, 7],
    "lags": [0.0, 1.5, 2.0],
}

WRONG = [
    ("name", "stickier", "assignor must be one of range, .*kip169 .*got 'stickier'"),
    ("name", "", "^assignor .*''"),
    ("partitions", 0, r"partitions must be between 1 and 2147483647 \(got 0\)"),
    ("partitions", 3.0, r"partitions must be an integer .*got 3\.0"),
    ("members", [], r"members must hold at least one member id \(got none\)"),
    ("members", [1, 0, 1], r"members must be distinct \(got 1 more than once\)"),
    ("members", [0, -1], r"members must be integers between 0 and .*got -1"),
    ("members", [0.0, 1.0], r"members must be integers .*got type float64"),
    ("members", [0, 2**63], r"members must be integers .*2\*\*63 - 1 \(got "),
    ("members", ["a"], r"members must be integers .*got type <U1"),
    ("members", [[0, 1]], r"members must be .*in one dimension \(got shape \(1, 2\)\)"),
    ("members", [[0], [1, 2]], r"members must be .*in one dimension \(got a ragged list\)"),
    ("owners", [0, 1], r"owners must have one value per partition, 3 \(got shape \(2,\)\)"),
    ("owners", [], r"owners must have one value per partition, 3 \(got shape \(0,\)\)"),
    ("owners", [0, 1, -2], r"owners must be integers between -1 and .*got -2"),
    ("owners", [0, 1, 0.5], r"owners must be integers .*got type float64"),
    ("lags", [1.0], r"lags must have one value per partition, 3 \(got shape \(1,\)\)"),
    ("lags", [0.0, -0.5, 0.0], r"lags\[1\] must be finite and at least 0 events \(got -0\.5\)"),
    ("lags", [0.0, 1.0, np.nan], r"lags\[2\] must be finite .*got nan"),
    ("lags", [np.inf, 1.0, 0.0], r"lags\[0\] must be finite .*got inf"),
    ("lags", ["1", "2", "3"], r"lags must be numbers \(got type <U1\)"),
    ("lags", [[1], [2, 3], 0], r"lags must be numbers, in one dimension \(got a ragged list\)"),
]


@pytest.mark.parametrize(("field", "value", "message"), WRONG)
def test_a_wrong_argument_is_refused(field: str, value: object, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        assignors.assign(**{**GOOD, field: value})


def test_the_others_are_right() -> None:
    """Only the wrong argument is refused above; whole lags and any kind of integer are allowed."""
    assert assignors.assign(**GOOD).tolist() == [1, 0, 0]
    kinds = {"members": np.array([0, 1], np.uint8), "owners": np.array([-1, 0, 7], np.int16)}
    assert assignors.assign(**{**GOOD, **kinds, "lags": [0, 1, 2]}).tolist() == [1, 0, 0]


def test_an_unknown_code_is_refused_with_the_known_names() -> None:
    with pytest.raises(InvalidParameterError) as caught:
        assignors.code_of("eager")
    assert all(name in str(caught.value) for name in assignors.names())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), r"partitions must be between 1 and 2147483647 \(got 0\)"),
        ((3, 0), r"members must be between 1 and 2147483647 \(got 0\)"),
    ],
)
def test_work_arrays_of_nothing_are_refused(arguments: tuple[int, ...], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        placement.scratch(*arguments)
