"""Response times, the replicas that bound them, and the planner for paths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import queueing
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling import cases, plain_counting

pytestmark = pytest.mark.unit

RATES = st.one_of(st.sampled_from([0.0, 7.0, 10.0, 14.0, 30.0]), st.floats(0.0, 300.0))
MOST = 2**31 - 1
MUS = st.one_of(st.sampled_from([1.0, 10.0, 200.0]), st.floats(0.1, 300.0))
VARIATIONS = st.sampled_from([0.0, 0.5, 1.0, 1.7])


@given(RATES, MUS, st.integers(1, 20), VARIATIONS, VARIATIONS)
def test_response_time_is_the_plain_one(
    rate: float, mu: float, k: int, ca: float, cs: float
) -> None:
    """In every bit: the powers are those of the C library in both."""
    expected = plain_counting.response_time(rate, mu, k, ca * ca, cs * cs)
    assert queueing.response_time(rate, mu, k, ca, cs) == expected


def test_one_server_with_exponential_times_is_exact() -> None:
    """Published: 1 / (mu - rate) is 5 at 80 %; any utilization agrees where W is rho."""
    assert queueing.response_time(0.8, 1.0, 1) == pytest.approx(5.0, rel=1e-14)
    for rho in (0.7, 0.75, 0.9, 0.99):
        assert queueing.response_time(rho, 1.0, 1) == pytest.approx(1.0 / (1.0 - rho), rel=1e-12)


@pytest.mark.parametrize(
    ("rate", "expected"),
    [(10.0, math.inf), (11.0, math.inf), (0.0, 0.1), (7.0, 0.1 + 0.7 / 3.0)],
)
def test_limits_of_the_formula(rate: float, expected: float) -> None:
    """From a utilization of 1 on nothing keeps up; an idle server takes a service time."""
    assert queueing.response_time(rate, 10.0, 1) == pytest.approx(expected)


def test_the_probability_of_waiting_changes_at_seven_tenths() -> None:
    """Two servers: (rho**2 + rho) / 2 at 0.7, rho**sqrt(3) just below."""
    at, below = (queueing.response_time(rate, 10.0, 2) for rate in (14.0, 13.999999999))
    assert at == pytest.approx(0.1 + 0.5 * (0.49 + 0.7) / 2.0 / 3.0)
    assert below == pytest.approx(0.1 + 0.5 * 0.7 ** math.sqrt(3.0) / 3.0)


@given(RATES, MUS, st.sampled_from([0.01, 0.1, 0.25, 1.0, 5.0]), VARIATIONS, st.integers(1, 20))
def test_replicas_are_the_plain_ones(
    rate: float, mu: float, r_max: float, ca: float, k_max: int
) -> None:
    expected = plain_counting.least_k(rate, mu, r_max, ca * ca, 1.0, k_max)
    assert queueing.replicas(rate, mu, r_max, ca, 1.0, k_max) == expected


@given(
    st.floats(0.0, 60_000.0), MUS, st.floats(-12.0, 3.0), VARIATIONS, st.sampled_from([1.0, 1e8])
)
def test_many_replicas_are_the_plain_ones(
    rate: float, mu: float, exponent: float, ca: float, cs: float
) -> None:
    """Also where the bound is close to a service time."""
    r_max, k_max = 1.0 / mu * (1.0 + 10.0**exponent), 700
    expected = plain_counting.least_k(rate, mu, r_max, ca * ca, cs * cs, k_max)
    assert queueing.replicas(rate, mu, r_max, ca, cs, k_max) == expected


@pytest.mark.parametrize(
    ("rate", "r_max", "expected"),
    [
        (1e3, 0.001, MOST),
        (1e3, 0.005, None),
        (1e9, 0.005, None),
        (1e10, 0.0050001, None),
        (1e10, 1e308, 50_000_001),
        (1e300, 1.0, MOST),
    ],
)
def test_a_great_number_of_replicas_is_searched_fast(
    rate: float, r_max: float, expected: int | None
) -> None:
    """Trying each of them would take longer than the suite."""
    replicas = queueing.replicas(rate, 200.0, r_max, k_max=MOST)
    assert expected in (None, replicas)
    if replicas < MOST:
        assert queueing.response_time(rate, 200.0, replicas) <= r_max
        assert queueing.response_time(rate, 200.0, replicas - 1) > r_max


def test_a_bound_below_the_service_time_takes_the_most() -> None:
    """Even without a single event: no number of servers is that fast."""
    assert queueing.replicas(0.0, 10.0, 0.0999) == 15
    assert queueing.replicas(0.0, 10.0, 0.1) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_strategy_for_paths_plans_one_function(seed: int) -> None:
    """The group is the only function of the only path."""
    rng = np.random.default_rng(seed)
    for _ in range(60):
        group = cases.group(rng)
        seen = cases.seen(rng, group, replicas=int(rng.integers(1, 6)))
        limits: dict[str, Any] = {
            "r_max": float(rng.choice([0.006, 0.011, 0.015, 1.0])),
            "alpha": float(rng.choice([0.0, 0.5, 1.0])),
            "k_max": int(rng.integers(1, 6)),
        }
        ca, cs = rng.choice([0.0, 0.5, 1.0, 2.0], 2).tolist()
        rate = plain_counting.added(seen.rates.tolist())
        function = {"lambda": rate, "mu": group.mu, "ca": ca, "cs": cs, "k": seen.replicas}
        expected = plain_counting.plan_paths({"f": function}, [["f"]], **limits)["f"]
        ((answer, kind, _),) = cases.decided("queueing_paths", group, seen, ca=ca, cs=cs, **limits)
        assert (answer, kind) == (-1 if expected == seen.replicas else expected, 0)


def test_the_strategy_for_paths_starts_a_group_without_replicas() -> None:
    seen = cases.seen(np.random.default_rng(0), cases.GROUP, replicas=0)
    assert cases.decided("queueing_paths", cases.GROUP, seen)[0][:2] == (1, 0)


@pytest.mark.parametrize("seed", range(5))
def test_strategy_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(40):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        ca, cs = rng.choice([0.0, 0.5, 1.0, 2.0], 2).tolist()
        r_max, k_max = float(rng.choice([0.006, 0.011, 0.015, 1.0])), int(rng.integers(1, 20))
        arguments = {"r_max": r_max, "ca": ca, "cs": cs, "k_max": k_max}
        rate = plain_counting.added(seen.rates.tolist())
        for estimate in (False, True):
            ca2 = plain_counting.dispersion(seen.counts.tolist()) if estimate else ca * ca
            expected = plain_counting.least_k(rate, group.mu, r_max, ca2, cs * cs, k_max)
            (answer,) = cases.decided("queueing", group, seen, estimate=estimate, **arguments)
            assert answer[:2] == (expected, 0)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # Variance over mean: 0, which leaves half of the waiting; 4 / 4, as without an estimate;
        # 900 / 30; and nothing to estimate from, which counts as 1.
        ([10.0, 10.0], 2),
        ([2.0, 6.0], 3),
        ([0.0, 60.0], 4),
        ([0.0, 0.0], 3),
    ],
)
def test_arrivals_are_estimated_from_the_window(counts: list[float], expected: int) -> None:
    rng = np.random.default_rng(0)
    seen = cases.seen(rng, cases.GROUP, rates=np.full(5, 32.0), counts=np.array(counts))
    (answer,) = cases.decided("queueing", cases.GROUP, seen, r_max=0.02, estimate=True)
    ca2 = plain_counting.dispersion(counts)
    assert plain_counting.least_k(160.0, 100.0, 0.02, ca2) == expected
    assert answer[0] == expected


FIELDS = st.fixed_dictionaries(
    {
        "lambda": st.sampled_from([0.0, 4.0, 5.0, 9.0, 18.0]),
        "mu": st.sampled_from([5.0, 10.0, 20.0]),
        "ca": VARIATIONS,
        "cs": VARIATIONS,
        "k": st.integers(1, 4),
    }
)


@given(
    st.lists(FIELDS, min_size=4, max_size=4),
    st.lists(st.permutations("abcd").map(lambda path: path[:3]), min_size=1, max_size=4),
    st.sampled_from([0.2, 0.5, 1.0, 3.0]),
    st.sampled_from([0.0, 0.5, 0.9]),
    st.integers(2, 5),
)
def test_plan_is_the_plain_one(
    fields: list[dict[str, float]],
    paths: list[list[str]],
    r_max: float,
    alpha: float,
    k_max: int,
) -> None:
    functions = dict(zip("abcd", fields, strict=True))
    expected = plain_counting.plan_paths(functions, paths, r_max, alpha, k_max)
    assert queueing.plan_paths(functions, paths, r_max, alpha, k_max) == expected


def function(rate: float, k: int) -> dict[str, float]:
    """A function whose replicas serve 10 events/s; variations of 1 need not be given."""
    return {"lambda": rate, "mu": 10.0, "k": k}


@pytest.mark.parametrize(
    ("functions", "paths", "expected"),
    [
        # Equal response times: the first function on the path grows, or shrinks.
        ({"a": function(9.0, 1), "b": function(9.0, 1)}, ["ba"], {"a": 1, "b": 2}),
        ({"a": function(1.0, 2), "b": function(1.0, 2)}, ["ba"], {"a": 2, "b": 1}),
        # Two paths would take a replica from a, but it loses one.
        (
            {"a": function(0.5, 3), "b": function(1.0, 1), "c": function(1.0, 1)},
            ["ab", "ac"],
            {"a": 2, "b": 1, "c": 1},
        ),
        ({"a": function(19.5, 2), "b": function(1.0, 1)}, ["ab", "a"], {"a": 3, "b": 1}),
        # What is at the most does not grow, however slow it is; the next slowest does.
        ({"a": function(900.0, 15), "b": function(1.0, 1)}, ["ab"], {"a": 15, "b": 2}),
        ({"a": function(1.0, 1)}, ["a"], {"a": 1}),
        ({"a": function(6.0, 1)}, ["a"], {"a": 1}),
    ],
)
def test_plans_by_hand(
    functions: dict[str, dict[str, float]], paths: list[str], expected: dict[str, int]
) -> None:
    assert queueing.plan_paths(functions, paths, r_max=0.8) == expected


def test_growing_beats_shrinking() -> None:
    """One path is too slow, of which only a can grow; the other is fast, and a would shrink."""
    functions = {"a": function(1.0, 2), "b": function(900.0, 15)}
    for paths in (["ab", "a"], ["a", "ab"]):
        assert queueing.plan_paths(functions, paths, r_max=0.8) == {"a": 3, "b": 15}
    assert queueing.plan_paths(functions, ["a"], r_max=0.8) == {"a": 1, "b": 15}


RIGHT: dict[str, Any] = {"rate": 1.0, "mu": 10.0, "replicas": 1}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"rate": -1.0}, "rate must be at least 0 .*-1"),
        ({"rate": float("inf")}, "rate must be a finite number"),
        ({"mu": 0.0}, "mu must be above 0 .*0"),
        ({"replicas": 0}, "replicas must be between 1 and .*0"),
        ({"replicas": 1.5}, "replicas must be an integer"),
        ({"ca": -1.0}, "ca must be at least 0 .*-1"),
        ({"cs": -1.0}, "cs must be at least 0 .*-1"),
    ],
)
def test_wrong_queues_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        queueing.response_time(**{**RIGHT, **wrong})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"r_max": 0.0}, "r_max must be above 0 .*0"),
        ({"k_max": 0}, "k_max must be between 1 and .*0"),
        ({"rate": -1.0}, "rate must be at least 0 .*-1"),
    ],
)
def test_wrong_bounds_are_refused(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        queueing.replicas(**{"rate": 1.0, "mu": 10.0, "r_max": 1.0, **wrong})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"functions": {"a": {"mu": 1.0, "k": 1}}}, "lambda of function a is required"),
        ({"functions": {"a": function(-1.0, 1)}}, "lambda of function a must be at least 0"),
        ({"functions": {"a": function(1.0, 0)}}, "k of function a must be between 1 and"),
        ({"functions": [1]}, r"functions must be a mapping .* \(got \[1\]\)"),
        ({"functions": {"a": 5}}, r"fields of function a must be a mapping .* \(got 5\)"),
        ({"paths": None}, r"paths must be a list of paths \(got None\)"),
        ({"paths": [5]}, r"paths must be a list of lists of names \(got 5\)"),
        ({"paths": [[["a"]]]}, r"unknown function \['a'\] in paths"),
        ({"paths": [["a", "b"]]}, "unknown function 'b' in paths; choose one of a"),
        ({"r_max": -1.0}, "r_max must be above 0"),
        ({"alpha": 1.5}, "alpha must be at least 0 and at most 1 .*1.5"),
        ({"k_max": 0}, "k_max must be between 1 and"),
    ],
)
def test_wrong_plans_are_refused(wrong: dict[str, Any], words: str) -> None:
    right: dict[str, Any] = {"functions": {"a": function(1.0, 1)}, "paths": [["a"]], "r_max": 1.0}
    with pytest.raises(InvalidParameterError, match=words):
        queueing.plan_paths(**{**right, **wrong})
