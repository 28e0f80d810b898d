"""Steps of a rolling restart: against Kubernetes' rules, and the numbers of its documentation."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.simulation.group_simulation import simulate_in_detail
from algorithms.simulation.incident_kinds import Restart
from algorithms.simulation.incident_times import Incident
from live.asking.rolling_restart import RollingRestart, resolved

pytestmark = pytest.mark.unit


def steps(size: int, surge: int | str, unavailable: int | str) -> list[list[int]]:
    """Members after each step."""
    members = frozenset(range(size))
    restart = RollingRestart(members, Restart(surge=surge, unavailable=unavailable))
    every = []
    while (after := restart.after_next(members)) is not None:
        members = after
        every.append(sorted(members))
    return every


def test_a_surge_of_one_starts_a_member_before_each_one_that_leaves() -> None:
    assert steps(3, 1, 0) == [[0, 1, 2, 3], [1, 2, 3, 4], [0, 2, 3, 4], [0, 3, 4]]


def test_without_surge_one_leaves_at_a_time() -> None:
    assert steps(2, 0, 0) == [[1, 2], [0, 2]]


LIMITS = st.one_of(st.integers(0, 6), st.integers(0, 100).map(lambda share: f"{share}%"))


@given(size=st.integers(1, 9), surge=LIMITS, unavailable=LIMITS)
def test_limits_hold_in_every_step_and_all_members_are_replaced(
    size: int, surge: int | str, unavailable: int | str
) -> None:
    def number(limit: int | str) -> Fraction:
        if isinstance(limit, int):
            return Fraction(limit)
        return Fraction(int(limit[:-1]) * size, 100)

    most = size + math.ceil(number(surge))
    least = size - max(math.floor(number(unavailable)), 0 if number(surge) else 1)
    members, old = frozenset(range(size)), set(range(size))
    restart = RollingRestart(members, Restart(surge=surge, unavailable=unavailable))
    for _ in range(3 * size + 3):
        after = restart.after_next(members)
        if after is None:
            break
        gone = members - after
        # Those that stay serve while others start.
        assert len(members & after) >= least
        assert len(after) <= most
        assert gone <= old
        old -= gone
        members = after
    assert restart.after_next(members) is None
    assert not old
    assert len(members) == size


def test_shares_are_rounded_as_in_a_deployment() -> None:
    assert [resolved("25%", size, up=True) for size in (1, 4, 5)] == [1, 1, 2]
    assert [resolved("25%", size, up=False) for size in (1, 4, 5)] == [0, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("surge", [0, 2, "25%", "60%"])
@pytest.mark.parametrize("unavailable", [0, 1, "50%"])
def test_steps_are_those_of_the_simulated_group(surge: int | str, unavailable: int | str) -> None:
    parameters = Restart(surge=surge, unavailable=unavailable)
    for size in (1, 4, 7):
        own = {"initial_replicas": size, "startup_s": 1.0, "max_poll_records": 0}
        run = simulate_in_detail(
            np.full((100, 7), 10.0),
            "constant",
            settings=own,
            has_percentiles=False,
            incidents=(Incident("restart", 5.0, parameters),),
        )
        counts = [size, *map(len, steps(size, surge, unavailable))]
        actions = zip(run.actions.before.tolist(), run.actions.after.tolist(), strict=True)
        assert list(actions) == list(pairwise(counts))
