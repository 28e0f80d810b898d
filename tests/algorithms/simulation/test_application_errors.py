"""Wrong applications, settings and arguments are refused before anything runs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import simulate_application

pytestmark = pytest.mark.unit

GOOD: dict[str, Any] = {
    "functions": {"a": {"mu": 1.0}, "b": {"mu": 2.0}},
    "edges": [("a", "b")],
    "sources": {"a": [(10.0, 1.0)]},
    "policy": "constant",
}


def refused(words: str, **changes: Any) -> None:
    with pytest.raises(InvalidParameterError, match=words):
        simulate_application(**(GOOD | changes))


def test_the_good_one_runs() -> None:
    assert simulate_application(**GOOD).functions == ("a", "b")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, r"functions\['b'\] must have mu, and may have cs, selectivity, initial \(got \[\]\)"),
        ({"mu": 1.0, "speed": 2}, r"functions\['b'\] must have mu.*speed"),
        ({"mu": 0.0}, r"functions\['b'\]: mu must"),
        ({"mu": "1"}, r"functions\['b'\]: mu must"),
        ({"mu": 1.0, "cs": -0.1}, r"functions\['b'\]: cs must be at least 0 .*\(got -0.1\)"),
        ({"mu": 1.0, "cs": 1e-9}, r"functions\['b'\]: cs must be 0 or at least 1e-06"),
        ({"mu": 1.0, "selectivity": 1001}, r"functions\['b'\]: selectivity must be .*1000 "),
        ({"mu": 1.0, "initial": 0}, r"functions\['b'\]: initial must be between 1 and 15"),
        ({"mu": 1.0, "initial": 16}, r"functions\['b'\]: initial .*between 1 and 15 \(got 16\)"),
        ({"mu": 1.0, "initial": 1.5}, r"functions\['b'\]: initial must be an integer"),
    ],
)
def test_wrong_functions(fields: dict[str, Any], words: str) -> None:
    refused(words, functions={"a": {"mu": 1.0}, "b": fields})


@pytest.mark.parametrize("name", ["functions", "sources"])
@pytest.mark.parametrize("value", [None, 5, [], ["a"], {1: 2}])
def test_what_is_no_mapping(name: str, value: Any) -> None:
    refused(rf"{name} must be a mapping from names to .* \(got ", **{name: value})


@pytest.mark.parametrize("name", ["settings", "arguments"])
@pytest.mark.parametrize("value", [5, [], [1], "x", {1: 2}])
def test_settings_that_are_no_mapping(name: str, value: Any) -> None:
    refused(rf"{name} must be a mapping from names to values \(got ", **{name: value})


@pytest.mark.parametrize("value", [5, None, ["mu"]])
def test_fields_that_are_no_mapping(value: Any) -> None:
    refused(r"functions\['b'\] must be a mapping .*got", functions={"a": {"mu": 1.0}, "b": value})


def test_no_functions() -> None:
    refused("functions must name at least one function", functions={}, edges=[])


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([("x", "b")], r"edges must begin at a function or source \(got \('x', 'b'\)\).*a, b"),
        ([("a", "x")], r"edges must end at a function \(got \('a', 'x'\)\); known: a, b"),
        ([("a", "b"), ("a", "b")], r"edges must differ \(got \('a', 'b'\) more than once\)"),
        ([("a", "b", "c")], r"edges must be \(from, to\)"),
        (["ab"], r"edges must be \(from, to\) \(got 'ab'\)"),
        (None, r"edges must be a list of pairs \(got None\)"),
        ("ab", r"edges must be a list of pairs \(got 'ab'\)"),
        ([(["a"], "b")], r"edges must be pairs of names \(got \(\['a'\], 'b'\)\)"),
        ([("a", "b"), ("b", "a")], "edges must not have a cycle"),
        ([("a", "b"), ("b", "b")], "edges must not have a cycle"),
    ],
)
@pytest.mark.parametrize("policy", ["constant", "queueing_paths"])
def test_wrong_edges(edges: Any, words: str, policy: str) -> None:
    refused(words, edges=edges, policy=policy)


@pytest.mark.parametrize(
    ("sources", "words"),
    [
        ({}, "sources must name at least one source"),
        ({"x": [(1.0, 1.0)]}, r"sources\['x'\] must be a function, or the beginning of an edge"),
        ({"a": 5}, r"sources\['a'\] must be a list of \(seconds, events/s\) \(got 5\)"),
        ({"a": []}, r"sources\['a'\] must have at least one \(seconds, events/s\)"),
        ({"a": [(0.0, 1.0)]}, r"sources\['a'\]\[0\]: seconds must be above 0 .*\(got 0.0\)"),
        ({"a": [(1.0, 1.0), (1.0, -1.0)]}, r"sources\['a'\]\[1\]: events/s must be at least 0"),
        ({"a": [(1.0, float("inf"))]}, r"sources\['a'\]\[0\]: events/s must be a finite number"),
        ({"a": [5.0]}, r"sources\['a'\]\[0\] must be \(seconds, events/s\) \(got 5.0\)"),
        ({"a": [(1e6, 1e6)]}, r"sources must give at most 2e\+08 expected events"),
    ],
)
def test_wrong_sources(sources: Any, words: str) -> None:
    refused(words, sources=sources)


def test_too_many_paths() -> None:
    """Two ways through each of 14 stages."""
    stages = [["s0"], *[[f"l{i}", f"r{i}"] for i in range(14)]]
    edges = [(a, b) for here, there in pairwise(stages) for a in here for b in there]
    functions = {name: {"mu": 1.0, "selectivity": 0.1} for stage in stages for name in stage}
    refused(
        "edges must give at most 10000 beginnings of paths",
        functions=functions,
        edges=edges,
        sources={"s0": [(1.0, 1.0)]},
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"decisions": 1}, r"settings must be among decision_s, .* \(got 'decisions'\)"),
        ({"decision_s": 0.0}, r"decision_s must"),
        ({"decision_s": 1e-6}, "decision_s must give at most 1000000 decisions in 10 s"),
        ({"startup_s": -1.0}, r"startup_s must"),
        ({"replace": 1}, r"replace must be true or false \(got 1\)"),
        ({"in_turn": True, "receiver_queue": 0}, "receiver_queue must be at least 1 with in_turn"),
        ({"spacing": ["constant"]}, r"spacing must be one of .* \(got \['constant'\]\)"),
        ({"spacing": "poisson"}, r"spacing must be one of exponential, constant \(got 'poisson'\)"),
        ({"r_max": 0.0}, "r_max must"),
        ({"seed": -1}, "seed must"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], words: str) -> None:
    refused(words, settings=settings)


@pytest.mark.parametrize(
    ("policy", "arguments", "words"),
    [
        ("pulsar", {}, r"policy must be one of constant, threshold, .* \(got 'pulsar'\)"),
        (["ds2"], {}, r"policy must be one of .* \(got \['ds2'\]\)"),
        ("constant", {"k_max": 3}, r"arguments of constant must be among none \(got 'k_max'\)"),
        ("ds2", {"r_max": 3}, r"arguments of ds2 must be among k_max \(got 'r_max'\)"),
        ("ds2", {"k_max": 16}, r"k_max must be between 1 and 15 \(got 16\)"),
        ("linear", {"k_max": 0}, "k_max must be between 1 and 15"),
        ("linear", {"f_up": 0.3}, "f_down must be above 0 and below f_up"),
        ("linear", {"f_up": "x"}, r"f_up must be a finite number \(got 'x'\)"),
        ("threshold", {"t_in": 150}, r"t_in must be below t_out \(got t_in 150, t_out 150.0\)"),
        ("threshold", {"t_in": -1}, "t_in must be at least 0"),
        ("queueing", {"r_max": 0}, r"r_max of a must be above 0 \(got 0\)"),
        ("queueing", {"r_max": {"a": 1.0}}, "r_max must be a number, or have one for each of a, b"),
        ("queueing_paths", {"r_max": -1.0}, r"r_max must"),
        ("queueing_paths", {"alpha": 1.1}, "alpha must be at least 0 and at most 1"),
        ("queueing_paths", {"paths": [["b", "a"]]}, r"paths must follow the edges .*'b', 'a'"),
        ("queueing_paths", {"paths": 5}, r"paths must be a list of paths \(got 5\)"),
        ("queueing_paths", {"paths": [5]}, r"paths must be a list of lists of names \(got 5\)"),
        ("queueing_paths", {"paths": [[["a"]]]}, r"paths must follow the edges"),
        ("queueing_paths", {"paths": [["x"]]}, r"paths must follow the edges .*'x'"),
        ("keda_hpa", {"threshold": 0}, "threshold must be between 1"),
        ("keda_hpa", {"tolerance_up": -0.1}, "tolerance_up must be at least 0"),
    ],
)
def test_wrong_arguments(policy: Any, arguments: dict[str, Any], words: str) -> None:
    refused(words, policy=policy, arguments=arguments)
