"""What a strategy reads of a group that is blind: against the table of the documentation."""

from __future__ import annotations

import numpy as np
import pytest

from live.asking import blind_sight, group_incidents
from live.asking.blind_sight import BlindSight
from live.controller.scaled_strategy import Lags
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

SECOND = 10**9
BEGAN_NS = 50 * SECOND


class Group:
    """Two partitions with rates k and 2 k, and lags 10 k and 20 k, in second k."""

    def __init__(self, *events: str) -> None:
        settings = short_settings(group_events=events, iterations=100, iteration_s=1.0)
        times = blind_sight.spans(group_incidents.of_run(settings))
        self.second = 0
        self.sight = BlindSight(times, self, self.lags)
        self.sight.begin(BEGAN_NS)

    def of_steps(self, first: int, last: int) -> np.ndarray:
        return np.array([[float(k), 2.0 * k] for k in range(first, last)])

    def are_known(self, now_ns: int) -> bool:
        return True

    def lags(self) -> Lags:
        return Lags(np.array([10.0, 20.0]) * self.second, np.array([True, False]))

    def decision(self, second: int) -> tuple[list[list[float]], list[float], list[bool]] | None:
        """What is read for the decision at a time: rates of two steps, lags, and consumption."""
        self.second = second
        if not self.sight.are_known(BEGAN_NS + second * SECOND):
            return None
        rates, lags = self.sight.of_steps(second - 2, second), self.sight.lags()
        return rates.tolist(), lags.records.tolist(), lags.consumed.tolist()


@pytest.mark.parametrize(
    ("kind", "read"),
    [
        ("missing", None),
        ("stale", ([[2.0, 4.0], [3.0, 6.0]], [40.0, 80.0], [False, False])),
        ("zero", ([[0.0, 0.0], [0.0, 0.0]], [0.0, 0.0], [False, False])),
        ("partition", ([[8.0, 0.0], [9.0, 0.0]], [100.0, 0.0], [True, True])),
    ],
)
def test_what_is_read_while_blind(
    kind: str, read: tuple[list[list[float]], list[float], list[bool]] | None
) -> None:
    group = Group(f"blind@5s:10s:kind={kind}")
    before = group.decision(4)
    assert before == ([[2.0, 4.0], [3.0, 6.0]], [40.0, 80.0], [True, False])
    assert group.decision(10) == read
    after = group.decision(15)
    assert after == ([[13.0, 26.0], [14.0, 28.0]], [150.0, 300.0], [True, False])


def test_nothing_stays_the_same_that_was_never_read() -> None:
    assert Group("blind@0s:10s:kind=stale").decision(4) is None


def test_the_journal_has_the_rates_that_hold() -> None:
    group = Group("blind@5s:10s:kind=zero")
    group.decision(10)
    assert group.sight.of_steps(10, 11).tolist() == [[10.0, 20.0]]
