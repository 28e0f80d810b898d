"""Experiments with brokers that join and leave: what is allowed, and what they need."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from pipeline.base.errors import InputError
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
        ({"faults": ["rest"]}, "`faults` must be one of killed, cancelled, controller"),
        ({"most_brokers": 8}, "`most_brokers` must be"),
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
    with pytest.raises(
        InputError, match="`scalings` or `live_episodes`: a task of Airflow may take 60 min"
    ):
        broker_admission.check_time(config, 3600.0)
    broker_admission.check_time(config, 1e6)


def test_the_smoke_preset_ends_in_time_and_faults_last() -> None:
    """A fault hits a move only if it is under way: at least 10 s in the preset with faults."""
    smoke, faulty, hundred = (
        BrokerExperiment(name=name, **fields)
        for preset in ("brokers-smoke", "brokers-faults", "brokers")
        for name, fields in PRESETS[preset].experiments.items()
    )
    assert (smoke.scalings, hundred.scalings) == (4, 100)
    # A broker that joins gets a share of all replicas.
    copied = faulty.preload_mib * faulty.replication / faulty.most_brokers
    assert copied / faulty.throttle_mib_s >= 10
    assert set(settings.KEYS["brokers"]) >= {"scalings", "faults", "throttle_mib_s"}
