"""DS2's plan for functions, and its decision for a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.autoscaling import ds2
from algorithms.core.input_errors import InvalidParameterError
from tests.algorithms.autoscaling import cases, plain_counting

pytestmark = pytest.mark.unit

NAMES = "abcde"
EDGES = [(NAMES[i], NAMES[j]) for i in range(5) for j in range(i + 1, 5)]
FIELDS = st.fixed_dictionaries(
    {
        "rate_true": st.one_of(st.sampled_from([0.1, 10.0, 25.0]), st.floats(0.5, 100.0)),
        "selectivity": st.sampled_from([0.0, 0.1, 0.3, 1.0, 2.5]),
    }
)


@given(
    st.lists(FIELDS, min_size=5, max_size=5),
    st.lists(st.sampled_from(EDGES), max_size=8, unique=True),
    st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.0, 0.7, 30.0, 99.5]), max_size=3),
    st.one_of(st.none(), st.integers(1, 20)),
)
def test_plan_is_the_plain_one(
    fields: list[dict[str, float]],
    edges: list[tuple[str, str]],
    sources: dict[str, float],
    k_max: int | None,
) -> None:
    functions = dict(zip(NAMES, fields, strict=True))
    expected = plain_counting.ds2(functions, edges, sources, k_max)
    assert ds2.plan(functions, edges, sources, k_max) == expected


def test_a_function_gets_what_upstream_would_pass_on_if_it_kept_up() -> None:
    """The plan needs one step only, although a alone would hold back everything today."""
    functions = {name: {"rate_true": 10.0, "selectivity": 2.0} for name in "abc"}
    plan = ds2.plan(functions, [("a", "b"), ("b", "c"), ("a", "c")], {"a": 100.0})
    assert plan == {"a": 10, "b": 20, "c": 60}


def test_quotients_are_rounded_up_with_a_slack() -> None:
    """0.1 + 0.2 is 4e-17 above 0.3, which must not take a fourth replica."""
    functions = {name: {"rate_true": 0.1} for name in "abc"}
    plan = ds2.plan(functions, [("a", "c"), ("b", "c")], {"a": 0.1, "b": 0.2})
    assert plan == {"a": 1, "b": 2, "c": 3}


def test_a_function_without_input_has_one_replica() -> None:
    assert ds2.plan({"a": {"rate_true": 5.0}}, [], {}) == {"a": 1}
    assert ds2.plan({"a": {"rate_true": 1e-300}}, [], {"a": 1e9}, k_max=7) == {"a": 7}


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"functions": {"a": {}, "b": {}}}, "rate_true of function a is required"),
        ({"functions": {"a": {"rate_true": 0.0}, "b": {}}}, "rate_true of function a .*above 0"),
        (
            {"functions": {"a": {"rate_true": 1.0, "selectivity": -1.0}, "b": {"rate_true": 1.0}}},
            "selectivity of function a must be at least 0",
        ),
        ({"edges": [("b", "a")]}, "edges must go from an earlier to a later .*b to a"),
        ({"edges": [("a", "a")]}, "edges must go from an earlier to a later .*a to a"),
        ({"edges": [("a", "x")]}, "unknown function 'x' in edges; choose one of a, b"),
        ({"sources": {"x": 1.0}}, "unknown function 'x' in sources; choose one of a, b"),
        ({"sources": {"a": -1.0}}, "rate of source a must be at least 0"),
        ({"k_max": 0}, "k_max must be between 1 and"),
        ({"functions": []}, r"functions must be a mapping .* \(got \[\]\)"),
        ({"functions": {"a": 5, "b": 5}}, r"fields of function a must be a mapping .* \(got 5\)"),
        ({"edges": None}, r"edges must be a list of pairs \(got None\)"),
        ({"edges": ["x"]}, r"edges must be \(from, to\) \(got 'x'\)"),
        ({"sources": [1.0]}, r"sources must be a mapping .* \(got \[1.0\]\)"),
    ],
)
def test_wrong_arguments_are_refused(wrong: dict[str, Any], words: str) -> None:
    right: dict[str, Any] = {
        "functions": {"a": {"rate_true": 1.0}, "b": {"rate_true": 1.0}},
        "edges": [("a", "b")],
        "sources": {"a": 1.0},
    }
    with pytest.raises(InvalidParameterError, match=words):
        ds2.plan(**{**right, **wrong})


@pytest.mark.parametrize("seed", range(3))
def test_strategy_is_the_plain_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(70):
        group = cases.group(rng)
        seen = cases.seen(rng, group)
        expected = plain_counting.whole(plain_counting.added(seen.rates.tolist()) / group.mu)
        assert cases.decided("ds2", group, seen)[0][:2] == (expected, 0)
