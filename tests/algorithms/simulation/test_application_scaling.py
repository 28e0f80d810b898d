"""Instances start, finish their event and are replaced as documented: small cases by hand.

Four events arrive at 2.5, 7.5, 12.5 and 17.5 s; each takes 10 s; there is a decision every 5 s.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from algorithms.simulation import ApplicationResult, simulate_application
from algorithms.simulation.application_estimates import Analysis
from algorithms.simulation.application_graph import check_application
from algorithms.simulation.application_loop import Loop
from algorithms.simulation.application_settings import check_settings

pytestmark = pytest.mark.unit


def run(initial: int, script: Mapping[float, int], **settings: Any) -> ApplicationResult:
    """Four events under scripted counts: time of a decision to instances."""
    application = check_application(
        {"f": {"mu": 0.1, "cs": 0.0, "initial": initial}}, [], {"f": [(20.0, 0.2)]}
    )
    all_settings = {"decision_s": 5.0, "spacing": "constant", "receiver_queue": 0} | settings

    def plan(analysis: Analysis) -> Any:
        count = script.get(analysis.time)
        return analysis.instances if count is None else np.array([count])

    return Loop(application, check_settings(all_settings, application.seconds)).run(plan)


def waits(result: ApplicationResult) -> float:
    """Sum of the four waits, s."""
    return float(result.mean_waits[0] * 4)


def test_constant() -> None:
    """One instance: begins at 2.5, 12.5, 22.5 and 32.5 s."""
    result = run(1, {})
    assert waits(result) == 5.0 + 10.0 + 15.0
    assert result.end_s == 42.5
    assert result.scalings == ()
    assert result.backlogs[:, 0].tolist() == [0, 1, 2, 2, 3]
    (responses,) = result.paths
    assert responses.path == ("f",)
    assert (responses.p50, responses.p90, responses.max) == (15.0, 25.0, 25.0)
    # Completed in the first 30 s: at 12.5 and 22.5 s; after them at 32.5 and 42.5 s.
    assert responses.peak == (20.0 + 25.0) / 2
    assert responses.above == 1.0


def test_a_removed_instance_finishes_its_event() -> None:
    """The second one, busy until 17.5 s, is removed at 10 s: the fourth event waits till 22.5."""
    result = run(2, {10.0: 1})
    assert waits(result) == 5.0
    assert result.end_s == 32.5
    assert result.instances[:, 0].tolist() == [2, 2, 1, 1]
    assert result.mean_instances == 1.5
    assert result.max_instances == 2
    assert [tuple(scaling) for scaling in result.scalings] == [(10.0, "f", 2, 1)]


@pytest.mark.parametrize(("startup_s", "wait"), [(0.0, 0.0), (4.0, 1.5), (7.5, 5.0)])
def test_a_new_instance_works_after_its_startup(startup_s: float, wait: float) -> None:
    """Two more are asked for at 5 s, where the only one is busy until 12.5 s."""
    result = run(1, {5.0: 3}, startup_s=startup_s)
    assert waits(result) == wait


def test_instances_start_at_once_with_what_waits() -> None:
    result = run(1, {15.0: 3})
    # Second event at 12.5, third at 15 and fourth at 17.5 s.
    assert waits(result) == 5.0 + 2.5


def test_a_start_is_cancelled() -> None:
    """Asked for at 5 s to work at 15 s, but removed at 10 s: as if nothing had happened."""
    cancelled, never = run(1, {5.0: 2, 10.0: 1}, startup_s=10.0), run(1, {})
    assert waits(cancelled) == waits(never)
    assert len(cancelled.scalings) == 2


def test_a_second_start_does_not_bring_back_the_first() -> None:
    """Removed before it had started, and asked for again: it works 10 s after the second time."""
    result = run(1, {5.0: 2, 10.0: 1, 15.0: 2}, startup_s=10.0)
    # Third event at 22.5 s, fourth at 25 s.
    assert waits(result) == 5.0 + 10.0 + 7.5


@pytest.mark.parametrize(("replace", "wait"), [(False, 0.0), (True, 1.5)])
def test_an_update_that_replaces_stops_idle_instances(replace: bool, wait: float) -> None:
    """At 5 s one of two is idle; with `replace` no instance takes the event of 7.5 s before 9 s."""
    result = run(2, {5.0: 4}, startup_s=4.0, replace=replace)
    assert waits(result) == wait


def test_the_removal_of_idle_instances_changes_nothing() -> None:
    assert waits(run(4, {5.0: 3})) == waits(run(3, {})) == 0.0


def test_hpa_starts_with_what_it_sees() -> None:
    """A backlog of 25 at 10 per instance asks for three."""
    result = simulate_application(
        {"f": {"mu": 0.01, "cs": 0.0}},
        [],
        {"f": [(20.0, 2.5)]},
        "keda_hpa",
        settings={"decision_s": 10.0, "spacing": "constant"},
    )
    assert result.instances[:, 0].tolist() == [1, 3]


@pytest.mark.parametrize("policy", ["linear", "queueing", "queueing_paths", "ds2"])
def test_functions_without_completions_keep_their_instances(policy: str) -> None:
    """No service time is known before the first completion, at 12.5 s."""
    result = simulate_application(
        {"f": {"mu": 0.1, "cs": 0.0, "initial": 3}},
        [],
        {"f": [(20.0, 0.2)]},
        policy,
        settings={"decision_s": 5.0, "spacing": "constant"},
    )
    assert result.instances[:3, 0].tolist() == [3, 3, 3]
    assert result.instances[3, 0] != 3


def test_estimates_stay_without_events() -> None:
    """A silent interval is no reason to scale for a policy that looks at rates."""
    result = simulate_application(
        {"f": {"mu": 2.0, "cs": 0.0}},
        [],
        {"f": [(60.0, 5.0), (240.0, 0.0)]},
        "ds2",
        settings={"spacing": "constant"},
    )
    assert result.instances[:, 0].tolist() == [1, *[3] * 9]


def test_no_events() -> None:
    result = simulate_application({"f": {"mu": 1.0}}, [], {"f": [(10.0, 0.0)]}, "ds2")
    assert result.paths[0] == (("f",), 0, *[None] * 7)
    assert np.isnan(result.mean_waits).all()
    assert result.end_s == 10.0
    assert result.backlogs.tolist() == [[0], [0]]


def test_a_source_feeds_all_functions_at_its_edges() -> None:
    """Each gets the same events; one that is silent from some time on gets no more."""
    result = simulate_application(
        {"a": {"mu": 9.0, "cs": 0.0}, "b": {"mu": 9.0, "cs": 0.0}},
        [("topic", "a"), ("topic", "b")],
        {"topic": [(10.0, 2.0)], "a": [(30.0, 1.0)]},
        "constant",
        settings={"spacing": "constant"},
    )
    assert result.events.tolist() == [50, 20]
    assert result.paths[1].mean == pytest.approx(1 / 9)
