"""What no machine could hold is refused with the number, the limit and what to do about it."""

from __future__ import annotations

import pytest

from pipeline import limits
from pipeline.errors import InputError
from pipeline.resolve import resolve

pytestmark = pytest.mark.unit


def test_a_hundred_thousand_replicates_of_a_night_have_scores_that_the_driver_holds() -> None:
    assert resolve("nightly", None, ["replicates=100000"], []).n_scores == 7_200_000


def test_more_scores_than_the_driver_holds_are_refused() -> None:
    size = limits.Size(partitions=8, iterations=1, algorithms=100, streams=100_000)
    limits.check_run([size])
    with pytest.raises(InputError, match=r"10,000,100 rows .* at most 10,000,000 .*fewer repl"):
        limits.check_run([size, limits.Size(8, 1, 100, 1)])


def test_traces_that_the_driver_cannot_hold_together_are_refused() -> None:
    largest = limits.Size(10_000, 2_500, 12, 1)
    limits.check_traces([largest] * 4)
    with pytest.raises(
        InputError, match=r"5 traces have 125,000,000 rates: at most 100,000,000 .*"
    ):
        limits.check_traces([largest] * 5)
