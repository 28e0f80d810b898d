"""A Prometheus that a live run plays, beside the simulated strategy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import registry
from algorithms.simulation.group_settings import group_of
from live.groups import prometheus_trigger
from live.groups.deployed_form import DeployedForm, deployed_form
from live.groups.keda_trigger import NoAnswer
from live.groups.prometheus_trigger import PrometheusTrigger
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit

LABEL = "keda_prometheus:h=1.15:hold=60:window_s=20:scrape_s=5"
RATES = [[40_000.0] * 8, [90_000.0] * 8, [24_000.0] * 8, [24_000.0] * 8]
"""Bytes/s by iteration."""


class Ends:
    """End offsets of a topic that gets the rates of a form's iterations."""

    def __init__(self, form: DeployedForm) -> None:
        self.events = form.group.events(np.array(RATES))
        self.time_s, self.missing, self.asked = 0.0, False, 0

    def __call__(self) -> Mapping[int, int]:
        self.asked += 1
        passed = [min(max(self.time_s - 30.0 * k, 0.0), 30.0) for k in range(len(RATES))]
        found = dict(enumerate(np.floor(np.array(passed) @ self.events).astype(int).tolist()))
        return dict(list(found.items())[1:]) if self.missing else found

    def close(self) -> None:
        self.asked = -1


class Run:
    def __init__(self, folder: Path, label: str = LABEL) -> None:
        self.form = deployed_form(label, run_settings("", folder, partitions=8), RATES)
        self.ends = Ends(self.form)
        self.trigger = PrometheusTrigger(self.form, RATES, self.ends)

    def at(self, time_s: float) -> int:
        """The answer after a turn at a time."""
        self.ends.time_s = time_s
        self.trigger.follow(time_s)
        return self.trigger.ask()


def simulated(form: DeployedForm, times_s: range) -> list[int]:
    """Counts that the simulated strategy wants at each second, with a sync at each."""
    strategy = registry.get(form.candidate.strategy)
    events = form.group.events(np.array(RATES))
    group = group_of(form.settings, events.max(axis=0), None, events.mean(axis=0))
    arguments = {**form.candidate.arguments, "sync_s": 1.0, "tolerance_up": 0.0}
    state = strategy.start(group, **{**arguments, "tolerance_down": 0.0})
    counts, replicas = [], form.settings.initial_replicas
    for time_s in times_s:
        rates = events[min(max(time_s - 1, 0) // 30, len(RATES) - 1)]
        seen = Observation(
            rates=rates,
            lags=np.zeros(8),
            owners=np.zeros(8, np.int32),
            replicas=replicas,
            time=float(time_s),
            consumed=np.ones(8, np.bool_),
            counts=np.full(1, rates.sum()),
        )
        decision = strategy.step(state, seen)
        replicas = decision.replicas if decision.replicas >= 0 else replicas
        counts.append(int(replicas))
    return counts


@pytest.mark.parametrize("label", [LABEL, LABEL.replace("hold=60", "hold=0")])
def test_answers_are_those_of_the_simulated_strategy(tmp_path: Path, label: str) -> None:
    run, times_s = Run(tmp_path, label), range(120)
    expected = simulated(run.form, times_s)
    assert [run.at(float(time_s)) for time_s in times_s] == expected
    assert len(set(expected)) > 2
    assert expected[0] == 2
    # A scrape every 5 s, from 2.5 s on.
    assert run.ends.asked == 24


def test_a_missing_partition_leaves_no_answer_once_its_samples_are_old(tmp_path: Path) -> None:
    run = Run(tmp_path, LABEL.replace("hold=60", "hold=0"))
    assert [run.at(float(time_s)) for time_s in range(30)] == [2] * 30
    run.ends.missing = True
    # The sample of 27.5 s is the last one for 5 s.
    assert run.at(32.0) == 2
    with pytest.raises(NoAnswer, match="the query has no result"):
        run.at(32.5)
    run.ends.missing = False
    for time_s in range(33, 60):
        run.ends.time_s = float(time_s)
        run.trigger.follow(float(time_s))
    assert run.trigger.ask() == 4


def test_a_run_that_is_late_misses_scrapes(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.trigger.follow(1.0)
    assert run.ends.asked == 0
    run.trigger.follow(29.0)
    run.trigger.follow(29.5)
    assert run.ends.asked == 1


def test_the_client_is_closed(tmp_path: Path) -> None:
    run = Run(tmp_path)
    run.trigger.close()
    assert run.ends.asked == -1
    assert prometheus_trigger.PrometheusTrigger.first_s == 0.0
    assert run.trigger.is_ready
