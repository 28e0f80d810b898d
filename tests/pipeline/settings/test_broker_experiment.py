"""Experiments with brokers that join and leave: what is allowed, and what they need."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from live.brokers.elastic_choices import PLANS
from pipeline.base.errors import InputError
from pipeline.experiments.brokers import published
from pipeline.experiments.brokers.running import broker_admission
from pipeline.settings import settings
from pipeline.settings.broker_experiment import BrokerExperiment
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"most_brokers": 3}, "`most_brokers` must be above least_brokers (got 3 and 3)"),
        ({"least_brokers": 2}, "`replication` must be at most least_brokers (got 3 and 2 brokers)"),
        ({"faults": ["killed"], "replication": 2}, "`replication` must be 3 if there are faults"),
        ({"faults": ["rest"]}, "`faults` must be one of killed, cancelled, controller, kraft"),
        (
            {"faults": ["kraft-controller-killed"]},
            "`kraft_controllers` must be 3 for fault kraft-controller-killed, so that the others "
            "can elect one (got 1)",
        ),
        ({"kraft_controllers": 2}, "`kraft_controllers` must be one of 1, 3 (got 2)"),
        ({"planner": "random"}, "`planner` must be one of least, turns, generated"),
        ({"most_brokers": 8}, "`most_brokers` must be"),
        ({"decided_by": ["luck"]}, "`decided_by` must be one of dqn, double_dqn, optimal, thresh"),
        ({"decided_by": ["dqn", "dqn"]}, "`decided_by` must have different values (got dqn, dqn)"),
        ({"rewards": ["late"]}, "`rewards` must be one of count, violations, weighted"),
        ({"live_steps": 1}, "`live_steps` must be"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        BrokerExperiment(name="elastic", **changes)
    assert message in str(caught.value)


def test_one_fault_needs_no_list() -> None:
    assert BrokerExperiment(name="elastic", faults="killed").faults == ("killed",)


def test_a_task_of_airflow_has_a_limit() -> None:
    config = RunConfig(preset="brokers", brokers=(BrokerExperiment(name="long", scalings=1000),))
    with pytest.raises(InputError, match="or `live_episodes`: a task of Airflow may take 60 min"):
        broker_admission.check_time(config, 3600.0)
    broker_admission.check_time(config, 1e6)


def test_a_load_is_relative_to_the_papers() -> None:
    one = BrokerExperiment(name="decided", decided_by="dqn", records_per_s=1000.0, most_brokers=7)
    assert (one.load, one.simulated().max_brokers, one.simulated().steps) == (0.25, 7, 45)
    assert one.amount == 3 * 10 * 45
    # Ten episodes of 30 minutes for each reward.
    assert 15.0 < broker_admission.needed_s(one) / 3600.0 < 17.0


def test_presets_of_decisions() -> None:
    """The smoke test takes at most 4 minutes, and learning has the paper's sizes."""
    smoke, online = (
        BrokerExperiment(name=name, **fields)
        for preset in ("brokers-policy-smoke", "brokers-online")
        for name, fields in PRESETS[preset].experiments.items()
    )
    assert broker_admission.needed_s(smoke) <= 240.0
    assert (online.live_episodes, online.live_steps, online.decision_s) == (10, 45, 40.0)
    assert {"dqn", "double_dqn"} == {*online.decided_by}
    assert online.learns
    assert online.load == smoke.load


def experiments(preset: str) -> list[BrokerExperiment]:
    """Those of a preset."""
    fields = PRESETS[preset].experiments
    return [BrokerExperiment(name=name, **own) for name, own in fields.items()]


def test_the_smoke_preset_ends_in_time_and_faults_last() -> None:
    """A fault hits a move only if it is under way: at least 10 s in the preset with faults."""
    (smoke,), (faulty,) = experiments("brokers-smoke"), experiments("brokers-faults")
    assert smoke.scalings == 4
    assert (smoke.kraft_controllers, faulty.kraft_controllers) == (1, 3)
    # A broker that joins gets a share of all replicas.
    copied = faulty.preload_mib * faulty.replication / faulty.most_brokers
    assert copied / faulty.throttle_mib_s >= 10
    assert set(settings.KEYS["brokers"]) >= {"scalings", "faults", "throttle_mib_s", "planner"}


def test_plans_are_compared_at_each_replication_over_whole_cycles_and_without_faults() -> None:
    every = experiments("brokers")
    compared = {(one.planner, one.replication) for one in every}
    assert compared == {(planner, n) for planner in PLANS for n in (1, 2, 3)}
    assert len(every) == len(compared)
    assert sum(one.scalings for one in every) >= published.FEWEST_SCALINGS
    # 3 → 4 → 5 → 4 → 3 brokers, so that drift is compared at the same numbers of brokers.
    assert {one.scalings % 4 for one in every} == {0}
    assert not any(one.faults for one in every)
