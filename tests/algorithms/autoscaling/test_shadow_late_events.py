"""The model of late events of our own strategy, against one event after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling.shadow import count_levels, late_events
from algorithms.autoscaling.shadow.late_events import Service
from tests.algorithms.autoscaling import cases, plain_shadows

pytestmark = pytest.mark.unit

ONE, SPACE = np.ones(1), np.empty((2, 8))


@pytest.mark.parametrize("pause_s", [0.0, 0.2, 0.6, 1.5])
@pytest.mark.parametrize(
    ("events", "lag"), [(0, 0), (30, 0), (60, 0), (120, 0), (40, 70), (0, 250)]
)
def test_late_events_of_a_burst(events: int, lag: int, pause_s: float) -> None:
    """As one after the other: 100 events/s, of which those served within 0.495 s are in time.

    An event is late from the moment its service is due to end; the model counts half of it before.
    """
    plain = plain_shadows.late_of_burst(100.0, 1.0, 0.4951, events, lag, pause_s)
    model = late_events.step(Service(100.0, 1.0, 0.495, True), ONE, SPACE, events, lag, pause_s)
    assert model == pytest.approx(plain, abs=0.6)


@pytest.mark.parametrize("pause_s", [0.0, 0.2, 0.6, 1.5])
@pytest.mark.parametrize(("rate", "lag"), [(50.0, 0.0), (150.0, 0.0), (90.0, 60.0), (0.0, 70.0)])
def test_late_events_that_arrive_evenly(rate: float, lag: float, pause_s: float) -> None:
    plain = plain_shadows.late_when_even(100.0, 1.0, 0.495, rate, lag, pause_s)
    model = late_events.step(Service(100.0, 1.0, 0.495, False), ONE, SPACE, rate, lag, pause_s)
    assert model == pytest.approx(plain, abs=0.05)


@given(
    st.floats(0.0, 500.0), st.floats(0.0, 300.0), st.floats(0.0, 2.0), st.booleans(),
    st.lists(st.floats(0.01, 1.0), min_size=1, max_size=6),
)  # fmt: skip
def test_late_events_are_some_of_the_events(
    events: float, lag: float, pause_s: float, burst: bool, parts: list[float]
) -> None:
    """Longer pauses and more lag make no fewer late, and nothing is lost or invented."""
    service, shares = Service(100.0, 1.0, 0.3, burst), np.array(parts) / sum(parts)
    late, left = late_events.step(service, shares, SPACE, events, lag, pause_s)
    assert -1e-9 <= late <= events * (1 + 1e-9)
    assert max(lag + events - 100.0 * len(parts), 0.0) - 1e-6 <= left <= (lag + events) * (1 + 1e-9)
    longer = late_events.step(service, shares, SPACE, events, lag, pause_s + 0.3)
    more = late_events.step(service, shares, SPACE, events, lag + 10.0, pause_s)
    assert min(longer[0], more[0]) >= late - 1e-6
    assert min(longer[1], more[1]) >= left - 1e-6


@given(
    st.floats(0.0, 800.0), st.sampled_from([0.0, 3.0, 90.0]), st.sampled_from([0.0, 0.2, 1.5]),
    st.booleans(), st.lists(st.floats(0.01, 1.0), min_size=5, max_size=5),
)  # fmt: skip
def test_a_level_is_served_as_its_members_one_by_one(
    events: float, lag: float, pause_s: float, burst: bool, parts: list[float]
) -> None:
    """To the last bit, whether the most loaded member is enough to know or not."""
    service = Service(100.0, 1.0, 0.3, burst)
    levels, weights = count_levels.create(cases.GROUP), np.array(parts)
    count_levels.spread(levels, weights, weights.sum())
    for level, replicas in enumerate(levels.counts):
        late = left = 0.0
        for member in range(replicas):
            own = levels.shares[level, member : member + 1]
            one = late_events.step(service, own, SPACE, events, lag, pause_s)
            late, left = late + one[0], left + one[1]
        assert count_levels.step(service, levels, level, events, lag, pause_s) == (late, left)
