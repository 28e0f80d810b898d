"""A cluster says what it would make of a run's topic before anything is written to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from kafka import errors

from live.kafka import topics
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES
from live.user_cluster import topic_trial, user_cluster
from pipeline.base.errors import InputError
from pipeline.experiments.live.running import run_brokers
from pipeline.settings.live_experiment import LiveExperiment
from tests.live.kafka_probe import run_settings

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

SETTINGS = run_settings("b:1", Path("f"))
TOPIC = SETTINGS.topic("data")


class Admin:
    """A client of a cluster that makes something of a topic."""

    def __init__(self, configs: dict[str, str | None] | None = None, **row: Any) -> None:
        values = {name: {"value": value} for name, value in (configs or {}).items()}
        self.row = {"error_code": 0, "error_message": None, "configs": values, **row}
        self.asked: dict[str, Any] = {}

    def create_topics(
        self, new_topics: dict[str, Any], validate_only: bool, raise_errors: bool
    ) -> dict[str, Any]:
        assert (validate_only, raise_errors) == (True, False)
        self.asked = new_topics
        return {"topics": [self.row]}


def check(monkeypatch: pytest.MonkeyPatch, client: Admin) -> None:
    @contextmanager
    def admin(*_: object) -> Iterator[Admin]:
        yield client

    monkeypatch.setattr(user_cluster, "admin", admin)
    topic_trial.check(SETTINGS, NO_PROPERTIES)


@pytest.mark.unit
def test_a_cluster_that_keeps_the_records(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Admin({"retention.ms": "-1", "retention.bytes": "-1", "other": None})
    check(monkeypatch, client)
    ((name, asked),) = client.asked.items()
    assert name == TOPIC
    assert (asked["num_partitions"], asked["replication_factor"]) == (4, 1)
    assert asked["configs"]["retention.ms"] == "-1"
    # Settings that the user may not read.
    check(monkeypatch, Admin(configs={}))


@pytest.mark.unit
def test_a_cluster_that_would_let_records_go_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"`retention.ms` of topic gs\..* must be -1.*set 3600000"):
        check(monkeypatch, Admin({"retention.ms": "3600000"}))


@pytest.mark.unit
def test_a_cluster_that_would_refuse_the_topic_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    policy = errors.PolicyViolationError.errno
    with pytest.raises(InputError, match=r"b:1 would not create topic gs\..* \(too many copies\)"):
        check(monkeypatch, Admin(error_code=policy, error_message="too many copies"))
    with pytest.raises(InputError, match=r"\(PolicyViolationError\); give the user the rights"):
        check(monkeypatch, Admin(error_code=policy))


@pytest.mark.live
def test_nothing_is_created(broker: Cluster) -> None:
    experiment = LiveExperiment(name="e", bootstrap=broker.bootstrap, partitions=3)
    cluster = run_brokers.opened(experiment, "trial")
    assert cluster.bootstrap == broker.bootstrap
    assert not [run for run in topics.runs(broker.bootstrap) if run.startswith("trial")]


@pytest.mark.live
def test_a_user_without_the_rights_is_refused_before_anything_starts(
    secured: SecuredBroker, tmp_path: Path
) -> None:
    from tests.live.user_cluster.secured_broker import MAY_READ, MAY_RUN

    settings = replace(SETTINGS, bootstrap=secured.bootstrap)
    for user, may in ((MAY_RUN, True), (MAY_READ, False)):
        file = secured.properties(tmp_path / f"{user}.properties", user)
        properties = client_properties.read(file)
        if may:
            topic_trial.check(settings, properties)
        else:
            with pytest.raises(InputError, match=f"would not create topic {TOPIC} \\("):
                topic_trial.check(settings, properties)
    assert topics.runs(secured.cluster.bootstrap) == []
