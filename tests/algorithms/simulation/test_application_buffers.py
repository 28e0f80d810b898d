"""Instances that fetch ahead: against a plain broker, by hand, and where buffers change nothing."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest

from algorithms.autoscaling import queueing
from algorithms.simulation import ApplicationResult, simulate_application
from algorithms.simulation.application_draws import drawn_events
from algorithms.simulation.application_estimates import Analysis
from algorithms.simulation.application_graph import Application, check_application
from algorithms.simulation.application_loop import Loop
from algorithms.simulation.application_settings import check_settings
from tests.algorithms.simulation.application_cases import POLICIES, draw
from tests.algorithms.simulation.plain_prefetch import PlainBroker

pytestmark = pytest.mark.unit

SCENARIOS = range(400)


class Scenario(NamedTuple):
    application: Application
    settings: dict[str, Any]
    script: list[tuple[float, list[int]]]
    """Counts at each decision."""


def scenario(seed: int) -> Scenario:
    """A tree of up to four functions, any buffers, and random counts at every decision."""
    pick = random.Random(seed)
    names = [f"f{i}" for i in range(pick.randint(1, 4))]
    functions = {
        name: {
            "mu": pick.choice([0.7, 1.3, 3.0]),
            "cs": pick.choice([0.0, 0.5, 1.0, 2.0]),
            "initial": pick.choice([1, 1, 2, 4]),
        }
        for name in names
    }
    parents = [pick.choice(["source", *names[:i]]) for i in range(len(names))]
    pieces = [(pick.choice([8.0, 21.0]), pick.choice([0.5, 2.0, 6.0])) for _ in range(3)]
    application = check_application(
        functions, list(zip(parents, names, strict=True)), {"source": pieces}
    )
    settings = {
        "decision_s": pick.choice([3.0, 7.0]),
        "startup_s": pick.choice([0.0, 0.9, 5.0]),
        "start_gap_s": pick.choice([0.0, 0.0, 0.3]),
        "replace": pick.random() < 0.5,
        "in_turn": pick.random() < 0.5,
        "receiver_queue": pick.choice([1, 1, 2, 3, 25, 1000]),
        "spacing": pick.choice(["exponential", "constant"]),
        "seed": seed,
    }
    times = np.arange(settings["decision_s"], application.seconds, settings["decision_s"])
    script, counts = [], [functions[name]["initial"] for name in application.functions]
    for time in times.tolist():
        counts = [pick.choice([count, pick.randint(1, 6)]) for count in counts]
        script.append((time, counts))
    return Scenario(application, settings, script)


def scripted(application: Application, settings: Mapping[str, Any], script: Any) -> Loop:
    loop = Loop(application, check_settings(settings, application.seconds))
    counts = dict(script)

    def plan(analysis: Analysis) -> Any:
        return np.array(counts.get(analysis.time, analysis.instances))

    loop.result = loop.run(plan)  # type: ignore[attr-defined]
    return loop


def plain(one: Scenario) -> PlainBroker:
    """The same scenario in the plain broker, which gets arrivals and service times as numbers."""
    application, settings, _ = one
    events = drawn_events(application, settings["spacing"] == "exponential", settings["seed"])
    names = list(application.functions)
    (source,) = application.sources
    return PlainBroker(
        events.times.tolist(),
        events.services.T.tolist(),
        [names.index(name) for name in source.targets],
        [[names.index(end) for end in application.downstream(name)] for name in names],
        [function.initial for function in application.functions.values()],
        settings["receiver_queue"],
        settings["replace"],
        settings["startup_s"],
        settings["start_gap_s"],
        settings["in_turn"],
    )


@pytest.mark.slow
def test_plain_broker() -> None:
    """Backlogs at every decision and each response are the same, in the order of completion."""
    for seed in SCENARIOS:
        one = scenario(seed)
        broker = plain(one)
        seen = broker.run(one.script, one.application.seconds)
        loop = scripted(*one)
        result: ApplicationResult = loop.result  # type: ignore[attr-defined]
        assert result.backlogs[1:].tolist() == seen, seed
        names = list(one.application.functions)
        for index, path in enumerate(one.application.paths):
            of_path = loop.state.responses.path[: sum(p.events for p in result.paths)] == index
            samples = loop.state.responses.sample[: of_path.size][of_path]
            assert samples.tolist() == broker.responses[names.index(path[-1])], seed


@pytest.mark.slow
def test_scenarios_reach_every_branch() -> None:
    """They have buffers that overflow, restarts and removals with full buffers, late starts."""
    settings = [scenario(seed).settings for seed in SCENARIOS]
    changes = {
        (s["replace"], s["in_turn"], s["start_gap_s"] > 0.0, s["startup_s"] > 0.0) for s in settings
    }
    buffers = {(s["replace"], s["in_turn"], s["receiver_queue"]) for s in settings}
    assert len(changes) == 2 * 2 * 2 * 2
    assert len(buffers) == 2 * 2 * 5


ONE: dict[str, Any] = {"f": {"mu": 1.0, "cs": 0.0}}
"""A function whose events take a second each."""


def begun(
    script: Sequence[tuple[float, Sequence[int]]],
    rates: Sequence[tuple[float, float]],
    **settings: Any,
) -> list[float]:
    """Response times of `ONE` under scripted counts, in the order of completion."""
    application = check_application(ONE, [], {"f": rates})
    loop = scripted(application, {"spacing": "constant", "decision_s": 1.0} | settings, script)
    result: ApplicationResult = loop.result  # type: ignore[attr-defined]
    return loop.state.responses.sample[: result.paths[0].events].tolist()


BURST = ((0.5, 16.0), (19.5, 0.0))
"""Eight events at once, nearly: one each 1/16 s from 1/32 s on."""


def test_an_idle_instance_gets_nothing_of_what_another_one_has_fetched() -> None:
    """The second instance starts at 1 s, when the first one has fetched all eight events."""
    alone = begun([], BURST, receiver_queue=1000)
    assert begun([(1.0, [2])], BURST, receiver_queue=1000) == alone
    assert max(begun([(1.0, [2])], BURST, receiver_queue=0)) < max(alone) - 2.5


def test_a_restart_hands_out_again_what_was_fetched() -> None:
    """At 1 s seven wait; both new instances are there at 2 s, and each gets up to twenty."""
    together = begun([(1.0, [2])], BURST, receiver_queue=1000, replace=True, startup_s=1.0)
    # One turn of up to twenty has them all.
    assert max(together) == pytest.approx(2.0 + 7.0 - 15 / 32)
    halves = begun([(1.0, [2])], BURST, receiver_queue=2, replace=True, startup_s=1.0)
    assert max(halves) == pytest.approx(2.0 + 4.0 - 15 / 32)


def test_the_instance_that_starts_first_fetches_what_waits() -> None:
    """Thirty wait; of those that start together one gets twenty and the other ten."""
    burst = ((0.5, 60.0), (19.5, 0.0))
    settings = {"receiver_queue": 1000, "replace": True, "startup_s": 1.0}
    together = begun([(1.0, [2])], burst, **settings)
    one_by_one = begun([(1.0, [2])], burst, **settings, start_gap_s=0.05)
    assert max(together) == pytest.approx(2.0 + 20.0, abs=0.5)
    assert max(one_by_one) == pytest.approx(2.0 + 29.0, abs=0.5)


def test_what_a_removed_instance_has_fetched_goes_to_the_others() -> None:
    """Two instances have four events each; the second one is removed at 1 s."""
    application = check_application({"f": {**ONE["f"], "initial": 2}}, [], {"f": BURST})
    settings = {"spacing": "constant", "decision_s": 1.0, "receiver_queue": 1000}
    loop = scripted(application, settings, [(1.0, [1])])
    result: ApplicationResult = loop.result  # type: ignore[attr-defined]
    # One each is in service at 1 s; six are left for one instance, the last one of 15/32 s.
    assert result.paths[0].max == pytest.approx(1.0 + 1 / 32 + 6.0 - 15 / 32)


def test_an_instance_that_restarts_in_turn_holds_its_event_to_the_end_and_again() -> None:
    """At 1 s the instance holds the first event until 33/32 s, when all eight go back.

    It is there again at once, before the second one, and fetches them all.
    """
    settings = {"receiver_queue": 1000, "replace": True, "in_turn": True}
    ours = begun([(1.0, [2])], BURST, **settings)
    assert ours == pytest.approx([2.0 + place - place / 16 for place in range(8)])


def test_a_removed_instance_that_stops_in_turn_gives_its_event_to_others() -> None:
    """Each of two instances has four events; the second one holds its first until 35/32 s."""
    application = check_application({"f": {**ONE["f"], "initial": 2}}, [], {"f": BURST})
    settings = {
        "spacing": "constant",
        "decision_s": 1.0,
        "receiver_queue": 1000,
        "in_turn": True,
    }
    loop = scripted(application, settings, [(1.0, [1])])
    result: ApplicationResult = loop.result  # type: ignore[attr-defined]
    order = (0, 2, 4, 6, 1, 3, 5, 7)
    expected = [1.0 + place - event / 16 for place, event in enumerate(order)]
    assert loop.state.responses.sample[:8].tolist() == pytest.approx(expected)
    # Events wait until they are served for the last time.
    assert result.mean_waits[0] == pytest.approx(np.mean(expected) - 1.0)
    assert result.instances[:3, 0].tolist() == [2, 1, 1]


def test_a_restart_in_turn_delays_what_instances_hold() -> None:
    """Three of four instances hold an event at the change, with eighths of a second between."""
    rates = [(20.0, 8.0)]
    application = check_application({"f": {"mu": 2.5, "cs": 0.0, "initial": 4}}, [], {"f": rates})
    settings = {"spacing": "constant", "decision_s": 10.0, "receiver_queue": 1, "replace": True}
    worst = []
    for in_turn in (False, True):
        loop = scripted(application, {**settings, "in_turn": in_turn}, [(10.0, [5])])
        result: ApplicationResult = loop.result  # type: ignore[attr-defined]
        worst.append(result.paths[0].max)
    # Else the old instances pass on what they hold, while the new ones work already.
    assert worst[0] == pytest.approx(0.4)
    assert worst[1] > 0.4 + 0.2


@pytest.mark.parametrize("policy", POLICIES)
def test_one_instance_has_no_need_of_turns(policy: str) -> None:
    """With at most one instance per function that never restarts, buffers change nothing."""
    for seed in range(8):
        functions, edges, sources, settings = draw(seed)
        single = {name: {**fields, "initial": 1} for name, fields in functions.items()}
        most = {} if policy == "constant" else {"k_max": 1}
        common, fetched = (
            simulate_application(
                single, edges, sources, policy, POLICIES[policy] | most,
                settings | {"receiver_queue": size},
            )
            for size in (0, 7)
        )  # fmt: skip
        assert fetched.paths == common.paths
        assert fetched.backlogs.tolist() == common.backlogs.tolist()


@pytest.mark.slow
def test_round_robin_buffers_answer_later_than_a_common_queue() -> None:
    """At five instances of half a second and 9 events/s: 1.41 s instead of 0.98 s.

    The load is 0.9: in one queue for five servers, an event waits only if all are busy. With
    buffers it waits for one of them, which gets every fifth event, and may be busy while others are
    idle. Each is then a queue of its own with Erlang-5 arrivals (squared variation 1/5), for which
    Kraemer and Langenbach-Belz (1976) have 1.41 s; for one queue, Allen and Cunneen have 0.97 s.
    """
    means = {}
    for size in (0, 1, 1000):
        runs = [
            simulate_application(
                {"f": {"mu": 2.0, "cs": 0.5, "initial": 5}}, [], {"f": [(20_000.0, 9.0)]},
                "constant", None, {"receiver_queue": size, "seed": seed, "decision_s": 1000.0},
            ).paths[0].mean
            for seed in range(5)
        ]  # fmt: skip
        means[size] = float(np.mean(runs))
    load, arrivals, services = 0.9, 1 / 5, 0.25
    one_queue = queueing.response_time(9.0, 2.0, 5, cs=0.5)
    waits = load / (1 - load) * (arrivals + services) / 2 * 0.5
    regular = math.exp(-2 * (1 - load) * (1 - arrivals) ** 2 / (3 * load * (arrivals + services)))
    assert means[0] == pytest.approx(one_queue, rel=0.03)
    assert means[1000] == pytest.approx(0.5 + waits * regular, rel=0.03)
    assert means[1000] == pytest.approx(1.415, abs=0.001)
    # One event fetched ahead is nearly a common queue.
    assert means[0] < means[1] < means[0] + 0.1
