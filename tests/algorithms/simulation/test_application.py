"""An application's simulation agrees with a plain one, event by event."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from algorithms.simulation import ApplicationResult, simulate_application
from algorithms.simulation.application_policies import POLICIES as REGISTERED
from tests.algorithms.simulation import plain_application, plain_policies
from tests.algorithms.simulation.application_cases import POLICIES, Case, draw
from tests.algorithms.simulation.plain_application import PlainApplication

pytestmark = pytest.mark.unit

SEEDS = range(40)


def run(case: Case, policy: str, **settings: object) -> ApplicationResult:
    functions, edges, sources, base = case
    arguments = POLICIES[policy]
    return simulate_application(functions, edges, sources, policy, arguments, base | settings)


def test_all_policies_are_compared() -> None:
    assert POLICIES.keys() == REGISTERED.keys()


@pytest.mark.slow
@pytest.mark.parametrize("policy", POLICIES)
def test_plain_simulation(policy: str) -> None:
    """Instances, backlogs and each response time are the same; sums up to rounding."""
    for seed in SEEDS:
        check_simulation(draw(seed), policy)


def check_simulation(case: Case, policy: str) -> None:
    result = run(case, policy)
    plain = PlainApplication(*case)
    decide = plain_policies.make(policy, POLICIES[policy], list(case.functions))
    expected = plain_application.simulate(plain, decide)
    assert result.functions == tuple(case.functions)
    assert result.instances.tolist() == expected.counts
    assert result.backlogs.tolist() == expected.backlogs
    check_responses(result, plain)
    check_functions(result, plain)


def check_responses(result: ApplicationResult, plain: PlainApplication) -> None:
    check_intervals(result, plain)
    assert set(plain.responses) <= {responses.path for responses in result.paths}
    for responses in result.paths:
        completed = plain.responses.get(responses.path, [])
        assert responses.events == len(completed)
        if not completed:
            assert responses[2:] == (None,) * 7
            continue
        ordered = sorted(response for _, response in completed)
        assert responses.mean == pytest.approx(math.fsum(ordered) / len(ordered), rel=1e-12)
        for percent, value in ((50, responses.p50), (90, responses.p90), (99, responses.p99)):
            assert value == next(
                x for i, x in enumerate(ordered, 1) if 100 * i >= percent * len(ordered)
            )
        assert responses.max == ordered[-1]
        assert responses.above == sum(x > 1.0 for x in ordered) / len(ordered)
        means = [
            np.mean([response for time, response in completed if time // 30 == interval])
            for interval in {time // 30 for time, _ in completed}
        ]
        assert responses.peak == pytest.approx(max(means), rel=1e-12)


def check_intervals(result: ApplicationResult, plain: PlainApplication) -> None:
    """Responses between two decisions, by when the events are completed."""
    for q, responses in enumerate(result.paths):
        completed = plain.responses.get(responses.path, [])
        for i, (begin, end) in enumerate(pairwise(result.times)):
            own = [
                response
                for time, response in completed
                if begin < time <= end or (i == 0 and time <= end)
            ]
            assert result.responses.events[i, q] == len(own)
            mean = np.mean(own) if own else np.nan
            assert result.responses.means[i, q] == pytest.approx(mean, rel=1e-9, nan_ok=True)


def check_functions(result: ApplicationResult, plain: PlainApplication) -> None:
    for f, function in enumerate(plain.functions.values()):
        assert result.events[f] == len(function.events) == len(function.done)
        waits = [event.began - event.arrived for event in function.events]
        stays = [time - event.arrived for time, event in function.done]
        if not waits:
            assert np.isnan([result.mean_waits[f], result.mean_responses[f]]).all()
            continue
        assert result.mean_waits[f] == pytest.approx(np.mean(waits), rel=1e-9, abs=1e-12)
        assert result.mean_responses[f] == pytest.approx(np.mean(stays), rel=1e-9, abs=1e-12)
        services = math.fsum(event.service for event in function.events)
        assert result.busy_s[f] == pytest.approx(services, rel=1e-9)


@pytest.mark.slow
def test_cases_reach_every_branch() -> None:
    """The compared runs scale up and down, wait for starts, and replace."""
    results = {(policy, seed): run(draw(seed), policy) for policy in POLICIES for seed in SEEDS}
    for policy in POLICIES:
        changes = [
            scaling.after - scaling.before
            for seed in SEEDS
            for scaling in results[policy, seed].scalings
        ]
        assert (min(changes, default=0) < 0 < max(changes, default=0)) == (policy != "constant")
    restarted = {(draw(s).settings["replace"], draw(s).settings["startup_s"] > 0) for s in SEEDS}
    assert len(restarted) == 4


def test_growing_arrays() -> None:
    """More events and response times than the arrays first have room for."""
    case = Case(
        {"a": {"mu": 2.0, "selectivity": 3.0}, "b": {"mu": 1.0}},
        [("a", "b")],
        {"a": [(500.0, 5.0)]},
        {"seed": 4, "receiver_queue": 0},
    )
    result = run(case, "constant")
    plain = PlainApplication(*case)
    expected = plain_application.simulate(plain, lambda now, application: {})
    assert result.backlogs.tolist() == expected.backlogs
    assert result.backlogs.max() > 1024
    assert result.paths[0].events > 4096
    check_responses(result, plain)
    check_functions(result, plain)


@pytest.mark.parametrize("policy", POLICIES)
def test_same_seed_same_bits(policy: str) -> None:
    for seed in range(5):
        first, second = run(draw(seed), policy), run(draw(seed), policy)
        assert bits(first) == bits(second)


def bits(value: object) -> object:
    """A result with the bytes of its arrays in their place."""
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return [bits(item) for item in value] if isinstance(value, tuple) else value


def test_another_seed_other_events() -> None:
    case = draw(3)
    assert run(case, "constant", seed=1).paths != run(case, "constant", seed=2).paths


@pytest.mark.parametrize("seed", SEEDS)
def test_policies_see_the_same_events(seed: int) -> None:
    """As many at each function and path, and with the same service times, up to rounding."""
    results = [run(draw(seed), policy) for policy in POLICIES]
    for other in results[1:]:
        assert other.events.tolist() == results[0].events.tolist()
        assert [p.events for p in other.paths] == [p.events for p in results[0].paths]
        assert other.busy_s == pytest.approx(results[0].busy_s, rel=1e-9)


def test_events_do_not_depend_on_other_functions() -> None:
    """A further function changes nothing for those that were there."""
    functions = {"a": {"mu": 1.0, "selectivity": 1.4}, "b": {"mu": 2.0}}
    sources = {"a": [(300.0, 0.8)]}
    alone = simulate_application(functions, [("a", "b")], sources, "constant")
    more = simulate_application(
        {"c": {"mu": 3.0}, **functions}, [("a", "c"), ("a", "b")], sources, "constant"
    )
    assert more.functions == ("a", "c", "b")
    assert more.paths[1] == alone.paths[0]
    assert more.mean_waits[[0, 2]].tolist() == alone.mean_waits.tolist()


@pytest.mark.parametrize("policy", POLICIES)
def test_littles_law(policy: str) -> None:
    """Mean backlog over time = arrival rate times mean response; exact as all are completed."""
    for seed in SEEDS:
        result = run(draw(seed), policy)
        responses = np.nan_to_num(result.mean_responses)
        rates = result.events / result.end_s
        assert result.mean_backlogs == pytest.approx(rates * responses, rel=1e-9, abs=1e-12)


def test_bounds_of_single_functions() -> None:
    """One number is the same bound for all; a looser one for a function takes fewer instances."""
    case = Case(
        {"a": {"mu": 1.0}, "b": {"mu": 1.0}}, [("a", "b")], {"a": [(600.0, 3.0)]}, {"seed": 2}
    )

    def instances(r_max: object) -> list[float]:
        arguments = {"r_max": r_max}
        result = simulate_application(*case[:3], "queueing", arguments, case.settings)
        return result.instances.mean(axis=0).tolist()

    assert instances({"b": 1.2, "a": 1.2}) == instances(1.2)
    tight, loose = instances({"a": 1.2, "b": 4.0})
    assert tight > loose


def test_paths_of_the_policy() -> None:
    """Only functions of the given paths are scaled; by default these are all paths."""
    functions = {"a": {"mu": 1.0}, "b": {"mu": 1.0}}
    sources = {"a": [(300.0, 3.0)], "b": [(300.0, 3.0)]}

    def last(**arguments: object) -> list[int]:
        result = simulate_application(functions, [], sources, "queueing_paths", arguments)
        return result.instances[-1].tolist()

    assert last(paths=[["a"], ["b"]]) == last()
    assert min(last()) > 1
    assert last(paths=[["b"]])[0] == 1


@pytest.mark.parametrize("policy", [policy for policy in POLICIES if policy != "constant"])
def test_most_instances(policy: str) -> None:
    """`k_max` holds for every policy, also where there were more at the start."""
    sources = {"f": [(200.0, 9.0)]}
    functions = {"f": {"mu": 1.0, "initial": 5}}
    arguments = POLICIES[policy] | {"k_max": 3}
    result = simulate_application(functions, [], sources, policy, arguments)
    assert result.instances[1:, 0].max() == 3
