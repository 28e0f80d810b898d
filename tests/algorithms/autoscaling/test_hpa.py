"""The horizontal pod autoscaler against plain lists and exact times, and by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import recent_values
from algorithms.autoscaling.hpa import (
    SCALE_DOWN,
    SCALE_UP,
    Behaviour,
    HorizontalPodAutoscaler,
    Policy,
)
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling.plain_counting import Autoscaler

pytestmark = pytest.mark.unit

POLICIES = st.builds(
    Policy,
    st.sampled_from(["Pods", "Percent"]),
    st.sampled_from([0, 1, 3, 10, 25, 33, 50, 100]),
    st.sampled_from([15, 30, 45, 60, 600]),
)
BEHAVIOURS = st.builds(
    Behaviour,
    st.sampled_from([0, 15, 30, 60, 300]),
    st.sampled_from(["Max", "Min", "Disabled"]),
    st.lists(POLICIES, min_size=1, max_size=3).map(tuple),
)
SYNCS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 15.0, 15.0, 15.0, 30.0, 47.5]),
        st.one_of(st.integers(0, 300), st.sampled_from([9, 10, 11, 20, 22, 90, 100])),
        # The count asked for, or one that somebody else has set.
        st.one_of(st.none(), st.none(), st.none(), st.integers(0, 14)),
    ),
    min_size=1,
    max_size=40,
)


@given(
    st.integers(0, 3),
    st.integers(3, 20),
    st.sampled_from([10, 7, 3, 2.5]),
    st.tuples(st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from([0.0, 0.1, 0.25])),
    st.one_of(st.just(SCALE_UP), BEHAVIOURS),
    st.one_of(st.just(SCALE_DOWN), BEHAVIOURS),
    SYNCS,
)
def test_syncs_are_the_plain_ones(
    least: int,
    most: int,
    target: float,
    tolerances: tuple[float, float],
    up: Behaviour,
    down: Behaviour,
    syncs: list[tuple[float, float, int | None]],
) -> None:
    autoscaler = HorizontalPodAutoscaler(least, most, target, *tolerances, up, down)
    plain = Autoscaler((least, most), target, tolerances, _plain(up), _plain(down))
    time, replicas = 0.0, max(least, 1)
    for pause, metric, changed in syncs:
        time += pause
        replicas = replicas if changed is None else changed
        expected = plain.sync(time, metric, replicas)
        assert autoscaler.sync(time, metric, replicas) == expected
        replicas = expected[1]


def _plain(behaviour: Behaviour) -> tuple[float, str, list[tuple[str, float, float]]]:
    return behaviour.window_s, behaviour.select, [tuple(policy) for policy in behaviour.policies]


def run(autoscaler: HorizontalPodAutoscaler, *syncs: tuple[float, float, int]) -> list[int]:
    """Desired replicas of syncs."""
    return [autoscaler.sync(*sync)[1] for sync in syncs]


def free(window_s: float = 0.0) -> Behaviour:
    """A behaviour without limits."""
    return Behaviour(window_s, "Max", (Policy("Pods", 1000, 15.0), Policy("Percent", 100, 15.0)))


@pytest.mark.parametrize(
    ("metric", "replicas", "proposed"),
    [
        (99, 10, 10),
        (110, 10, 10),
        (111, 10, 12),
        (90, 10, 10),
        (89, 10, 9),
        (0, 10, 0),
        (1, 1, 1),
        (100, 9, 10),
    ],
)
def test_proposals_are_within_the_closed_tolerance_or_exact(
    metric: float, replicas: int, proposed: int
) -> None:
    """110 / 100 and 90 / 100 are inside; outside nothing is rounded down, not even 111 / 10."""
    assert HorizontalPodAutoscaler(1, 20, 10).sync(0.0, metric, replicas)[0] == proposed


def test_quotients_are_exact() -> None:
    """3 * 0.1 is 0.30000000000000004 in doubles: more than three times the double 0.1."""
    autoscaler = HorizontalPodAutoscaler(1, 20, 0.1, 0.0, 0.0)
    assert autoscaler.sync(0.0, 0.1 * 3, 1)[0] == 4
    assert autoscaler.sync(0.0, 0.4, 1)[0] == 4
    assert HorizontalPodAutoscaler(1, 9, 3).sync(0.0, 2**53 - 1, 1)[0] == 2**31 - 1


def test_growth_is_limited_to_four_replicas_or_twice_as_many() -> None:
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    assert run(autoscaler, (0.0, 900, 1), (15.0, 900, 5), (30.0, 900, 10)) == [5, 10, 20]


def test_a_period_starts_with_what_there_was_then() -> None:
    """Within 15 s of the first change the limit is still that from 1; at 15 s it is from 5."""
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    syncs = (0.0, 900, 1), (14.9, 900, 5), (15.0, 900, 5)
    assert run(autoscaler, *syncs) == [5, 5, 10]


def test_proposals_hold_replicas_up_strictly_below_the_window() -> None:
    """The count of the first sync is such a proposal."""
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    syncs = (0.0, 20, 8), (299.9, 20, 8), (300.0, 20, 8)
    assert run(autoscaler, *syncs) == [8, 8, 2]


def test_the_raw_proposal_is_stored() -> None:
    """The limit of 5 was applied at 0 s, but the proposal of 90 holds the count for 300 s."""
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    assert run(autoscaler, (0.0, 900, 1), (15.0, 30, 5), (300.0, 30, 5)) == [5, 5, 3]


def test_an_up_window_waits_for_lasting_growth() -> None:
    autoscaler = HorizontalPodAutoscaler(1, 100, 10, scale_up=free(30.0))
    syncs = (0.0, 10, 1), (15.0, 90, 1), (30.0, 50, 1), (45.0, 50, 1)
    assert run(autoscaler, *syncs) == [1, 1, 5, 5]


@pytest.mark.parametrize(("select", "desired"), [("Max", 4), ("Min", 8), ("Disabled", 10)])
def test_policies_down(select: str, desired: int) -> None:
    """Of 10 replicas, two pods and 58 percent: to 8, and to 4.2 without the fraction."""
    policies = (Policy("Pods", 2, 60.0), Policy("Percent", 58, 60.0))
    autoscaler = HorizontalPodAutoscaler(1, 20, 10, scale_down=Behaviour(0.0, select, policies))
    assert run(autoscaler, (0.0, 0, 10)) == [desired]


def test_percentages_are_of_doubles() -> None:
    """25 * (1 + 12 / 100) is 28.000000000000004, and 5 * (1 - 80 / 100) is 0.9999999999999998."""
    up = Behaviour(0.0, "Max", (Policy("Percent", 12, 60.0),))
    down = Behaviour(0.0, "Max", (Policy("Percent", 80, 60.0),))
    autoscaler = HorizontalPodAutoscaler(0, 99, 10, scale_up=up, scale_down=down)
    assert run(autoscaler, (0.0, 900, 25), (60.0, 0, 5)) == [29, 0]


@pytest.mark.parametrize(("replicas", "bound"), [(1, 3), (12, 8), (0, 3)])
def test_replicas_outside_the_bounds_go_to_the_bound(replicas: int, bound: int) -> None:
    """Whatever metric and limits say; only the change is remembered."""
    disabled = Behaviour(0.0, "Disabled", ())
    autoscaler = HorizontalPodAutoscaler(3, 8, 10, scale_up=disabled, scale_down=disabled)
    assert autoscaler.sync(0.0, 55, replicas) == (bound, bound)


def test_bounds_apply_after_limits() -> None:
    assert run(HorizontalPodAutoscaler(1, 4, 10), (0.0, 900, 1)) == [4]
    autoscaler = HorizontalPodAutoscaler(2, 9, 10, scale_down=free())
    assert run(autoscaler, (0.0, 0, 9)) == [2]


def test_no_proposal_is_lost_however_often_it_syncs() -> None:
    """More than the first rings hold: the high proposal of 0 s counts for all of them."""
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    assert autoscaler.sync(0.0, 500, 50) == (50, 50)
    for i in range(1, 500):
        assert autoscaler.sync(0.5 * i, 20, 50) == (2, 50)
    assert autoscaler.sync(300.0, 20, 50) == (2, 2)


def test_entries_survive_the_growth_of_a_ring() -> None:
    ring = recent_values.create(3)
    for i in range(5):
        recent_values.record(ring, float(i), float(10 * i))
    larger = recent_values.enlarged(ring)
    recent_values.record(larger, 5.0, 7.0)
    assert recent_values.balance(larger, 5.0, 100.0) == 20.0 + 30.0 + 40.0 + 7.0
    assert recent_values.greatest(larger, 5.0, 2.0, 0.0) == 40.0
    assert recent_values.least(larger, 5.0, 1.0, 9.0) == 7.0


def test_windows_do_not_depend_on_the_rounding_of_times() -> None:
    """1024.08 - 724.08 is below 300 in doubles, by 1e-13."""
    assert 1024.08 - 724.08 < 300.0
    autoscaler = HorizontalPodAutoscaler(1, 100, 10)
    assert run(autoscaler, (724.08, 20, 8), (1024.08, 20, 8)) == [8, 2]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"min_replicas": 9}, "min_replicas must be between 0 and 8 .*9"),
        ({"min_replicas": -1}, "min_replicas .*-1"),
        ({"max_replicas": 0}, "max_replicas .*0"),
        ({"target": 0}, "target must be above 0 .*0"),
        ({"target": float("nan")}, "target must be a finite number .*nan"),
        ({"tolerance_up": -0.1}, "tolerance_up must be at least 0 .*-0.1"),
        ({"tolerance_down": -0.1}, "tolerance_down must be at least 0 .*-0.1"),
        (
            {"scale_down": Behaviour(0, "Max", (Policy("Percent", 101, 15),))},
            r"scale_down.policies\[0\].value must be at least 0 and at most 100 .*101",
        ),
        (
            {"scale_up": Behaviour(0, "max", (Policy("Pods", 1, 15),))},
            "scale_up.select must be one of Max, Min, Disabled .*'max'",
        ),
        (
            {"scale_up": Behaviour(0, "Max", (Policy("Nodes", 1, 15),))},
            r"scale_up.policies\[0\].type must be one of Pods, Percent .*'Nodes'",
        ),
        ({"scale_up": Behaviour(-1, "Max", (Policy("Pods", 1, 15),))}, "scale_up.window_s .*-1"),
        ({"scale_up": Behaviour(0, "Max", (Policy("Pods", 1, 0),))}, "period_s must be above 0"),
        (
            {"scale_up": Behaviour(86_401, "Max", (Policy("Pods", 1, 15),))},
            "scale_up.window_s must be at least 0 and at most 86400 .*86401",
        ),
        (
            {"scale_down": Behaviour(0, "Max", (Policy("Pods", 1, 1e12),))},
            r"scale_down.policies\[0\].period_s must be above 0 and at most 86400 .*1000000000000",
        ),
        ({"scale_up": Behaviour(0, "Max", (Policy("Pods", -1, 9),))}, "value must be at least 0"),
        ({"scale_up": Behaviour(0, "Max", ())}, "scale_up.policies must not be empty"),
        ({"scale_up": {"window_s": 0}}, "scale_up must be a Behaviour with window_s, select"),
        ({"scale_up": Behaviour(0, "Max", "Pods")}, "scale_up.policies must be a list"),  # type: ignore[arg-type]
    ],
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], words: str) -> None:
    right: dict[str, Any] = {"min_replicas": 1, "max_replicas": 8, "target": 10}
    with pytest.raises(InvalidParameterError, match=words):
        HorizontalPodAutoscaler(**{**right, **arguments})


@pytest.mark.parametrize(
    ("sync", "words"),
    [
        ((9.0, 1, 1), "time_s must not be before the last sync, 10.0 s .*9"),
        ((float("inf"), 1, 1), "time_s must be a finite number"),
        ((11.0, -1, 1), "metric must be at least 0 .*-1"),
        ((11.0, 1, -1), "replicas must be between 0 and"),
    ],
)
def test_wrong_syncs_are_refused(sync: tuple[float, float, int], words: str) -> None:
    autoscaler = HorizontalPodAutoscaler(1, 8, 10)
    autoscaler.sync(10.0, 1, 1)
    with pytest.raises(InvalidParameterError, match=words):
        autoscaler.sync(*sync)


def test_behaviours_may_be_mappings() -> None:
    """As a configuration file gives them."""
    behaviour = {"window_s": 0, "select": "Max", "policies": [Policy("Pods", 1, 60)._asdict()]}
    autoscaler = HorizontalPodAutoscaler(1, 8, 10, scale_up=behaviour)  # type: ignore[arg-type]
    assert run(autoscaler, (0.0, 80, 1)) == [2]
